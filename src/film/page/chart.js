"use strict";
// Lines over the steps of training.

const kSpace = { left: 54, right: 14, top: 12, bottom: 30 };

/** Round numbers between two ends: about `count` of them. */
function ticks(from, to, count = 5) {
  const span = to - from;
  if (!(span > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(span / count)), part = span / count / power;
  const step = power * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1), found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * span; ++i) found.push(i * step);
  return found;
}

/** Step axis: even, or by the logarithm of step + 1, which shows the beginning large. */
class StepAxis {
  constructor(last) {
    this.last = Math.max(last, 1);
  }
  /** 0 at step 0, 1 at the last. */
  share(step) {
    return state.logSteps ? Math.log1p(step) / Math.log1p(this.last) : step / this.last;
  }
  step(share) {
    return state.logSteps ? Math.expm1(share * Math.log1p(this.last)) : share * this.last;
  }
  ticks(width) {
    if (!state.logSteps) return ticks(0, this.last, width < 420 ? 3 : 6);
    const found = [0, 1];
    for (let power = 10; power <= this.last; power *= 10) found.push(power);
    if (this.last > 1.6 * found.at(-1)) found.push(this.last);
    return found;
  }
}

class Chart {
  /**
   * what(): { series: [{name, points: [[step, y]], colour?, width?, dash?, faint?}], levels?: [{y, name}],
   *           log?: y axis by its logarithm, from?: lowest y, to?: highest y, unit?: text }
   */
  constructor(id, height, title, what, more = {}) {
    this.make = what;
    this.figure = new Figure(id, {
      title,
      height: (width) => (typeof height === "function" ? height(width) : height),
      draw: (pen) => this.draw(pen),
      at: (x, y) => this.at(x, y),
      click: (x) => showStep(this.axis.step((x - kSpace.left) / this.inner)),
      table: () => this.table(),
      ...more,
    });
  }

  lowestAndHighest() {
    const { series, levels = [], log } = this.now, all = [];
    for (const { points } of series) for (const [, y] of points) if (Number.isFinite(y) && (!log || y > 0)) all.push(y);
    for (const { y } of levels) all.push(y);
    let lowest = this.now.from ?? Math.min(...all), highest = this.now.to ?? Math.max(...all);
    if (!all.length) [lowest, highest] = [log ? 0.1 : 0, 1];
    if (log) return [Math.log10(lowest), Math.log10(highest > lowest ? highest : 2 * lowest)];
    if (highest <= lowest) highest = lowest + 1;
    const air = 0.05 * (highest - lowest);
    return [this.now.from ?? lowest - air, this.now.to ?? highest + air];
  }

