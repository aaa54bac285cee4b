// One head large; beside it the same head at the pinned frame, where there is one.

/** Its weights over the chosen sentence, with the characters before the rows and above the columns. */
export function drawHead(pen, left, top, cell, map, colour) {
    const names = film.characters(state.sentence);
    const side = names.length * cell;
    pen.rect(left, top, side, side, {fill: theme.paper});
    attention.paint(pen, left, top, side, map, colour);
    pen.rect(left, top, side, side, {stroke: theme.line});
    const size = Math.min(18, Math.max(9, cell * 0.55));
    for (let t = 0; t < names.length; t += Math.ceil(11 / cell)) {
        const middle = (t + 0.5) * cell;
        const row = t === query() ? {weight: 700, fill: theme.accent} : {};
        const column = state.keys.has(t) ? {fill: theme.real} : {};
        pen.name(names[t], 34, left - 8, top + middle, {align: "right", size, ...row});
        pen.name(names[t], cell - 3, left + middle, top - 12, {align: "center", size, ...column});
    }
}

export const largeHead = {
    title() {
        const two = state.pinned >= 0 && !state.changeOnly;
        const beside =
            two ? say(` beside ${stepName(film.steps[state.pinned])}`, ` 与${stepName(film.steps[state.pinned])}并排`) : "";
        const change = state.changeOnly ? ` · ${changeName()}` : "";
        return `${headName()} · ${film.shown()}${beside}${change}`;
    },
    /** The squares: {frame, left, top}, each of T × T cells. */
    layout(width) {
        const T = film.length(state.sentence);
        const [left, top] = [52, 52];
        const two = state.pinned >= 0 && state.pinned !== state.frame && !state.changeOnly;
        const aside = two && width / 2 - left > 9 * T;
        const tallest = Math.min(330, innerHeight / zoom() - 130);  // on a stage, too, all of it is seen
        const cell = Math.min(((aside ? width / 2 : width) - left - 8) / T, tallest / T, 58);
        const side = T * cell;
        const first = {frame: state.frame, left, top};
        const second = {frame: state.pinned};
        Object.assign(second, aside ? {left: left + width / 2, top} : {left, top: 2 * top + side});
        const squares = two ? [first, second] : [first];
        return {T, cell, side, squares, left, top, height: squares.at(-1).top + side + 8};
    },
    columns: [...attention.columns, "weight_at_step_0"],
    draw(pen) {
        const {T, cell, side, squares} = this.layout(pen.width);
        for (const square of squares) this.drawSquare(pen, square, T, cell, side, squares.length > 1);
    },
    drawSquare(pen, {frame, left, top}, T, cell, side, named) {
        const names = film.characters(state.sentence);
        const map = attention.map(state.layer, state.head, frame);
        drawHead(pen, left, top, cell, map, attention.colour);
        const down = {fill: theme.muted, turn: Math.PI / 2};
        const heading = named ? stepName(film.steps[frame]) : say("key (looked at) →", "键 Key（被看的字）→");
        pen.note(heading, left, top - 40, "left", 12);
        pen.text(say("query (looks) ↓", "查询 Query（在看的字）↓"), left - 42, top, down);
        if (cell >= 30) this.drawNumbers(pen, map, left, top, cell, T);
        if (guess.hides("row")) this.cover(pen, left, top + query() * cell, side, cell);
        pen.rect(left, top + query() * cell, side, cell, {stroke: theme.accent, width: 2});
        for (const s of state.keys) pen.rect(left + s * cell, top, cell, side, {stroke: theme.real, width: 1.5});
        const row = ({row}) => choosePosition(row);
        const key = ({column}) => toggleKey(column);
        pen.touch(0, top, left, side, {rows: T, click: row});
        pen.touch(left, top - 24, side, 24, {columns: T, click: key});
        pen.touch(left, top, side, side, {
            rows: T,
            columns: T,
            row: ({row: t, column: s}) => frame === state.frame && attention.row(state.layer, state.head, t, s, 0),
            tip: ({row, column}) => this.tip(names, row, column, frame),
            click: (at) => {
                if (at.event.shiftKey) return key(at);
                row(at);
                if (at.column <= at.row) cellShown.open(at.row, at.column);
            },
        });
    },
    cover(pen, x, y, w, h) {
        pen.rect(x, y, w, h, {fill: theme.raised});
        pen.text("?", x + w / 2, y + h / 2, {align: "center", size: Math.min(18, 0.8 * h), weight: 700});
    },
    tip(names, t, s, frame) {
        if (t === query() && guess.hides("row")) return "?";
        if (s > t) return say(`${names[t]} cannot see ${names[s]}: it comes later`, `${names[t]} 看不到 ${names[s]}：它在后面`);
        const at = (frame) => film.weight(state.sentence, frame, state.layer, state.head, t, s);
        const other = comparedFrame();
        return `${names[t]} → ${names[s]}   ${at(frame).toFixed(4)}\n${stepName(film.steps[other])} ${at(other).toFixed(4)}`;
    },
    down: moveQuery,
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
};
