"use strict";
// The model's own picture, from its configuration: the whole as a tower on the left, one block in detail beside it.
// A box is as strongly coloured as its weights have moved away from where they began.

const modelParts = {
  spots: [],  // {x, y, w, h, go, tip}: what the pointer finds

  /** ‖w - w₀‖ / ‖w‖ of a parameter at the frame; undefined where the model has none of that name. */
  moved(name) {
    const row = film.rowOfParameter.get(name);
    if (row === undefined) return undefined;
    return film.parameter("from_start", state.frame, row) / (film.parameter("norm", state.frame, row) || 1);
  },
  goTo(section, changes = {}) {
    return () => {
      changed(changes);
      document.getElementById(section).scrollIntoView();
    };
  },

  box(pen, x, y, w, h, label, { name, go, tip, size = 12 } = {}) {
    const moved = name && this.moved(name), fill = moved === undefined ? null : theme.way(moved);
    pen.rect(x, y, w, h, { fill: fill ? css(fill) : theme.paper, stroke: theme.muted, width: 0.8, radius: 5 });
    if (label) pen.text(label, x + w / 2, y + h / 2, { align: "center", size, fill: fill ? theme.inkOn(fill) : theme.ink });
    const row = film.rowOfParameter.get(name);
    const told = row === undefined ? tip : `${partName(name)} ${film.parameters[row].shape}\n${say("from its start", "离起点")} ${percent(moved)}${tip ? `\n${tip}` : ""}`;
    this.spots.push({ x, y, w, h, go: go ?? (name && this.goTo("weights", { parameter: name })), tip: told });
  },

  draw(pen) {
    this.spots = [];
    const wide = pen.width >= 720, tower = wide ? 300 : pen.width;
    this.drawTower(pen, 0, 0, tower, wide ? pen.height : 330);
    this.drawBlock(pen, wide ? tower + 30 : 4, wide ? 0 : 340, pen.width - (wide ? tower + 34 : 8), wide ? pen.height : pen.height - 340);
  },

  drawTower(pen, x, y, w, h) {
    const { layers, channels: C, vocabulary: V, context, tied } = film.model;
    const middle = x + w / 2, wide = Math.min(w - 20, 250), left = middle - wide / 2, gap = 9;
    const shown = Math.min(layers, 8), rows = 5 + shown + (shown < layers ? 0.5 : 0), tall = (h - 20 - gap * (rows + 1)) / rows;
    let at = y + h - 12 - tall;
    pen.line([[middle, y + 14], [middle, y + h - 14]], { stroke: theme.muted, width: 1.2 });
    const up = () => (at -= tall + gap);
    this.box(pen, left, at, wide, tall, say(`characters  [B, T ≤ ${context}]`, `字  [B, T ≤ ${context}]`), { go: this.goTo("attention") });
    up();
    this.box(pen, left, at, wide * 0.62, tall, `E  [${V}, ${C}]`, { name: "embedding.token", go: this.goTo("embeddings") });
    this.box(pen, left + wide * 0.64, at, wide * 0.36, tall, "+ P", { name: "embedding.position", tip: film.model.position });
    for (let l = 0; l < shown; ++l) up(), this.drawBlockRow(pen, l, left, at, wide, tall);
    if (shown < layers) (at -= tall * 0.5 + gap / 2), pen.text(`… ${layers}`, middle + 10, at + tall * 0.25, { fill: theme.muted });
    up();
    this.box(pen, left, at, wide, tall, "LayerNorm", { name: "final_norm.gamma" });
    up();
    this.box(pen, left, at, wide, tall, tied ? `· Eᵀ  [${C}, ${V}]` : `· W  [${C}, ${V}]`,
      { name: tied ? "embedding.token" : "head.W", tip: tied ? say("the same matrix as E below", "与下面的 E 是同一个矩阵") : "", go: this.goTo(tied ? "embeddings" : "weights") });
    up();
    this.box(pen, left, at, wide, tall, say("softmax: the next character", "softmax：下一个字"), { go: this.goTo("predictions") });
  },
  drawBlockRow(pen, l, x, y, w, h) {
    const chosen = l === state.layer, label = 58, part = (w - label - 3) / 6;
    pen.rect(x, y, w, h, { fill: theme.paper, stroke: chosen ? theme.accent : theme.muted, width: chosen ? 2 : 0.8, radius: 5 });
    pen.text(say(`block ${l}`, `块 ${l}`), x + 8, y + h / 2, { size: 12 });
    kMatrices.forEach((matrix, i) => this.box(pen, x + label + i * part, y + 3, part - 3, h - 6, "", { name: nameOf(l, matrix) }));
    this.spots.push({ x, y, w: label, h, go: () => changed({ layer: l }), tip: say(`block ${l}: click to see it beside`, `第 ${l} 块：点击看它的细节`) });
  },

  drawBlock(pen, x, y, w, h) {
    const { heads: H, channels: C, ffn: F } = film.model, D = C / H, l = state.layer, trunk = x + 16, name = (part) => `block.${l}.${part}`;
    pen.text(say(`Block ${l}`, `第 ${l} 块`), x + 40, y + 14, { weight: 600, size: 14 });
    pen.line([[trunk, y + h - 2], [trunk, y + 8]], { stroke: theme.ink, width: 2 });
    pen.line([[trunk - 5, y + 15], [trunk, y + 7], [trunk + 5, y + 15]], { stroke: theme.ink, width: 2 });
    pen.text("x  [B, T, C]", trunk + 10, y + h - 10, { size: 11, fill: theme.muted });
    const left = trunk + 34, inner = x + w - left - 6, tall = Math.min(46, h * 0.12);
    const ffn = y + h * 0.25, attention = y + h * 0.68;
    const branch = (middle, top) => {  // from the trunk, through the boxes, and back to it above them
      const from = middle + tall * 0.95;
      pen.line([[trunk, from], [left - 12, from], [left - 12, middle], [left + inner, middle], [left + inner, top], [trunk, top]], { stroke: theme.muted, width: 1.3 });
      pen.circle(trunk, top, 9, { fill: theme.raised, stroke: theme.ink, width: 1.5 });
      pen.text("+", trunk, top, { align: "center", size: 15 });
      this.spots.push({ x: trunk - 10, y: top - 10, w: 20, h: 20, tip: say("what the branch found is added to the trunk", "支路的结果加回主干") });
    };
    // attention
    const small = inner < 420, size = small ? 10.5 : 12, a = (share) => left + inner * share;
    branch(attention, attention - h * 0.2);
    this.box(pen, a(0), attention - tall / 2, inner * 0.13, tall, small ? "LN" : "LayerNorm", { name: name("norm_1.gamma"), size });
    kMatrices.slice(0, 3).forEach((matrix, i) =>
      this.box(pen, a(0.17), attention + (i - 1.5) * (tall * 0.86) + 2, inner * 0.17, tall * 0.78, small ? matrix : `${matrix} [${C}, ${C}]`, { name: nameOf(l, matrix), size }));
    const wide = inner * 0.37;
    this.drawHeads(pen, a(0.39), attention - h * 0.125, wide, h * 0.25);
    pen.text(`[B, T, ${C}] → [B, ${H}, T, ${D}]`, a(0.39) + wide / 2, attention + h * 0.15 + 2, { size: 11, fill: theme.muted, align: "center" });
    pen.text(say("attention of the H heads, joined again", "H 个头各看各的，再拼起来"), a(0.39) + wide / 2, attention - h * 0.15, { size: 11, fill: theme.muted, align: "center" });
    this.box(pen, a(0.81), attention - tall / 2, inner * 0.17, tall, small ? "W_O" : `W_O [${C}, ${C}]`, { name: name("attention.W_O"), size });
    // feed-forward
    branch(ffn, ffn - h * 0.12);
    this.box(pen, a(0), ffn - tall / 2, inner * 0.13, tall, small ? "LN" : "LayerNorm", { name: name("norm_2.gamma"), size });
    this.box(pen, a(0.17), ffn - tall * 0.65, inner * 0.26, tall * 1.3, small ? "W_1" : `W_1 [${C}, ${F}]`, { name: name("ffn.W_1"), size });
    this.box(pen, a(0.5), ffn - tall / 2, inner * 0.13, tall, "GELU", { size, tip: `[B, T, ${F}]` });
    this.box(pen, a(0.7), ffn - tall * 0.65, inner * 0.26, tall * 1.3, small ? "W_2" : `W_2 [${F}, ${C}]`, { name: name("ffn.W_2"), size });
  },
  drawHeads(pen, x, y, w, h) {
    const { heads: H } = film.model, T = film.sentences.length ? film.length(state.sentence) : 1;
    const columns = Math.ceil(Math.sqrt((H * w) / h)), rows = Math.ceil(H / columns);
    const side = Math.min(w / columns, h / rows) - 6, from = x + (w - columns * (side + 6)) / 2 + 3, top = y + (h - rows * (side + 6)) / 2 + 3;
    for (let head = 0; head < H; ++head) {
      const left = from + (head % columns) * (side + 6), upper = top + Math.floor(head / columns) * (side + 6);
      pen.rect(left, upper, side, side, { fill: theme.raised });
      if (film.sentences.length) {
        const map = film.map(state.sentence, state.frame, state.layer, head);
        pen.matrix(left, upper, side, side, T, T, (i) => (i % T > Math.floor(i / T) ? null : theme.share(map[i])));
      }
      const chosen = head === state.head;
      pen.rect(left, upper, side, side, { stroke: chosen ? theme.accent : theme.line, width: chosen ? 2 : 1 });
      this.spots.push({ x: left, y: upper, w: side, h: side, go: this.goTo("attention", { head }), tip: say(`head ${head}`, `头 ${head}`) });
    }
  },

  find(x, y) {
    return [...this.spots].reverse().find((s) => x >= s.x && x <= s.x + s.w && y >= s.y && y <= s.y + s.h);
  },
  table() {
    const rows = film.parameters.map(({ name, shape }, row) =>
      [name, shape, film.parameter("norm", state.frame, row), film.parameter("from_start", state.frame, row)]);
    return { columns: ["parameter", "shape", "norm", "from_start"], rows };
  },
};

const kMatrices = ["W_Q", "W_K", "W_V", "W_O", "W_1", "W_2"];
const nameOf = (block, matrix) => `block.${block}.${kMatrices.indexOf(matrix) < 4 ? "attention" : "ffn"}.${matrix}`;

function startModel() {
  new Figure("model", {
    title: () => {
      const { parameters, layers, heads, channels } = film.model;
      return say(`${grouped(parameters)} weights: L = ${layers} blocks, H = ${heads} heads, C = ${channels}`,
        `${grouped(parameters)} 个权重：L = ${layers} 块，H = ${heads} 头，C = ${channels}`);
    },
    height: (width) => (width >= 720 ? 430 : 720),
    draw: (pen) => modelParts.draw(pen),
    at: (x, y) => modelParts.find(x, y)?.tip ?? "",
    click: (x, y) => modelParts.find(x, y)?.go?.(),
    table: () => modelParts.table(),
  });
}
