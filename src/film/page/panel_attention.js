// All heads small, one head large, and one character's row as weights over the sentence.

const attention = {
    /** Weights of a head at the frame, minus those of step 0 where changes are asked for. */
    map(layer, head) {
        const map = film.map(state.sentence, state.frame, layer, head);
        if (!state.changeOnly) return map;
        const first = film.map(state.sentence, 0, layer, head);
        return map.map((weight, i) => weight - first[i]);
    },
    colour(weight) { return state.changeOnly ? theme.change(weight) : theme.share(weight); },
    paint(pen, x, y, side, map, colour) {
        const T = film.length(state.sentence);
        const cell = (i) => i % T > Math.floor(i / T) ? null : colour(map[i]);
        pen.matrix(x, y, side, side, T, T, cell);
    },
    /** Where the cells of a square picture lie, and which of them is at a point (-1: none). */
    grid(width) {
        const {layers, heads} = film.model;
        const [left, top, gap] = [34, 20, 5];
        const side = Math.max(14, Math.min(150, (width - left - gap * heads) / heads));
        return {left, top, gap, side, cell: side + gap, height: top + layers * (side + gap)};
    },
    large(width) {
        const T = film.length(state.sentence);
        const [left, top] = [52, 52];
        const cell = Math.min((width - left - 8) / T, 58);
        return {T, left, top, cell, height: top + T * cell + 8};
    },
    cellAt({left, top, cell}, x, y, rows, columns) {
        const within = (i, count) => i >= 0 && i < count ? i : -1;
        const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
        return [within(row, rows), within(column, columns)];
    },
    /** Rows of a table: what these heads give each pair of positions. */
    weights(heads, more = () => []) {
        const names = film.characters(state.sentence);
        const T = names.length;
        const rows = [];
        for (const [layer, head] of heads) {
            const map = film.map(state.sentence, state.frame, layer, head);
            for (let t = 0; t < T; ++t)
                for (let s = 0; s <= t; ++s) {
                    const i = t * T + s;
                    rows.push([layer, head, t, s, names[t], names[s], map[i], ...more(i)]);
                }
        }
        const columns = ["layer", "head", "query", "key", "query_token", "key_token", "weight"];
        return {columns, rows};
    },
};

// ---- the grid of all heads

const headGrid = {
    title() {
        const change = state.changeOnly ? say(" · change since step 0", " · 与第 0 步之差") : "";
        return `${say("all heads", "所有的头")} · ${film.now()}${change}`;
    },
    height: (width) => attention.grid(width).height,
    draw(pen) {
        const {left, top, side, cell} = attention.grid(pen.width);
        for (const [layer, head] of film.heads) {
            const [x, y] = [left + head * cell, top + layer * cell];
            const chosen = layer === state.layer && head === state.head;
            if (layer === 0) pen.note(say(`head ${head}`, `头 ${head}`), x + side / 2, 9, "center");
            if (head === 0)
                pen.note(say(`b ${layer}`, `层${layer}`), left - 6, y + side / 2, "right");
            pen.rect(x, y, side, side, {fill: theme.paper});
            attention.paint(pen, x, y, side, attention.map(layer, head), attention.colour);
            pen.frame(x, y, side, side, chosen, 2.5);
        }
    },
    headAt(x, y, width) {
        const {layers, heads} = film.model;
        const [layer, head] = attention.cellAt(attention.grid(width), x, y, layers, heads);
        return layer >= 0 && head >= 0 ? {layer, head} : undefined;
    },
    at(x, y, {width}) {
        const found = this.headAt(x, y, width);
        if (!found) return "";
        return `${headName(found.layer, found.head)}\n${roleText(found.layer, found.head)}`;
    },
    click(x, y, {width}) { changed(this.headAt(x, y, width)); },
    key: ({key}) => key === "Enter" && (moveHead(1), true),
    table: () => attention.weights(film.heads),
};

// ---- one head large

