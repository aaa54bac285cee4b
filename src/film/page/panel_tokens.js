"use strict";
// One character: its neighbours now and then, its way, its gradient's two parts, its components.

const chosenPlace = () => film.placeOfToken.get(state.token);

function overFrames(part) {
  return film.steps.map((step, frame) => [step, film.of(part, frame, chosenPlace())]);
}

function chooseToken(text) {
  const token = film.watched.find((t) => film.name(t) === text.trim() || film.names[t] === text.trim());
  if (token !== undefined) changed({ token });
}

function drawTokenChoices() {
  const place = document.getElementById("token-choices");
  if (!place.children.length) {
    const search = document.createElement("input");
    search.type = "search";
    search.setAttribute("list", "watched-list");
    search.addEventListener("input", () => chooseToken(search.value));
    const list = document.createElement("datalist");
    list.id = "watched-list";
    for (const token of film.watched) list.append(new Option(film.name(token)));
    place.append(search, list, document.createElement("span"));
    place.lastChild.className = "choices";
  }
  place.firstChild.placeholder = say("a character", "输入一个字");
  place.firstChild.setAttribute("aria-label", say("a character", "输入一个字"));
  const chips = place.lastChild, tokens = [...new Set(film.sentences.flat())].filter((token) => film.placeOfToken.has(token));
  if (!tokens.includes(state.token)) tokens.unshift(state.token);
  chips.replaceChildren();
  chooseFrom(chips, "", tokens.slice(0, 40).map((token) => [token, film.name(token)]), state.token, (token) => changed({ token }));
}

function drawNeighbours() {
  const name = film.name(state.token), list = document.getElementById("neighbours");
  document.getElementById("neighbour-title").textContent = say(`Nearest to ${name}`, `离 ${name} 最近的字`);
  list.replaceChildren();
  for (const { token, cosine } of film.neighbours(state.frame, chosenPlace())) {
    const row = document.createElement("li"), character = document.createElement("b"), bar = document.createElement("i"), number = document.createElement("span");
    character.textContent = film.name(token);
    character.addEventListener("click", () => chooseToken(film.name(token)));
    bar.style.width = `${100 * Math.max(0, cosine)}%`;
    number.textContent = cosine.toFixed(3);
    row.append(character, bar, number);
    list.append(row);
  }
  document.getElementById("token-reading").textContent = tokenText(chosenPlace());
}

/** About a dozen frames of the character's neighbours, the present one among them. */
function drawTimeline() {
  document.getElementById("timeline-title").textContent = say(`Nearest to ${film.name(state.token)}, step by step`, `${film.name(state.token)} 的近邻，一步步看`);
  const table = document.getElementById("timeline"), every = Math.max(1, Math.ceil(film.count / 14)), rows = [];
  const frames = [...film.steps.keys()].filter((frame) => (film.count - 1 - frame) % every === 0 || frame === 0 || frame === state.frame);
  for (const frame of frames) {
    const row = document.createElement("tr"), step = document.createElement("th");
    step.textContent = kStep(film.steps[frame]);
    step.scope = "row";
    row.append(step);
    row.classList.toggle("now", frame === state.frame);
    for (const { token, cosine } of film.neighbours(frame, chosenPlace())) {
      const cell = document.createElement("td"), small = document.createElement("small");
      small.textContent = ` ${cosine.toFixed(2)}`;
      cell.append(film.name(token), small);
      row.append(cell);
    }
    row.addEventListener("click", () => show(frame));
    rows.push(row);
  }
  table.replaceChildren(...rows);
}

const components = {
  left: 46,
  draw(pen) {
    const C = film.model.channels, place = chosenPlace(), wide = pen.width - this.left - 8, tall = pen.height - 26;
    if (!film.componentRow.has(place)) {
      pen.text(say("the report keeps components of the probes' characters only", "报告只保留探针句中各字的分量"), pen.width / 2, pen.height / 2, { align: "center", fill: theme.muted });
      return;
    }
    const columns = film.steps.map((_, frame) => film.embedding(frame, place));
    const largest = Math.max(1e-9, ...columns.at(-1).map(Math.abs));
    pen.matrix(this.left, 4, wide, tall, C, film.count, (i) => theme.signed(columns[i % film.count][Math.floor(i / film.count)] / largest));
    const x = this.left + ((state.frame + 0.5) * wide) / film.count;
    pen.line([[x, 4], [x, tall + 4]], { stroke: theme.accent, width: 1.5 });
    for (const c of [0, Math.floor(C / 2), C - 1]) pen.text(`E[${c}]`, this.left - 5, 4 + ((c + 0.5) * tall) / C, { align: "right", size: 10.5, fill: theme.muted });
    [0, 0.25, 0.5, 0.75, 1].forEach((share) => {
      const frame = Math.round(share * (film.count - 1));
      pen.text(grouped(film.steps[frame]), this.left + ((frame + 0.5) * wide) / film.count, tall + 14, { align: "center", size: 10.5, fill: theme.muted });
    });
  },
  frameAt(x, width) {
    return Math.min(film.count - 1, Math.max(0, Math.floor(((x - this.left) / (width - this.left - 8)) * film.count)));
  },
  at(x, y, { width, height }) {
    const frame = this.frameAt(x, width), c = Math.floor(((y - 4) / (height - 26)) * film.model.channels), E = film.embedding(frame, chosenPlace());
    return E && x >= this.left && c >= 0 && c < E.length ? `${kStep(film.steps[frame])}\nE[${film.name(state.token)}][${c}] = ${E[c].toFixed(4)}` : "";
  },
  table() {
    const C = film.model.channels, rows = film.componentRow.has(chosenPlace()) ? film.steps.map((step, frame) => [step, ...film.embedding(frame, chosenPlace())]) : [];
    return { columns: ["step", ...Array.from({ length: C }, (_, c) => `E${c}`)], rows };
  },
};

function startTokens() {
  if (film.sentences.length && !film.placeOfToken.has(state.token)) state.token = film.watched[0];
  new Chart("way", 200, () => say("how far the embedding is", "词向量走了多远"), () => ({
    series: [{ name: say("from its start", "离起点"), points: overFrames("from_start") }, { name: say("since the last frame", "离上一帧"), points: overFrames("from_last") }], from: 0,
  }));
  new Chart("met", 200, () => say("times read, a step", "每步被读到几次"), () => ({
    series: [{ points: film.steps.map((step, frame) => [step, frame ? film.of("met", frame, chosenPlace()) / (step - film.steps[frame - 1]) : NaN]) }], from: 0,
  }));
  new Chart("parts", 200, () => say("where its gradient comes from", "它的梯度从哪里来"), () => ({
    series: [{ name: say("being read (lookup)", "被读到（查表）"), points: overFrames("lookup") }, { name: say("being guessed (tied head)", "被猜测（输出头）"), points: overFrames("head") }], log: true,
  }));
  const heat = new Figure("components", {
    title: () => say(`E[${film.name(state.token)}]: each of its components (rows) over the frames (columns)`, `E[${film.name(state.token)}]：每个分量（行）随帧（列）的变化`),
    height: () => 230,
    draw: (pen) => components.draw(pen),
    at: (x, y) => components.at(x, y, heat.size()),
    click: (x) => show(components.frameAt(x, heat.size().width)),
    table: () => components.table(),
  });
  panels.push(drawTokenChoices, drawNeighbours, drawTimeline);
}
