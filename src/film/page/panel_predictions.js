"use strict";
// What may follow each position of the sentence, and how that changed for one of them.

const predictions = {
  columns(width) {
    const T = film.length(state.sentence), wide = 76, across = Math.max(1, Math.min(T, Math.floor(width / wide)));
    return { T, across, wide: Math.min(110, width / across), tall: 148, rows: Math.ceil(T / across) };
  },
  next(t) {
    return film.sentences[state.sentence][t + 1];
  },
  draw(pen) {
    const { T, across, wide, tall } = this.columns(pen.width), names = film.characters(state.sentence);
    for (let t = 0; t < T; ++t) {
      const x = (t % across) * wide, y = Math.floor(t / across) * tall;
      if (t === place()) pen.rect(x + 2, y + 1, wide - 4, tall - 6, { stroke: theme.accent, width: 2, radius: 6 });
      pen.text(names[t], x + wide / 2, y + 17, { align: "center", size: 18, weight: 600 });
      pen.line([[x + 10, y + 31], [x + wide - 10, y + 31]], { stroke: theme.line });
      film.expected(state.sentence, state.frame, t).forEach(({ token, probability }, k) => this.drawOne(pen, x + 8, y + 43 + 20 * k, wide - 16, token, probability, token === this.next(t)));
    }
  },
  drawOne(pen, x, y, w, token, probability, real) {
    const bar = Math.max(1, (w - 26) * probability);
    pen.rect(x + 22, y - 6, w - 24, 12, { fill: theme.line, opacity: 0.45, radius: 2 });
    pen.rect(x + 22, y - 6, bar, 12, { fill: real ? theme.real : theme.accent, opacity: 0.5, radius: 2 });
    pen.text(film.name(token), x + 10, y, { align: "center", size: 14 });
    pen.text(percent(probability), x + w - 4, y, { align: "right", size: 10.5, fill: theme.ink });
    if (real) pen.rect(x - 1, y - 9.5, w + 2, 19, { stroke: theme.real, width: 1.8, radius: 4 });
  },
  positionAt(x, y, width) {
    const { T, across, wide, tall } = this.columns(width), t = Math.floor(y / tall) * across + Math.floor(x / wide);
    return x < across * wide && t < T ? t : -1;
  },
  tipAt(x, y, width) {
    const t = this.positionAt(x, y, width);
    if (t < 0) return "";
    const lines = film.expected(state.sentence, state.frame, t).map(({ token, probability }) => `${film.name(token)}  ${probability.toFixed(4)}`);
    const next = this.next(t), names = film.characters(state.sentence).slice(Math.max(0, t - 7), t + 1).join("");
    return `${names} → ?${next === undefined ? "" : say(`  (really ${film.name(next)})`, `（其实是 ${film.name(next)}）`)}\n${lines.join("\n")}`;
  },
  /** The characters that were ever likeliest at the chosen position, and the real one. */
  series() {
    const t = place(), likelihood = new Map(), next = this.next(t);
    film.steps.forEach((_, frame) => {
      for (const { token, probability } of film.expected(state.sentence, frame, t))
        likelihood.set(token, Math.max(likelihood.get(token) ?? 0, probability));
    });
    const best = [...likelihood.keys()].filter((token) => token !== next).sort((a, b) => likelihood.get(b) - likelihood.get(a)).slice(0, next === undefined ? 6 : 5);
    const line = (token) => film.steps.map((step, frame) => [step, film.expected(state.sentence, frame, t).find((e) => e.token === token)?.probability ?? 0]);
    const series = best.map((token, i) => ({ name: film.name(token), points: line(token), width: 1.6, colour: theme.series[i + (i > 0)] }));
    if (next !== undefined) series.push({ name: say(`${film.name(next)} (really next)`, `${film.name(next)}（真正的下一个）`), points: line(next), width: 3, colour: theme.real });
    return { series, from: 0, alwaysNames: true };
  },
  table() {
    const rows = [], names = film.characters(state.sentence);
    film.steps.forEach((step, frame) => names.forEach((name, t) =>
      film.expected(state.sentence, frame, t).forEach(({ token, probability }, rank) => rows.push([step, t, name, rank + 1, film.name(token), probability]))));
    return { columns: ["step", "position", "token", "rank", "next", "probability"], rows };
  },
};

/** The chosen position, or the one whose real next character became most likely. */
function place() {
  const T = film.length(state.sentence);
  if (state.position >= 0 && state.position < T) return state.position;
  let best = 0, most = 0;
  for (let t = 0; t + 1 < T; ++t) {
    const probability = film.expected(state.sentence, film.count - 1, t).find(({ token }) => token === predictions.next(t))?.probability ?? 0;
    if (probability > most) (most = probability), (best = t);
  }
  return best;
}

function startPredictions() {
  let grid;
  grid = new Figure("predictions", {
    title: () => `${film.characters(state.sentence).join("")} · ${kStep(film.steps[state.frame])}`,
    height: (width) => { const { rows, tall } = predictions.columns(width); return rows * tall; },
    draw: (pen) => predictions.draw(pen),
    at: (x, y) => predictions.tipAt(x, y, grid.size().width),
    click: (x, y) => {
      const t = predictions.positionAt(x, y, grid.size().width);
      if (t >= 0) changed({ position: t });
    },
    table: () => predictions.table(),
  });
  new Chart("position", 230, () => {
    const before = film.characters(state.sentence).slice(0, place() + 1).join("");
    return say(`probability of what follows “${before}” (0: not among the five)`, `“${before}”之后各字的概率（不在前五名时画作 0）`);
  }, () => predictions.series());
}
