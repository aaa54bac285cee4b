"use strict";
// What kind of head it is, over the steps: how much it looks at itself, how far back, how spread.

const roles = {
  kept: new Map(),  // probe -> {self, distance, entropy} of every frame, layer and head

  of(probe) {
    if (!this.kept.has(probe)) this.kept.set(probe, this.measure(probe));
    return this.kept.get(probe);
  },
  measure(probe) {
    const { layers, heads } = film.model, T = film.length(probe), count = film.count * layers * heads;
    const found = { self: new Float32Array(count), distance: new Float32Array(count), entropy: new Float32Array(count) }, map = new Float32Array(T * T);
    let at = 0;
    for (let frame = 0; frame < film.count; ++frame)
      for (let layer = 0; layer < layers; ++layer)
        for (let head = 0; head < heads; ++head, ++at) {
          film.map(probe, frame, layer, head, map);
          let self = 0, distance = 0, spread = 0;
          for (let t = 0; t < T; ++t) {
            self += map[t * T + t];
            let entropy = 0;
            for (let s = 0; s <= t; ++s) {
              const weight = map[t * T + s];
              distance += weight * (t - s);
              if (weight > 0) entropy -= weight * Math.log(weight);
            }
            if (t > 0) spread += entropy / Math.log(t + 1);
          }
          found.self[at] = self / T;
          found.distance[at] = distance / T;
          found.entropy[at] = T > 1 ? spread / (T - 1) : 0;
        }
    return found;
  },
  at(what, frame, layer, head) {
    return this.of(state.sentence)[what][(frame * film.model.layers + layer) * film.model.heads + head];
  },
  series(what) {
    const { layers, heads } = film.model, series = [];
    const line = (layer, head) => film.steps.map((step, frame) => [step, this.at(what, frame, layer, head)]);
    for (let layer = 0; layer < layers; ++layer)
      for (let head = 0; head < heads; ++head)
        if (layer !== state.layer || head !== state.head)
          series.push({ name: `${layer}.${head}`, points: line(layer, head), faint: true, width: 1, colour: theme.series[layer % theme.series.length] });
    series.push({ name: headName(), points: line(state.layer, state.head), width: 2.6, colour: theme.accent });
    return { series };
  },
};

/** One sentence about a head at the frame. */
function roleText(layer, head) {
  const self = roles.at("self", state.frame, layer, head), distance = roles.at("distance", state.frame, layer, head), entropy = roles.at("entropy", state.frame, layer, head);
  return say(`Itself ${percent(self)}, ${distance.toFixed(1)} back on average, spread ${percent(entropy)}.`,
    `看自己 ${percent(self)}，平均回看 ${distance.toFixed(1)} 个字，分散程度 ${percent(entropy)}。`);
}

function startHeads() {
  new Chart("self", 190, () => say("looks at itself", "看自己"), () => roles.series("self"));
  new Chart("distance", 190, () => say("how far back, characters", "平均回看几个字"), () => roles.series("distance"));
  new Chart("entropy", 190, () => say("spread (entropy; 1 = even)", "分散程度（熵；1 为均匀）"), () => roles.series("entropy"));
}
