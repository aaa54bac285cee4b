// All heads small, block 0 at the bottom; and the chosen one large, beside it the same head at the pinned frame, if there is one.

const kColumns = ["layer", "head", "query", "key", "query_token", "key_token", "weight"];
/** Of a table: what a head gives a pair of positions. */
function weightRow(layer, head, t, s) {
    const names = film.characters(state.sentence);
    return s <= t && [layer, head, t, s, names[t], names[s], film.weight(state.sentence, state.frame, layer, head, t, s)];
}

/** A head's weights as a square; nothing above the diagonal. */
function drawWeights(pen, x, y, side, map) {
    const T = film.length(state.sentence);
    pen.rect(x, y, side, side, {fill: theme.paper});
    pen.matrix(x, y, side, side, T, T, (i) => i % T > i / T ? 0 : theme.share(map[i]));
}

export const headGrid = {
    title: () => `${say("all heads", "所有的头")} · ${film.shown()}`,
    layout(width) {
        const {layers, heads} = film.model;
        const [left, top, gap] = [34, 20, 5];
        const side = Math.max(14, Math.min(130, (width - left - gap * heads) / heads));
        return {left, top, gap, side, height: top + layers * (side + gap)};
    },
    columns: kColumns,
    draw(pen) {
        const {left, top, gap, side} = this.layout(pen.width);
        const T = film.length(state.sentence);
        for (const [layer, head] of film.heads) {
            const [x, y] = [left + head * (side + gap), top + (film.model.layers - 1 - layer) * (side + gap)];
            if (layer === 0) pen.note(say(`head ${head}`, `头 ${head}`), x + side / 2, 9, "center");
            if (head === 0) pen.note(say(`b ${layer}`, `层${layer}`), left - 6, y + side / 2, "right");
            drawWeights(pen, x, y, side, film.map(state.sentence, state.frame, layer, head));
            if (guess.hides("row") && isChosen(layer, head)) largeHead.cover(pen, x, y + query() * side / T, side, side / T);
            pen.frame(x, y, side, side, isChosen(layer, head), 2.5);
            pen.touch(x, y, side + gap, side + gap, {
                rows: T,
                columns: T,
                row: ({row: t, column: s}) => weightRow(layer, head, t, s),
                tip: () => `${headName(layer, head)}\n${roleText(layer, head)}`,
                click: () => changed({layer, head}),
            });
        }
    },
    down: (by) => changed({layer: around(state.layer - by, film.model.layers)}),
    right: moveHead,
};

