// Parts of the model switched off: what it predicts with and without them.

const switched = {
    off: [],  // [{block, part: "head", "attention" or "ffn", head}]
    answer: new Answer("switches"),

    is: (a, b) => a.block === b.block && a.part === b.part && a.head === b.head,
    toggle(part) {
        const without = this.off.filter((other) => !this.is(other, part));
        this.off = without.length < this.off.length ? without : [...this.off, part];
        changed();
    },
    said(off) {
        if (!off.length) return say("nothing is switched off", "没有关掉任何部分");
        return say("off: ", "关掉：") + off.map(nameOfPart).join(say("; ", "；"));
    },
};

/** Of each block a row of buttons: its heads, all of its attention, its FFN. */
function switchRows() {
    const {layers, heads} = film.model;
    const off = (part) => switched.off.some((other) => switched.is(other, part));
    const one = (part, text) => choice(text, off(part), () => switched.toggle(part), {ariaLabel: nameOfPart(part)});
    return Array.from({length: layers}, (_, block) => {
        const each =
            Array.from({length: heads}, (_, head) => one({block, part: "head", head}, say(`head ${head}`, `头 ${head}`)));
        return element("div", {className: "choices"}, element("span", {className: "name", textContent: blockName(block)}),
            ...each, one({block, part: "attention"}, say("all attention", "整个注意力")), one({block, part: "ffn"}, "FFN"));
    });
}

const beforeAndAfter = {
    columns: ["position", "token", "guess", "guess_without", "p_next", "p_next_without"],
    title() {
        const {final, question} = switched.answer;
        const [before, after] = [final?.before, final?.after].map((side) => side?.loss.toFixed(3));
        const losses = final ? say(`loss ${before} → ${after}`, `损失 ${before} → ${after}`) : "…";
        return `${switched.said(question?.off ?? [])} · ${losses} · ${gpt.said()}`;
    },
    layout: (width) => flow(width, film.length(state.sentence), {least: 92, most: 120, tall: 104}),
    next: (t) => film.sentences[state.sentence][t + 1],
    draw(pen) {
        const ids = film.sentences[state.sentence];
        const {final, question} = switched.answer.to({ids, snapshot: gpt.at(), off: switched.off});
        if (!final || question.ids.length !== ids.length) return;
        const {wide, tall, place} = this.layout(pen.width);
        const names = film.characters(state.sentence);
        names.forEach((name, t) => {
            const [left, y] = place(t);
            const x = left + 6;
            pen.name(name, wide - 12, x, y + 16, {size: 17, weight: 600});
            const next = this.next(t);
            const follows = next === undefined ? "" : `→ ${film.name(next)}`;
            pen.note(follows, x + wide - 16, y + 16, "right", 12);
            const both = [final.before.next[t], final.after.next[t]];
            both.forEach((side, i) => {
                this.drawOne(pen, x, y + 40 + 30 * i, wide - 16, side, next, [theme.muted, theme.accent][i]);
            });
            const row = () => [t, names[t], ...both.map(({top}) => film.name(top[0].token)),
                ...both.map(({answer}) => next === undefined ? "" : answer.probability)];
            pen.touch(left, y, wide, tall, {tip: () => this.tip(both), row});
        });
    },
    /** The likeliest, and what really follows with its probability as a bar. */
    drawOne(pen, x, y, w, {top, answer}, next, fill) {
        const share = next === undefined ? top[0].probability : answer.probability;
        pen.rect(x, y - 7, w, 14, {fill: theme.line, opacity: 0.45, radius: 2});
        pen.rect(x, y - 7, Math.max(1, w * share), 14, {fill, opacity: 0.55, radius: 2});
        pen.name(film.name(top[0].token), w * 0.4, x + 4, y, {size: 13});
        pen.text(percent(share), x + w - 3, y, {size: 10.5, align: "right"});
    },
    tip(both) {
        const [before, after] =
            both.map(({top}) => top.map((guess) => `${film.name(guess.token)} ${percent(guess.probability)}`).join("  "));
        return say(`before: ${before}\nafter: ${after}`, `之前：${before}\n之后：${after}`);
    },
};

export function startSwitches() {
    new Figure("switched", beforeAndAfter);
    panels.push(whenSeen("yours", () => fillAnew(byId("switches"), switched.off, switchRows)));
}
