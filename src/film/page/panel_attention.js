"use strict";
// All heads small, one head large, and one character's row as weights over the sentence.

const attention = {
  /** Weights of a head at the frame, minus those of step 0 where changes are asked for. */
  map(layer, head) {
    const map = film.map(state.sentence, state.frame, layer, head);
    if (!state.changeOnly) return map;
    const first = film.map(state.sentence, 0, layer, head);
    return map.map((weight, i) => weight - first[i]);
  },
  colour(weight) {
    return state.changeOnly ? theme.change(weight) : theme.share(weight);
  },
  paint(pen, x, y, side, layer, head) {
    const T = film.length(state.sentence), map = this.map(layer, head);
    pen.matrix(x, y, side, side, T, T, (i) => (i % T > Math.floor(i / T) ? null : this.colour(map[i])));
    return map;
  },

  // ---- the grid of all heads

  grid(width) {
    const { layers, heads } = film.model, left = 34, top = 20, gap = 5;
    const side = Math.max(14, Math.min(150, (width - left - gap * heads) / heads));
    return { left, top, gap, side, height: top + layers * (side + gap) };
  },
  drawGrid(pen) {
    const { layers, heads } = film.model, { left, top, gap, side } = this.grid(pen.width);
    for (let head = 0; head < heads; ++head)
      pen.text(say(`head ${head}`, `头 ${head}`), left + head * (side + gap) + side / 2, 9, { align: "center", size: 11, fill: theme.muted });
    for (let layer = 0; layer < layers; ++layer) {
      const y = top + layer * (side + gap);
      pen.text(say(`b ${layer}`, `块${layer}`), left - 6, y + side / 2, { align: "right", size: 11, fill: theme.muted });
      for (let head = 0; head < heads; ++head) {
        const x = left + head * (side + gap), chosen = layer === state.layer && head === state.head;
        pen.rect(x, y, side, side, { fill: theme.paper });
        this.paint(pen, x, y, side, layer, head);
        pen.rect(x, y, side, side, { stroke: chosen ? theme.accent : theme.line, width: chosen ? 2.5 : 1 });
      }
    }
  },
  headAt(x, y, width) {
    const { layers, heads } = film.model, { left, top, gap, side } = this.grid(width);
    const head = Math.floor((x - left) / (side + gap)), layer = Math.floor((y - top) / (side + gap));
    return head >= 0 && head < heads && layer >= 0 && layer < layers ? { layer, head } : undefined;
  },

  // ---- one head large

  large(width) {
    const T = film.length(state.sentence), left = 52, top = 52, cell = Math.min((width - left - 8) / T, 58);
    return { T, left, top, cell, height: top + T * cell + 8 };
  },
  drawLarge(pen) {
    const { T, left, top, cell } = this.large(pen.width), names = film.characters(state.sentence), side = T * cell;
    pen.rect(left, top, side, side, { fill: theme.paper });
    const map = this.paint(pen, left, top, side, state.layer, state.head);
    const every = Math.ceil(11 / cell), size = Math.min(18, Math.max(9, cell * 0.55));
    for (let t = 0; t < T; t += every) {
      const asks = t === query(), middle = (t + 0.5) * cell;
      pen.text(names[t], left - 8, top + middle, { align: "right", size, weight: asks ? 700 : 400, fill: asks ? theme.accent : theme.ink });
      pen.text(names[t], left + middle, top - 12, { align: "center", size, fill: state.keys.has(t) ? theme.real : theme.ink });
    }
    pen.text(say("looked at (key) →", "被看的字 (key) →"), left, 12, { size: 12, fill: theme.muted });
    pen.text(say("asks (query) ↓", "提问的字 (query) ↓"), 10, top, { size: 12, fill: theme.muted, turn: Math.PI / 2 });
    if (cell >= 30) this.drawNumbers(pen, map, left, top, cell, T);
    pen.rect(left, top + query() * cell, side, cell, { stroke: theme.accent, width: 2 });
    for (const s of state.keys) pen.rect(left + s * cell, top, cell, side, { stroke: theme.real, width: 1.5 });
    pen.rect(left, top, side, side, { stroke: theme.line });
  },
  drawNumbers(pen, map, left, top, cell, T) {
    for (let t = 0; t < T; ++t)
      for (let s = 0; s <= t; ++s) {
        const weight = map[t * T + s], label = state.changeOnly ? `${weight < 0 ? "−" : "+"}${Math.abs(100 * weight).toFixed(0)}` : (100 * weight).toFixed(0);
        pen.text(label, left + (s + 0.5) * cell, top + (t + 0.5) * cell, { align: "center", size: 11, fill: theme.inkOn(this.colour(weight)) });
      }
  },
  cellAt(x, y, width) {
    const { T, left, top, cell } = this.large(width), s = Math.floor((x - left) / cell), t = Math.floor((y - top) / cell);
    return { t: t >= 0 && t < T ? t : -1, s: s >= 0 && s < T ? s : -1 };
  },
  tipAt(x, y, width) {
    const { t, s } = this.cellAt(x, y, width), names = film.characters(state.sentence), T = names.length;
    if (t < 0 || s < 0) return "";
    if (s > t) return say(`${names[t]} cannot see ${names[s]}: it comes later`, `${names[t]} 看不到 ${names[s]}：它在后面`);
    const now = film.map(state.sentence, state.frame, state.layer, state.head)[t * T + s];
    const first = film.map(state.sentence, 0, state.layer, state.head)[t * T + s];
    return `${names[t]} → ${names[s]}   ${now.toFixed(4)}\n${say("at step 0", "第 0 步")} ${first.toFixed(4)}`;
  },

  table() {
    const names = film.characters(state.sentence), T = names.length, rows = [];
    const map = film.map(state.sentence, state.frame, state.layer, state.head), first = film.map(state.sentence, 0, state.layer, state.head);
    for (let t = 0; t < T; ++t) for (let s = 0; s <= t; ++s) rows.push([state.layer, state.head, t, s, names[t], names[s], map[t * T + s], first[t * T + s]]);
    return { columns: ["layer", "head", "query", "key", "query_token", "key_token", "weight", "weight_at_step_0"], rows };
  },
  tableOfAll() {
    const names = film.characters(state.sentence), T = names.length, rows = [];
    for (let layer = 0; layer < film.model.layers; ++layer)
      for (let head = 0; head < film.model.heads; ++head) {
        const map = film.map(state.sentence, state.frame, layer, head);
        for (let t = 0; t < T; ++t) for (let s = 0; s <= t; ++s) rows.push([layer, head, t, s, names[t], names[s], map[t * T + s]]);
      }
    return { columns: ["layer", "head", "query", "key", "query_token", "key_token", "weight"], rows };
  },
};

