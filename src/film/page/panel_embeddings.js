"use strict";
// The map of the watched characters: two fixed directions, so that a point that moves has moved.

const map = {
  bounds() {
    if (this.kept) return this.kept;
    const { numbers } = film.numbers("plane.places");
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < numbers.length; i += 2) {
      left = Math.min(left, numbers[i]), right = Math.max(right, numbers[i]);
      low = Math.min(low, numbers[i + 1]), high = Math.max(high, numbers[i + 1]);
    }
    return (this.kept = { left, low, wide: right - left || 1, tall: high - low || 1 });
  },
  at(pen, frame, place) {
    const { left, low, wide, tall } = this.bounds(), [x, y] = film.place(frame, place), edge = 22;
    return [edge + ((pen.width - 2 * edge) * (x - left)) / wide, pen.height - edge - ((pen.height - 2 * edge) * (y - low)) / tall];
  },
  draw(pen) {
    this.pen = { width: pen.width, height: pen.height };
    const chosen = film.placeOfToken.get(state.token), near = new Set(film.neighbours(state.frame, chosen).map(({ token }) => token));
    const inProbe = new Set(film.sentences.flat());
    this.drawTrails(pen, inProbe);
    film.watched.forEach((token, place) => {
      if (place === chosen) return;
      const [x, y] = this.at(pen, state.frame, place), kin = near.has(token), probe = inProbe.has(token);
      pen.text(film.name(token), x, y, { align: "center", size: kin || probe ? 14 : 12, weight: kin ? 700 : 400, fill: kin ? theme.real : probe ? theme.ink : theme.muted, opacity: kin || probe ? 1 : 0.75 });
    });
    this.drawTrail(pen, chosen, { stroke: theme.accent, width: 2 }, true);
    const [x, y] = this.at(pen, state.frame, chosen);
    pen.circle(x, y, 14, { fill: theme.raised, stroke: theme.accent, width: 2 });
    pen.text(film.name(state.token), x, y, { align: "center", size: 17, weight: 700, fill: theme.accent });
  },
  drawTrails(pen, inProbe) {
    film.watched.forEach((token, place) => {
      if (inProbe.has(token) && token !== state.token) this.drawTrail(pen, place, { stroke: theme.muted, width: 1, opacity: 0.2 });
    });
  },
  /** From the first frame to the present one; `met`: circles where the character was read, larger for more often. */
  drawTrail(pen, place, style, met = false) {
    const points = [];
    for (let frame = 0; frame <= state.frame; ++frame) points.push(this.at(pen, frame, place));
    pen.line(points, style);
    if (!met) return;
    const steps = film.steps;
    points.forEach(([x, y], frame) => {
      const often = film.of("met", frame, place) / Math.max(1, frame ? steps[frame] - steps[frame - 1] : 1);
      if (often > 0) pen.circle(x, y, Math.min(7, 1.5 + 1.2 * Math.sqrt(often)), { fill: theme.accent, opacity: 0.45 });
    });
    pen.circle(...points[0], 4, { fill: theme.raised, stroke: theme.accent, width: 1.5 });
  },
  nearest(x, y) {
    let best = -1, least = 22 ** 2;
    film.watched.forEach((_, place) => {
      const [px, py] = this.at(this.pen, state.frame, place), far = (px - x) ** 2 + (py - y) ** 2;
      if (far < least) (least = far), (best = place);
    });
    return best;
  },
  tip(x, y) {
    const place = this.nearest(x, y);
    return place < 0 ? "" : tokenText(place);
  },
  table() {
    const rows = [];
    film.steps.forEach((step, frame) => film.watched.forEach((token, place) => {
      const [x, y] = film.place(frame, place);
      rows.push([step, film.name(token), x, y, film.of("from_start", frame, place), film.of("from_last", frame, place), film.of("met", frame, place), film.of("lookup", frame, place), film.of("head", frame, place)]);
    }));
    return { columns: ["step", "token", "x", "y", "from_start", "from_last", "met", "gradient_lookup", "gradient_head"], rows };
  },
};

/** What a character went through by the frame, in a few lines. */
function tokenText(place) {
  const frame = state.frame, name = film.name(film.watched[place]);
  const near = film.neighbours(frame, place).slice(0, 4).map(({ token }) => film.name(token)).join(" ");
  const met = film.of("met", frame, place), steps = frame ? film.steps[frame] - film.steps[frame - 1] : 0;
  return say(
    `${name}   ‖E − E₀‖ = ${short(film.of("from_start", frame, place))}, ‖ΔE‖ = ${short(film.of("from_last", frame, place))}\nread ${grouped(met)} times in the last ${steps} steps\nnear it: ${near}`,
    `${name}   ‖E − E₀‖ = ${short(film.of("from_start", frame, place))}，‖ΔE‖ = ${short(film.of("from_last", frame, place))}\n最近 ${steps} 步里被读到 ${grouped(met)} 次\n近邻：${near}`,
  );
}

function startMap() {
  const [first, second] = film.plane.share;
  new Figure("map", {
    title: () => say(`${film.watched.length} characters · ${kStep(film.steps[state.frame])} · the plane holds ${percent(first + second)} of the last frame's variance`,
      `${film.watched.length} 个字 · ${kStep(film.steps[state.frame])} · 这个平面含末帧方差的 ${percent(first + second)}`),
    height: (width) => Math.min(620, Math.max(340, width * 0.72)),
    draw: (pen) => map.draw(pen),
    at: (x, y) => map.tip(x, y),
    click: (x, y) => {
      const place = map.nearest(x, y);
      if (place >= 0) changed({ token: film.watched[place] });
    },
    table: () => map.table(),
  });
}
