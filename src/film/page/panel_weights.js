"use strict";
// Which matrices move, how much, and when; and those of one block themselves.

const weights = {
  left: 62, top: 24,

  /** Rows of the tables: the blocks, and below them what stands outside. */
  rows() {
    const rows = [];
    for (let block = film.model.layers - 1; block >= 0; --block) rows.push({ label: say(`block ${block}`, `块 ${block}`), names: kMatrices.map((matrix) => nameOf(block, matrix)) });
    const outside = ["embedding.token", "embedding.position", "head.W"].filter((name) => film.rowOfParameter.has(name));
    rows.push({ label: say("outside", "块外"), names: outside });
    return rows;
  },
  cell(pen) {
    const rows = this.rows();
    return { wide: (pen.width - this.left - 6) / 6, tall: (pen.height - this.top - 4) / rows.length, rows };
  },
  value(part, frame, name) {
    const row = film.rowOfParameter.get(name), number = film.parameter(part === "ratio" ? "ratio" : "from_start", frame, row);
    return part === "ratio" ? number : number / (film.parameter("norm", frame, row) || 1);
  },
  /** Ratios by their logarithm from 10⁻⁵ to 10⁻¹, distances as they are. */
  colour(part, value) {
    return theme.way(part === "ratio" ? Math.max(0, (Math.log10(Math.max(value, 1e-5)) + 5) / 4) : value);
  },
  draw(pen, part) {
    const { wide, tall, rows } = this.cell(pen);
    kMatrices.forEach((matrix, i) => pen.text(matrix, this.left + (i + 0.5) * wide, 12, { align: "center", fill: theme.muted }));
    rows.forEach(({ label, names }, r) => {
      const y = this.top + r * tall;
      pen.text(label, this.left - 8, y + tall / 2, { align: "right", fill: theme.muted });
      names.forEach((name, i) => {
        const value = this.value(part, state.frame, name), fill = this.colour(part, value), x = this.left + i * wide;
        const outside = r === rows.length - 1, chosen = name === chosenParameter();
        pen.rect(x + 1, y + 1, wide - 2, tall - 2, { fill: css(fill), stroke: chosen ? theme.accent : undefined, width: 3, radius: 3 });
        const number = part === "ratio" ? (value === 0 ? "0" : value.toExponential(1).replace("e-", "e−")) : percent(value);
        const label2 = outside ? `${{ "embedding.token": "E", "embedding.position": "P", "head.W": "W" }[name]} ${number}` : number;
        pen.text(label2, x + wide / 2, y + tall / 2, { align: "center", size: wide < 56 ? 9.5 : 12, fill: theme.inkOn(fill) });
      });
    });
  },
  nameAt(x, y, size) {
    const { wide, tall, rows } = this.cell(size), r = Math.floor((y - this.top) / tall), i = Math.floor((x - this.left) / wide);
    return rows[r]?.names[i];
  },
  tip(name) {
    if (!name) return "";
    const row = film.rowOfParameter.get(name), number = (part) => short(film.parameter(part, state.frame, row), 4);
    return `${partName(name)} ${film.parameters[row].shape}\n‖Δw‖ / ‖w‖ = ${number("ratio")}\n‖w − w₀‖ = ${number("from_start")},  ‖w‖ = ${number("norm")}\n${say("gradient", "梯度")} ${number("gradient")}`;
  },
  choose(name) {
    if (!name) return;
    const matrix = film.matrices.list.findIndex((m) => m.name === name);
    changed(matrix < 0 ? { parameter: name } : { parameter: name, matrix });
  },
  table() {
    const rows = [];
    film.steps.forEach((step, frame) => film.parameters.forEach(({ name }, row) =>
      rows.push([step, name, ...["norm", "from_start", "ratio", "gradient"].map((part) => film.parameter(part, frame, row))])));
    return { columns: ["step", "parameter", "norm", "from_start", "update_to_weight", "gradient_norm"], rows };
  },
};

const chosenParameter = () => (film.rowOfParameter.has(state.parameter) ? state.parameter : nameOf(film.recordedBlock, "W_Q"));

function startWeightTable(id, part, title) {
  const figure = new Figure(id, {
    title,
    height: () => weights.top + 4 + 34 * weights.rows().length,
    draw: (pen) => weights.draw(pen, part),
    at: (x, y) => weights.tip(weights.nameAt(x, y, figure.size())),
    click: (x, y) => weights.choose(weights.nameAt(x, y, figure.size())),
    table: () => weights.table(),
  });
}