const headName = (layer = state.layer, head = state.head) => say(`block ${layer}, head ${head}`, `第 ${layer} 块，头 ${head}`);

function startAttention() {
  let grid, large;
  grid = new Figure("heads", {
    title: () => `${say("all heads", "所有的头")} · ${kStep(film.steps[state.frame])}${state.changeOnly ? say(" · change since step 0", " · 与第 0 步之差") : ""}`,
    height: (width) => attention.grid(width).height,
    draw: (pen) => attention.drawGrid(pen),
    at: (x, y) => {
      const found = attention.headAt(x, y, grid.size().width);
      return found ? `${headName(found.layer, found.head)}\n${roleText(found.layer, found.head)}` : "";
    },
    click: (x, y) => changed(attention.headAt(x, y, grid.size().width)),
    key: ({ key }) => key === "Enter" && (moveHead(1), true),
    table: () => attention.tableOfAll(),
  });
  large = new Figure("head", {
    title: () => `${headName()} · ${kStep(film.steps[state.frame])}`,
    height: (width) => attention.large(width).height,
    draw: (pen) => attention.drawLarge(pen),
    at: (x, y) => attention.tipAt(x, y, large.size().width),
    click: (x, y, event) => {
      const { t, s } = attention.cellAt(x, y, large.size().width);
      if (event.shiftKey ? s >= 0 : t < 0 && s >= 0) toggleKey(s);
      else if (t >= 0) changed({ query: t });
    },
    key: ({ key }) => (key === "ArrowUp" ? (moveQuery(-1), true) : key === "ArrowDown" ? (moveQuery(1), true) : false),
    table: () => attention.table(),
  });
  panels.push(drawChoices, drawSentence);
}

