// What kind of head it is, over the steps: how much it looks at itself, how far back, how spread.

const roles = {
    kept: new Map(),  // sentence -> {self, distance, entropy} of every frame, layer and head

    of(sentence) {
        if (!this.kept.has(sentence)) this.kept.set(sentence, this.measure(sentence));
        return this.kept.get(sentence);
    },
    measure(sentence) {
        const T = film.length(sentence);
        const map = new Float32Array(T * T);
        const found = {self: [], distance: [], entropy: []};
        for (let frame = 0; frame < film.count; ++frame)
            for (const [layer, head] of film.heads) {
                film.map(sentence, frame, layer, head, map);
                let [self, distance, spread] = [0, 0, 0];
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
                found.self.push(self / T);
                found.distance.push(distance / T);
                found.entropy.push(T > 1 ? spread / (T - 1) : 0);
            }
        return found;
    },
    at(what, frame, layer, head) {
        const {layers, heads} = film.model;
        return this.of(state.sentence)[what][(frame * layers + layer) * heads + head];
    },
    series(what) {
        const points = (layer, head) =>
            film.overSteps((frame) => this.at(what, frame, layer, head));
        const others = film.heads.filter(([l, h]) => l !== state.layer || h !== state.head);
        const series = others.map(([layer, head]) => {
            const colour = theme.series[layer % theme.series.length];
            const name = `${layer}.${head}`;
            return {name, points: points(layer, head), faint: true, width: 1, colour};
        });
        const style = {width: 2.6, colour: theme.accent};
        series.push({name: headName(), points: points(state.layer, state.head), ...style});
        return {series};
    },
};

/** One sentence about a head at the frame. */
function roleText(layer, head) {
    const at = (what) => roles.at(what, state.frame, layer, head);
    const [self, spread] = [percent(at("self")), percent(at("entropy"))];
    const distance = at("distance").toFixed(1);
    return say(`Itself ${self}, ${distance} back on average, spread ${spread}.`,
        `看自己 ${self}，平均回看 ${distance} 个字，分散程度 ${spread}。`);
}

function startHeads() {
    const titles = {
        self: () => say("looks at itself", "看自己"),
        distance: () => say("how far back, characters", "平均回看几个字"),
        entropy: () => say("spread (entropy; 1 = even)", "分散程度（熵；1 为均匀）"),
    };
    for (const [what, title] of Object.entries(titles))
        new Chart(what, 190, title, () => roles.series(what));
}