  draw(pen) {
    this.now = this.make();
    this.axis = new StepAxis(this.now.last ?? lastStep());
    const [low, high] = this.lowestAndHighest(), { log } = this.now, names = this.placeNames(pen);
    const top = kSpace.top + (names.length ? names.at(-1).row * 17 + 18 : 0);
    this.inner = pen.width - kSpace.left - kSpace.right;
    const bottom = pen.height - kSpace.bottom, tall = bottom - top;
    this.x = (step) => kSpace.left + this.inner * this.axis.share(step);
    this.y = (y) => bottom - tall * (((log ? Math.log10(Math.max(y, 10 ** low)) : y) - low) / (high - low));
    this.drawAxes(pen, low, high, bottom);
    this.drawLevels(pen);
    for (const [index, line] of this.now.series.entries()) this.drawLine(pen, line, index);
    const now = this.x(film.steps[state.frame]);
    pen.line([[now, top], [now, bottom]], { stroke: theme.accent, width: 1.5 });
    this.drawNames(pen, names);
  }
  drawAxes(pen, low, high, bottom) {
    const yTicks = this.now.log ? this.powers(low, high) : ticks(low, high, pen.height < 180 ? 3 : 5);
    for (const y of yTicks) {
      const at = this.y(y);
      pen.line([[kSpace.left, at], [pen.width - kSpace.right, at]], { stroke: theme.line });
      pen.text(short(y, 3).replace(/\.?0+$/, "") || "0", kSpace.left - 7, at, { align: "right", fill: theme.muted, size: 11 });
    }
    let free = -1e9;
    for (const step of this.axis.ticks(pen.width)) {
      const at = this.x(step), label = grouped(step), half = pen.widthOf(label, 11) / 2;
      if (at - half < free) continue;
      free = at + half + 8;
      pen.text(label, Math.min(at, pen.width - half - 2), bottom + 11, { align: "center", fill: theme.muted, size: 11 });
    }
    pen.text(say("step", "步"), pen.width - kSpace.right, bottom + 24, { align: "right", fill: theme.muted, size: 11 });
    if (this.now.unit) pen.text(this.now.unit, 8, bottom + 24, { fill: theme.muted, size: 11 });
  }
  powers(low, high) {
    const found = [];
    for (let p = Math.ceil(low - 1e-9); p <= high + 1e-9; ++p) found.push(10 ** p);
    return found.length > 1 ? found : ticks(10 ** low, 10 ** high, 4);
  }
  drawLevels(pen) {
    for (const { y, name } of this.now.levels ?? []) {
      const at = this.y(y);
      pen.line([[kSpace.left, at], [pen.width - kSpace.right, at]], { stroke: theme.muted, dash: [2, 4] });
      pen.text(name, pen.width - kSpace.right - 4, at - 8, { align: "right", fill: theme.muted, size: 11 });
    }
  }
  colourOf(line, index) {
    return line.colour ?? theme.series[index % theme.series.length];
  }
  drawLine(pen, line, index) {
    const points = line.points.filter(([, y]) => Number.isFinite(y) && (!this.now.log || y > 0));
    const style = { stroke: this.colourOf(line, index), width: line.width ?? 2, dash: line.dash, opacity: line.faint ? 0.28 : 1 };
    pen.line(points.map(([step, y]) => [this.x(step), this.y(y)]), style);
    if (points.length < 15 && !line.faint)
      for (const [step, y] of points) pen.circle(this.x(step), this.y(y), 2.2, { fill: style.stroke });
  }
  /** Names in their lines' colours, in rows above the picture. */
  placeNames(pen) {
    const named = [...this.now.series.entries()].filter(([, line]) => line.name && !line.faint), placed = [];
    if (named.length < 2 && !this.now.alwaysNames) return placed;
    let x = kSpace.left, row = 0;
    for (const [index, line] of named) {
      const width = 22 + pen.widthOf(line.name) + 14;
      if (x + width > pen.width && x > kSpace.left) (x = kSpace.left), ++row;
      placed.push({ line, index, x, row });
      x += width;
    }
    return placed;
  }
  drawNames(pen, names) {
    for (const { line, index, x, row } of names) {
      const y = kSpace.top - 2 + 17 * row;
      pen.line([[x, y], [x + 16, y]], { stroke: this.colourOf(line, index), width: line.width ?? 2, dash: line.dash });
      pen.text(line.name, x + 22, y, { fill: theme.ink });
    }
  }

  at(x) {
    if (!this.now || x < kSpace.left - 5) return "";
    const share = Math.min(1, Math.max(0, (x - kSpace.left) / this.inner)), step = this.axis.step(share), lines = [];
    let shown;
    for (const { name, points, faint } of this.now.series) {
      if (!points.length || faint) continue;
      let best = points[0];
      for (const point of points) if (Math.abs(this.axis.share(point[0]) - share) <= Math.abs(this.axis.share(best[0]) - share)) best = point;
      if (Math.abs(this.axis.share(best[0]) - share) > 0.25) continue;
      shown ??= best[0];
      lines.push(`${name ? `${name}  ` : ""}${short(best[1], 4)}${this.now.also ? this.now.also(best[1]) : ""}`);
    }
    return lines.length ? `${kStep(shown ?? Math.round(step))}\n${lines.join("\n")}` : "";
  }
  table() {
    const { series } = this.make(), steps = new Set();
    for (const { points } of series) for (const [step] of points) steps.add(step);
    const maps = series.map(({ points }) => new Map(points));
    const rows = [...steps].sort((a, b) => a - b).map((step) => [step, ...maps.map((map) => map.get(step) ?? "")]);
    return { columns: ["step", ...series.map(({ name }, i) => name || `series ${i}`)], rows };
  }
}