export const largeHead = {
    title() {
        const pinned = stepName(film.steps[Math.max(0, state.pinned)]);
        const beside = state.pinned < 0 ? "" : say(` beside ${pinned}`, ` 与${pinned}并排`);
        return `${headName()} · ${film.shown()}${beside}`;
    },
    /** The squares: {frame, left, top}, each of T × T cells. */
    layout(width) {
        const T = film.length(state.sentence);
        const [names, top] = [52, 52];  // room before and above it
        const two = state.pinned >= 0 && state.pinned !== state.frame;
        const aside = two && width / 2 - names > 9 * T;
        const tallest = Math.min(330, innerHeight / zoom() - 130);  // on a stage, too, all of it is seen
        const cell = Math.min(((aside ? width / 2 : width) - names - 8) / T, tallest / T, 58);
        const left = names + (two ? 0 : (width - names - 8 - T * cell) / 2);
        const squares = [{frame: state.frame, left, top}];
        if (two)
            squares.push({frame: state.pinned, left: aside ? left + width / 2 : left, top: aside ? top : 2 * top + T * cell});
        return {T, cell, squares, left, top, height: squares.at(-1).top + T * cell + 8};
    },
    columns: kColumns,
    draw(pen) {
        const {T, cell, squares} = this.layout(pen.width);
        for (const square of squares) this.drawSquare(pen, square, T, cell, squares.length > 1);
    },
    drawSquare(pen, {frame, left, top}, T, cell, named) {
        const names = film.characters(state.sentence);
        const map = film.map(state.sentence, frame, state.layer, state.head);
        const side = T * cell;
        drawWeights(pen, left, top, side, map);
        pen.rect(left, top, side, side, {stroke: theme.line});
        this.drawNames(pen, names, left, top, cell);
        const heading = named ? stepName(film.steps[frame]) : say("key (looked at) →", "键 Key（被看的字）→");
        pen.note(heading, left, top - 40, "left", 12);
        pen.text(say("query (looks) ↓", "查询 Query（在看的字）↓"), left - 42, top, {fill: theme.muted, turn: Math.PI / 2});
        if (cell >= 30) this.drawNumbers(pen, map, left, top, cell, T);
        if (guess.hides("row")) this.cover(pen, left, top + query() * cell, side, cell);
        pen.rect(left, top + query() * cell, side, cell, {stroke: theme.accent, width: 2});
        for (const s of state.keys) pen.rect(left + s * cell, top, cell, side, {stroke: theme.real, width: 1.5});
        const key = ({column}) => toggleKey(column);
        pen.touch(0, top, left, side, {rows: T, click: ({row}) => choosePosition(row)});
        pen.touch(left, top - 24, side, 24, {columns: T, click: key});
        pen.touch(left, top, side, side, {
            rows: T,
            columns: T,
            row: ({row: t, column: s}) => frame === state.frame && weightRow(state.layer, state.head, t, s),
            tip: ({row, column}) => this.tip(names, row, column, frame),
            click: (at) => {
                if (at.event.shiftKey) return key(at);
                choosePosition(at.row);
                if (at.column <= at.row) cellShown.open(at.row, at.column);
            },
        });
    },
    /** Before the rows and above the columns. */
    drawNames(pen, names, left, top, cell) {
        const size = Math.min(18, Math.max(9, cell * 0.55));
        for (let t = 0; t < names.length; t += Math.ceil(11 / cell)) {
            const middle = (t + 0.5) * cell;
            const row = t === query() ? {weight: 700, fill: theme.accent} : {};
            const column = state.keys.has(t) ? {fill: theme.real} : {};
            pen.name(names[t], 34, left - 8, top + middle, {align: "right", size, ...row});
            pen.name(names[t], cell - 3, left + middle, top - 12, {align: "center", size, ...column});
        }
    },
    cover(pen, x, y, w, h) {
        pen.rect(x, y, w, h, {fill: theme.raised});
        pen.text("?", x + w / 2, y + h / 2, {align: "center", size: Math.min(18, 0.8 * h), weight: 700});
    },
    tip(names, t, s, frame) {
        if (t === query() && guess.hides("row")) return "?";
        if (s > t) return say(`${names[t]} cannot see ${names[s]}: it comes later`, `${names[t]} 看不到 ${names[s]}：它在后面`);
        const other = Math.max(0, state.pinned);
        const [now, then] = [frame, other].map((at) => film.weight(state.sentence, at, state.layer, state.head, t, s).toFixed(4));
        return `${names[t]} → ${names[s]}   ${now}\n${stepName(film.steps[other])} ${then}`;
    },
    down: moveQuery,
    drawNumbers(pen, map, left, top, cell, T) {
        for (let t = 0; t < T; ++t)
            for (let s = 0; s <= t; ++s) {
                const weight = map[t * T + s];
                const [x, y] = [left + (s + 0.5) * cell, top + (t + 0.5) * cell];
                const fill = theme.inkOn(theme.share(weight));
                pen.text((100 * weight).toFixed(0), x, y, {align: "center", size: 11, fill});
            }
    },
};

function drawChoices() {
    const sentences = film.sentences.map((_, i) => [i, film.characters(i).join("")]);
    chooseFrom(byId("sentence-choices"), say("sentence", "句子"), sentences, state.sentence, chooseSentence);
    const first = stepName(film.steps[0]);
    const shown = [[-1, say("this frame", "这一帧")], [0, say(`beside ${first}`, `与${first}并排`)]];
    chooseFrom(byId("attention-choices"), say("show", "显示"), shown, state.pinned, (pinned) => changed({pinned}));
}

export function startAttention() {
    new Figure("heads", headGrid);
    new Figure("head", largeHead);
    new Figure("strip", attentionStrip);
    chooseIn("group-choices", state, "grouping");
    panels.push(drawChoices, whenSeen("attention", drawSentence));
}