function drawChoices() {
  const probes = document.getElementById("probe-choices"), more = document.getElementById("attention-choices");
  probes.replaceChildren();
  more.replaceChildren();
  const sentences = film.sentences.map((_, sentence) => [sentence, film.characters(sentence).join("")]);
  chooseFrom(probes, say("sentence", "句子"), sentences, state.sentence, (sentence) => changed({ sentence, query: -1, position: -1, keys: new Set() }));
  chooseFrom(more, say("show", "显示"), [[false, say("weights", "权重")], [true, say("change since step 0", "与第 0 步之差")]], state.changeOnly, (changeOnly) => changed({ changeOnly }));
}

function toggleKey(s) {
  const keys = new Set(state.keys);
  if (!keys.delete(s)) keys.add(s);
  changed({ keys });
}

/** The sentence as buttons, each as dark as the asking character looks at it. */
function drawSentence() {
  const place = document.getElementById("sentence"), names = film.characters(state.sentence), T = names.length, t = query();
  const map = film.map(state.sentence, state.frame, state.layer, state.head);
  while (place.children.length > T) place.lastChild.remove();
  while (place.children.length < T) place.append(sentenceButton(place.children.length));
  names.forEach((name, s) => {
    const button = place.children[s], weight = s > t ? 0 : map[t * T + s], colour = theme.share(weight);
    button.firstChild.textContent = name;
    button.lastChild.textContent = s > t ? "·" : weight.toFixed(weight < 0.0995 ? 3 : 2);
    button.dataset.weight = s > t ? "" : weight.toFixed(6);
    button.style.background = s > t ? "transparent" : css(colour);
    button.style.color = s > t ? theme.muted : theme.inkOn(colour);
    button.classList.toggle("asks", s === t);
    button.classList.toggle("chosen", state.keys.has(s));
  });
  document.getElementById("row-reading").textContent = rowReading(map, names, t);
}

function sentenceButton(s) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(document.createTextNode(""), document.createElement("small"));
  button.addEventListener("click", (event) => (event.shiftKey ? toggleKey(s) : changed({ query: s })));
  button.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && changed({ hover: s }));
  button.addEventListener("pointerleave", () => state.hover >= 0 && changed({ hover: -1 }));
  button.addEventListener("contextmenu", (event) => {  // a long press on a touch screen
    event.preventDefault();
    toggleKey(s);
  });
  return button;
}

function rowReading(map, names, t) {
  const T = names.length, order = [...Array(t + 1).keys()].sort((a, b) => map[t * T + b] - map[t * T + a]).slice(0, 4);
  const looks = order.map((s) => `${quote(names[s])} ${percent(map[t * T + s])}`).join(say(", ", "，"));
  let text = say(`${headName()}: ${quote(names[t])} (position ${t}) looks at ${looks}.`, `${headName()}：${quote(names[t])}（位置 ${t}）看${looks}。`);
  text += ` ${roleText(state.layer, state.head)}`;
  if (!state.keys.size) return text;
  const keys = [...state.keys].sort((a, b) => a - b), word = keys.map((s) => names[s]).join("");
  const together = (row) => keys.reduce((sum, s) => sum + (s <= row ? map[row * T + s] : 0), 0);
  const best = [...Array(T).keys()].filter((row) => row >= keys[0] && !keys.includes(row)).sort((a, b) => together(b) - together(a)).slice(0, 3);
  const others = best.map((row) => `${quote(names[row])} ${percent(together(row))}`).join(say(", ", "，"));
  return text + say(` ${quote(word)} together gets ${percent(together(t))} of it; most from ${others || "–"}.`,
    ` ${quote(word)}合起来得到它的 ${percent(together(t))}；给得最多的是 ${others || "–"}。`);
}
