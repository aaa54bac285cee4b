// Training changes the table, context changes the copy: one character's vector after each block, in the shown sentence (A) and in
// another one (B), at each snapshot.

export const vectors = {
    typed: "",          // B, where the reader typed one; otherwise one that suits A
    wished: undefined,  // the character, where the reader chose one
    chosen: undefined,  // a token that both have: the wished one, or the rarest
    tokens: new Answer("tokens"),
    answer: new Answer("journeys"),

    /** The tokens of both. */
    both() {
        const ids = film.sentences[state.sentence];
        const {final} = this.tokens.to({text: this.typed || partnerOf(gpt.text(ids))});
        return [ids, (final ?? []).slice(0, film.model.context).map(({token}) => token)];
    },
    /** Tokens that both have; and one of them is chosen. */
    shared() {
        const [a, b] = this.both();
        const shared = [...new Set(a)].filter((token) => b.includes(token));
        const letters = shared.filter((token) => /\p{L}/u.test(film.name(token)));
        const {counts} = film.snapshots;
        const rarest = letters.sort((x, y) => counts[x] - counts[y])[0];
        this.chosen = shared.find((token) => token === this.wished) ?? rarest ?? shared.at(-1);
        return shared;
    },
    /** Of each snapshot: {stages: [{sides, between}], moved}. */
    found() {
        if (!this.shared().length) return [];
        const texts =
            this.both().map((ids) => ({ids: ids.slice(0, ids.lastIndexOf(this.chosen) + 1), t: ids.lastIndexOf(this.chosen)}));
        return this.answer.to({texts}).parts;
    },
};

/** Names of the nearest, but for the character's own. */
const othersNear = ({near}, count) =>
    near.filter(({token}) => token !== vectors.chosen).slice(0, count).map(({token}) => film.name(token));

const vectorGrid = {
    columns: ["step", "block", "text", "length", "cosine_to_E", "cosine_A_B", "cosine_of_row_to_first", "nearest"],
    title() {
        const name = quote(film.name(vectors.chosen));
        if (vectors.chosen === undefined) return say("the two sentences share no character", "两句话没有相同的字");
        return say(`${name} through the blocks (down) and through training (right)`, `${name}：往下经过各层，往右经过训练`);
    },
    /** Stages of a journey; not every model adds a position to the row of E. */
    stages: () => [...Array(film.model.layers + 2).keys()].filter((stage) => film.model.added || stage !== 1),
    layout(width) {
        const [left, top] = [70, 24];
        return {left, top, wide: (width - left - 6) / gpt.steps.length, tall: 42, height: top + 42 * this.stages().length + 8};
    },
    stageName(stage) {
        if (stage === 0) return say("row of E", "E 的这一行");
        return stage === 1 ? say("+ position", "加上位置") : blockName(stage - 2);
    },
    draw(pen) {
        const {left, top, wide, tall} = this.layout(pen.width);
        const rows = this.stages();
        rows.forEach((stage, row) => pen.note(this.stageName(stage), left - 8, top + (row + 0.5) * tall, "right", 11));
        gpt.steps.forEach((step, i) => {
            const words = wide < 150 ? grouped(step) : gpt.name(i);
            pen.note(words, left + (i + 0.5) * wide, 12, "center", 11);
        });
        vectors.found().forEach(({stages, moved}, i) => {
            const x = left + i * wide;
            rows.forEach((stage, row) => {
                const y = top + row * tall;
                this.drawCell(pen, x, y, wide, tall, stages[stage], stage ? undefined : moved[0]);
                const of = ({length, cosine, near}, k) => [gpt.steps[i], stage - 2, "AB"[k], length, cosine,
                    stages[stage].between, moved[k], near.map((n) => film.name(n.token)).join(" ")];
                pen.touch(x, y, wide, tall, {
                    rows: 2,
                    row: ({row}) => of(stages[stage].sides[row], row),
                    tip: () => this.tip(i, stage, stages[stage].sides, moved[0].toFixed(2)),
                    click: () => showStep(gpt.steps[i]),
                });
            });
            const chosen = {stroke: theme.accent, width: 1.5, radius: 4};
            if (i === gpt.at()) pen.rect(x + 1, top, wide - 2, tall * rows.length, chosen);
        });
    },
    /**
     * As dark as the two vectors differ, or as the row of E has moved; the nearest rows of E to each, but the
     * character's own.
     */
    drawCell(pen, x, y, wide, tall, {sides, between}, moved) {
        const cos = moved ?? between;
        const colour = theme.share(((1 - cos) / 2) ** 2);
        pen.rect(x + 2, y + 2, wide - 4, tall - 4, {fill: css(colour), radius: 5});
        const fill = theme.inkOn(colour);
        const count = wide < 90 ? 1 : 2;
        const words = sides.map((side) => othersNear(side, count).join(" "));
        const text = moved === undefined ? words.join(" | ") : words[0];
        pen.name(text, wide - 10, x + wide / 2, y + 16, {align: "center", size: 14, fill});
        const to = moved === undefined ? say("A to B", "A 与 B") : say("to the first", "与初始值");
        const number = wide < 90 ? cos.toFixed(2) : `${to} ${cos.toFixed(2)}`;
        pen.text(number, x + wide / 2, y + 34, {align: "center", size: 10.5, fill});
    },
    tip(i, stage, sides, moved) {
        const line = ({length, cosine, near}, side) => {
            const names = near.map((n) => `${film.name(n.token)} ${n.cosine.toFixed(2)}`);
            const begins =
                say(`length ${short(length)}, cosine to its row of E`, `长度 ${short(length)}，与 E 的这一行的余弦相似度`);
            return `${"AB"[side]}: ${begins} ${cosine.toFixed(2)}\n    ${names.join("  ")}`;
        };
        const trained = stage > 0 ?
            "" :
            say(`\ncosine to its row at ${gpt.stepName(0)}: ${moved}`, `\n与${gpt.stepName(0)}的这一行：余弦相似度 ${moved}`);
        return `${gpt.stepName(i)} · ${this.stageName(stage)}\n` + sides.map(line).join("\n") + trained;
    },
};

