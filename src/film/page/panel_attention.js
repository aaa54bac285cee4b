// All heads small, block 0 at the bottom, as in the model's picture.

/** The frame that is compared with: the pinned one, or the first. */
export const comparedFrame = () => state.pinned >= 0 ? state.pinned : 0;
export const changeName = () => {
    const step = stepName(film.steps[comparedFrame()]);
    return say(`change since ${step}`, `与${step}之差`);
};

export const attention = {
    /** Weights of a head at a frame, minus those of the frame compared with where that is asked. */
    map(layer, head, frame = state.frame) {
        const map = film.map(state.sentence, frame, layer, head);
        if (!state.changeOnly) return map;
        const first = film.map(state.sentence, comparedFrame(), layer, head);
        for (let i = 0; i < map.length; ++i) map[i] -= first[i];
        return map;
    },
    colour: (weight) => state.changeOnly ? theme.change(weight) : theme.share(weight),
    paint(pen, x, y, side, map, colour) {
        const T = film.length(state.sentence);
        const colours = new Uint32Array(T * T);  // nothing above the diagonal
        for (let t = 0; t < T; ++t)
            for (let i = t * T; i <= t * T + t; ++i) colours[i] = colour(map[i]);
        pen.matrix(x, y, side, side, T, T, (i) => colours[i]);
    },
    /** Where the heads' squares lie. */
    grid(width) {
        const {layers, heads} = film.model;
        const [left, top, gap] = [34, 20, 5];
        const side = Math.max(14, Math.min(130, (width - left - gap * heads) / heads));
        const row = (layer) => layers - 1 - layer;
        return {left, top, gap, side, row, cell: side + gap, height: top + layers * (side + gap)};
    },
    columns: ["layer", "head", "query", "key", "query_token", "key_token", "weight"],
    /** Of a table: what a head gives a pair of positions, and gave it at other frames. */
    row(layer, head, t, s, ...frames) {
        const names = film.characters(state.sentence);
        const weights = [state.frame, ...frames].map((frame) => film.weight(state.sentence, frame, layer, head, t, s));
        return s <= t && [layer, head, t, s, names[t], names[s], ...weights];
    },
};

// ---- the grid of all heads

export const headGrid = {
    title() {
        const change = state.changeOnly ? ` · ${changeName()}` : "";
        return `${say("all heads", "所有的头")} · ${film.shown()}${change}`;
    },
    height: (width) => attention.grid(width).height,
    columns: attention.columns,
    draw(pen) {
        const {left, top, side, cell, row} = attention.grid(pen.width);
        for (const [layer, head] of film.heads) {
            const [x, y] = [left + head * cell, top + row(layer) * cell];
            const chosen = layer === state.layer && head === state.head;
            if (layer === 0) pen.note(say(`head ${head}`, `头 ${head}`), x + side / 2, 9, "center");
            if (head === 0) pen.note(say(`b ${layer}`, `层${layer}`), left - 6, y + side / 2, "right");
            pen.rect(x, y, side, side, {fill: theme.paper});
            attention.paint(pen, x, y, side, attention.map(layer, head), attention.colour);
            pen.frame(x, y, side, side, chosen, 2.5);
            const T = film.length(state.sentence);
            pen.touch(x, y, cell, cell, {
                rows: T,
                columns: T,
                row: ({row: t, column: s}) => attention.row(layer, head, t, s),
                tip: () => `${headName(layer, head)}\n${roleText(layer, head)}`,
                click: () => changed({layer, head}),
            });
        }
    },
    down(by) {
        const {layers} = film.model;
        changed({layer: (state.layer + layers - by) % layers});
    },
    right: moveHead,
};

export function startAttention() {
    new Figure("heads", headGrid);
    new Figure("head", largeHead);
    new Figure("strip", attentionStrip);
    chooseIn("group-choices", state, "grouping");
    panels.push(drawChoices, whenSeen("attention", drawSentence));
}

export function drawChoices() {
    const sentences = film.sentences.map((_, i) => [i, film.characters(i).join("")]);
    const first = stepName(film.steps[0]);
    const shown =
        [["weights", say("weights", "权重")], ["change", changeName()], ["beside", say(`beside ${first}`, `与${first}并排`)]];
    const now = state.changeOnly ? "change" : state.pinned === 0 ? "beside" : "weights";
    const pick = (how) => {
        const pinned = how === "beside" ? 0 : state.pinned === 0 ? -1 : state.pinned;
        changed({changeOnly: how === "change", pinned});
    };
    chooseFrom(byId("sentence-choices"), say("sentence", "句子"), sentences, state.sentence, chooseSentence);
    chooseFrom(byId("attention-choices"), say("show", "显示"), shown, now, pick);
}