const largeHead = {
    title: () => `${headName()} · ${film.now()}`,
    height: (width) => attention.large(width).height,
    draw(pen) {
        const {T, left, top, cell} = attention.large(pen.width);
        const names = film.characters(state.sentence);
        const side = T * cell;
        pen.rect(left, top, side, side, {fill: theme.paper});
        const map = attention.map(state.layer, state.head);
        attention.paint(pen, left, top, side, map, attention.colour);
        const size = Math.min(18, Math.max(9, cell * 0.55));
        for (let t = 0; t < T; t += Math.ceil(11 / cell)) {
            const middle = (t + 0.5) * cell;
            const row = t === query() ? {weight: 700, fill: theme.accent} : {};
            const column = state.keys.has(t) ? {fill: theme.real} : {};
            const above = {align: "center", size, ...column};
            pen.name(names[t], left - 28, left - 8, top + middle, {align: "right", size, ...row});
            pen.name(names[t], cell - 3, left + middle, top - 12, above);
        }
        const down = {fill: theme.muted, turn: Math.PI / 2};
        pen.note(say("key (looked at) →", "键 Key（被看的字）→"), left, 12, "left", 12);
        pen.text(say("query (looks) ↓", "查询 Query（在看的字）↓"), 10, top, down);
        if (cell >= 30) this.drawNumbers(pen, map, left, top, cell, T);
        pen.rect(left, top + query() * cell, side, cell, {stroke: theme.accent, width: 2});
        for (const s of state.keys)
            pen.rect(left + s * cell, top, cell, side, {stroke: theme.real, width: 1.5});
        pen.rect(left, top, side, side, {stroke: theme.line});
    },
    drawNumbers(pen, map, left, top, cell, T) {
        const sign = (weight) => state.changeOnly ? (weight < 0 ? "−" : "+") : "";
        for (let t = 0; t < T; ++t)
            for (let s = 0; s <= t; ++s) {
                const weight = map[t * T + s];
                const label = sign(weight) + Math.abs(100 * weight).toFixed(0);
                const fill = theme.inkOn(attention.colour(weight));
                const [x, y] = [left + (s + 0.5) * cell, top + (t + 0.5) * cell];
                pen.text(label, x, y, {align: "center", size: 11, fill});
            }
    },
    cellAt(x, y, width) {
        const large = attention.large(width);
        return attention.cellAt(large, x, y, large.T, large.T);
    },
    at(x, y, {width}) {
        const [t, s] = this.cellAt(x, y, width);
        const names = film.characters(state.sentence);
        if (t < 0 || s < 0) return "";
        if (s > t)
            return say(`${names[t]} cannot see ${names[s]}: it comes later`,
                `${names[t]} 看不到 ${names[s]}：它在后面`);
        const at = (frame) =>
            film.map(state.sentence, frame, state.layer, state.head)[t * names.length + s];
        return `${names[t]} → ${names[s]}   ${at(state.frame).toFixed(4)}\n` +
            `${stepName(0)} ${at(0).toFixed(4)}`;
    },
    click(x, y, {width}, event) {
        const [t, s] = this.cellAt(x, y, width);
        if (event.shiftKey ? s >= 0 : t < 0 && s >= 0)
            toggleKey(s);
        else if (t >= 0)
            changed({query: t});
    },
    key({key}) {
        const by = {ArrowUp: -1, ArrowDown: 1}[key];
        if (by) moveQuery(by);
        return by;
    },
    table() {
        const first = film.map(state.sentence, 0, state.layer, state.head);
        const {columns, rows} = attention.weights([[state.layer, state.head]], (i) => [first[i]]);
        return {columns: [...columns, "weight_at_step_0"], rows};
    },
};

function startAttention() {
    new Figure("heads", headGrid);
    new Figure("head", largeHead);
    panels.push(drawChoices, drawSentence);
}

function drawChoices() {
    const sentences = film.sentences.map((_, i) => [i, film.characters(i).join("")]);
    const shown = [
        [false, say("weights", "权重")],
        [true, say("change since step 0", "与第 0 步之差")],
    ];
    chooseFrom(byId("sentence-choices"), say("sentence", "句子"), sentences, state.sentence,
        chooseSentence);
    chooseFrom(byId("attention-choices"), say("show", "显示"), shown, state.changeOnly,
        (changeOnly) => changed({changeOnly}));
}

function toggleKey(s) {
    const keys = new Set(state.keys);
    if (!keys.delete(s)) keys.add(s);
    changed({keys});
}

/** The sentence as buttons, each as dark as the character of the query looks at it. */
function drawSentence() {
    const place = byId("sentence");
    const names = film.characters(state.sentence);
    const [T, t] = [names.length, query()];
    const map = film.map(state.sentence, state.frame, state.layer, state.head);
    while (place.children.length > T) place.lastChild.remove();
    while (place.children.length < T) place.append(sentenceButton(place.children.length));
    names.forEach((name, s) => {
        const button = place.children[s];
        const later = s > t;
        const weight = later ? 0 : map[t * T + s];
        const colour = theme.share(weight);
        button.firstChild.textContent = name;
        button.lastChild.textContent = later ? "·" : weight.toFixed(weight < 0.0995 ? 3 : 2);
        button.dataset.weight = later ? "" : weight.toFixed(6);
        button.style.background = later ? "transparent" : css(colour);
        button.style.color = later ? theme.muted : theme.inkOn(colour);
        button.classList.toggle("asks", s === t);
        button.classList.toggle("chosen", state.keys.has(s));
    });
    byId("row-reading").textContent = rowReading(map, names, t);
}

function sentenceButton(s) {
    const small = element("small");
    const button = element("button", {type: "button"}, document.createTextNode(""), small);
    button.onclick = (event) => event.shiftKey ? toggleKey(s) : changed({query: s});
    button.onpointerenter = ({pointerType}) => pointerType === "mouse" && changed({hover: s});
    button.onpointerleave = () => state.hover >= 0 && changed({hover: -1});
    button.oncontextmenu = (event) => {  // a long press on a touch screen
        event.preventDefault();
        toggleKey(s);
    };
    return button;
}

/** The few positions with the largest weights, as words. */
function most(positions, weight, names, count) {
    const order = positions.sort((a, b) => weight(b) - weight(a)).slice(0, count);
    return order.map((s) => `${quote(names[s])} ${percent(weight(s))}`).join(say(", ", "，"));
}

function rowReading(map, names, t) {
    const T = names.length;
    const looks = most([...Array(t + 1).keys()], (s) => map[t * T + s], names, 4);
    const row = say(`${headName()}: ${quote(names[t])} (position ${t}) looks at ${looks}.`,
        `${headName()}：${quote(names[t])}（位置 ${t}）看${looks}。`);
    const text = `${row} ${roleText(state.layer, state.head)}`;
    if (!state.keys.size) return text;
    const keys = [...state.keys].sort((a, b) => a - b);
    const word = quote(keys.map((s) => names[s]).join(""));
    const sum = (row) => keys.reduce((all, s) => all + (s <= row ? map[row * T + s] : 0), 0);
    const later = [...Array(T).keys()].filter((row) => row >= keys[0] && !keys.includes(row));
    const others = most(later, sum, names, 3) || "–";
    return text +
        say(` ${word} together gets ${percent(sum(t))} of it; most from ${others}.`,
            ` ${word}这几个字合起来得到这一行的 ${percent(sum(t))}；看它们最多的是 ${others}。`);
}