/** In words, at the slider's snapshot: what training did, and what context does. */
function readVectors() {
    const now = vectors.found()[gpt.at()];
    if (!now) return fill("vector-reading");
    const name = quote(film.name(vectors.chosen));
    const near = (side) => othersNear(side, 3).map(quote).join("");
    const [row, last] = [now.stages[0].sides[0], now.stages.at(-1)];
    const [a, b] = last.sides.map(near);
    const moved = now.moved[0].toFixed(2);
    fill("vector-reading", {step: gpt.name(), name, moved, row: near(row), cos: last.between.toFixed(2), a, b});
}

function drawVectors() {
    const choices = vectors.shared().map((token) => [token, film.name(token)]);
    const pick = (wished) => changed((vectors.wished = wished, {}));
    chooseFrom(byId("vector-choices"), say("character", "看哪个字"), choices, vectors.chosen, pick);
    const text = gpt.text(film.sentences[state.sentence]);
    setText(byId("vector-first"), text);
    byId("vector-text").placeholder = partnerOf(text);
    readVectors();
}

const partners = new Map();  // by text

/**
 * Of the film's sentences and the rules' probes the one that shares the rarest letter between other neighbours: it stands
 * in another word there.
 */
function partnerOf(text) {
    if (partners.has(text)) return partners.get(text);
    const {names, counts} = film.snapshots;
    const sentences = film.sentences.slice(0, own.number).map((ids) => gpt.text(ids));
    const others = [...sentences, ...(film.rules?.list ?? []).flatMap(({example}) => example?.text ?? [])];
    const beside = (text, c) => [text[text.lastIndexOf(c) - 1], text[text.lastIndexOf(c) + 1]];
    const rarest = (other) => {
        const shared = other === text ? [] : [...text].filter((c) => /\p{L}/u.test(c) && other.includes(c));
        const parted = shared.filter((c) => beside(text, c).every((name, i) => name !== beside(other, c)[i]));
        return Math.min(...parted.map((c) => counts[names.indexOf(c)] || Infinity));
    };
    const best = others.reduce((a, b) => rarest(b) < rarest(a) ? b : a, text);
    partners.set(text, best);
    return best;
}

export function startVectors() {
    new Figure("vectors", vectorGrid);
    whenTyped(byId("vector-text"), (typed) => changed((vectors.typed = typed.trim(), {})));
    panels.push(whenSeen("context", drawVectors));
}