// A matrix of the recorded block, and beside it what training changed in it.
const matrixPicture = {
  left: 30, top: 22,
  there: () => film.matrices.list.length > 0,
  index: () => Math.min(state.matrix, film.matrices.list.length - 1),
  now() {
    return film.matrices.list[this.index()];
  },
  moment: () => film.matrixMoment(state.frame),
  /** Two boxes: side by side where that fits, otherwise one below the other. */
  boxes(width) {
    const { rows, columns } = this.now(), beside = width > 520 && columns <= 2 * rows;
    const room = (beside ? width / 2 : width) - this.left - 10, wide = Math.min(room, (600 * columns) / rows), tall = (wide * rows) / columns;
    const second = beside ? [width / 2 + this.left, this.top] : [this.left, 2 * this.top + tall + 10];
    return [{ x: this.left, y: this.top, wide, tall }, { x: second[0], y: second[1], wide, tall }];
  },
  height(width) {
    if (!this.there()) return 60;
    const last = this.boxes(width)[1];
    return last.y + last.tall + 8;
  },
  draw(pen) {
    if (!this.there()) {
      pen.text(say("the byte budget left no room for matrices (history_budget)", "字节预算没有给矩阵留下位置（history_budget）"), pen.width / 2, 30, { align: "center", fill: theme.muted });
      return;
    }
    const { rows, columns } = this.now();
    this.boxes(pen.width).forEach(({ x, y, wide, tall }, changeOnly) => {
      const W = film.matrix(this.index(), this.moment(), changeOnly === 1), largest = this.largest(changeOnly === 1);
      pen.matrix(x, y, wide, tall, rows, columns, (i) => theme.signed(W[i] / largest));
      pen.rect(x, y, wide, tall, { stroke: theme.line });
      const what = changeOnly ? say("change since step 0", "与第 0 步之差") : say("itself", "矩阵本身");
      pen.text(`${what}   ${say("out", "输出")} ${columns} →`, x, y - 11, { size: 11, fill: theme.muted });
      pen.text(`${say("in", "输入")} ${rows} →`, x - 12, y, { size: 11, fill: theme.muted, turn: Math.PI / 2 });
      pen.text(`±${short(largest, 2)}`, x + wide, y - 11, { size: 11, fill: theme.muted, align: "right" });
    });
  },
  /** One scale for all moments, so that a frame can be compared with the next. */
  largest(changeOnly) {
    const key = `${this.index()} ${changeOnly}`;
    this.kept ??= new Map();
    if (!this.kept.has(key)) {
      let largest = 1e-9;
      for (const x of film.matrix(this.index(), film.matrices.frames.length - 1, changeOnly)) largest = Math.max(largest, Math.abs(x));
      this.kept.set(key, largest);
    }
    return this.kept.get(key);
  },
  at(x, y, width) {
    if (!this.there()) return "";
    const { rows, columns, name } = this.now(), part = name.split(".").at(-1);
    for (const box of this.boxes(width)) {
      const i = Math.floor(((y - box.y) / box.tall) * rows), j = Math.floor(((x - box.x) / box.wide) * columns), at = i * columns + j;
      if (i < 0 || j < 0 || i >= rows || j >= columns) continue;
      const number = (changeOnly) => film.matrix(this.index(), this.moment(), changeOnly)[at].toFixed(4);
      return `${part}[${i}, ${j}] = ${number(false)}\n${say("since step 0", "自第 0 步起")} ${number(true)}`;
    }
    return "";
  },
  table() {
    if (!this.there()) return { columns: [], rows: [] };
    const { rows, columns } = this.now(), W = film.matrix(this.index(), this.moment(), false), all = [];
    for (let i = 0; i < rows; ++i) all.push([i, ...W.subarray(i * columns, (i + 1) * columns)]);
    return { columns: ["in", ...Array.from({ length: columns }, (_, j) => `out${j}`)], rows: all };
  },
};

function startWeights() {
  startWeightTable("ratios", "ratio", () => say("‖Δw‖ / ‖w‖ of this step", "这一步的 ‖Δw‖ / ‖w‖"));
  startWeightTable("distances", "distance", () => say("‖w − w₀‖ / ‖w‖: the way from the start", "‖w − w₀‖ / ‖w‖：离起点多远"));
  new Chart("parameter", 220, () => partName(chosenParameter()), () => {
    const row = film.rowOfParameter.get(chosenParameter()), over = (of) => film.steps.map((step, frame) => [step, of(frame)]), part = (name) => over((frame) => film.parameter(name, frame, row));
    return { series: [
      { name: say("update / weights", "更新 / 权重"), points: part("ratio"), width: 2.4 },
      { name: say("way from the start / weights", "离起点 / 权重"), points: over((frame) => weights.value("distance", frame, chosenParameter())) },
      { name: say("gradient", "梯度"), points: part("gradient") },
    ], log: true };
  });
  const figure = new Figure("matrix", {
    title: () => (matrixPicture.there() ? `${partName(matrixPicture.now().name)} · ${kStep(film.steps[film.matrices.frames[matrixPicture.moment()]])}` : ""),
    height: (width) => matrixPicture.height(width),
    draw: (pen) => matrixPicture.draw(pen),
    at: (x, y) => matrixPicture.at(x, y, figure.size().width),
    table: () => matrixPicture.table(),
  });
  panels.push(() => {
    const place = document.getElementById("matrix-choices");
    place.replaceChildren();
    if (!matrixPicture.there()) return;
    const names = film.matrices.list.map(({ name }, index) => [index, name.split(".").at(-1)]);
    chooseFrom(place, say(`block ${film.recordedBlock}`, `第 ${film.recordedBlock} 块`), names, matrixPicture.index(), (matrix) => changed({ matrix, parameter: film.matrices.list[matrix].name }));
  });
}
