// Parts of the model switched off: what it predicts with and without them, and which one matters.

const switched = {
    off: [],     // [{block, part: "head", "attention" or "ffn", head}]
    by: "zero",  // or "mean": what stands in their stead
    answer: new Answer("switches"),
    map: new Answer("matter"),

    is: (a, b) => a.block === b.block && a.part === b.part && a.head === b.head,
    toggle(part) {
        const without = this.off.filter((other) => !this.is(other, part));
        this.off = without.length < this.off.length ? without : [...this.off, part];
        changed();
    },
    question() { return {ids: film.sentences[state.sentence], snapshot: gpt.at(), by: this.by}; },
    name({block, part, head}) {
        const names = {attention: say("attention", "注意力"), ffn: "FFN"};
        return part === "head" ? headName(block, head) : `${blockName(block)} ${names[part]}`;
    },
    said(off) {
        const names = off.map((part) => this.name(part)).join(say("; ", "；"));
        return names ? say(`off: ${names}`, `关掉：${names}`) : say("nothing is switched off", "没有关掉任何部分");
    },
};

/** Of each block a row of buttons: its heads, all of its attention, its FFN. */
function switchRows() {
    const {layers, heads} = film.model;
    const off = (part) => switched.off.some((other) => switched.is(other, part));
    const one = (part, text) => choice(text, off(part), () => switched.toggle(part), {ariaLabel: switched.name(part)});
    return Array.from({length: layers}, (_, block) => {
        const each =
            Array.from({length: heads}, (_, head) => one({block, part: "head", head}, say(`head ${head}`, `头 ${head}`)));
        return element("div", {className: "choices"}, element("span", {className: "name", textContent: blockName(block)}),
            ...each, one({block, part: "attention"}, say("all attention", "整个注意力")), one({block, part: "ffn"}, "FFN"));
    });
}

function drawSwitches() { fillAnew(byId("switches"), switched.off, switchRows); }

// ---- predictions before and after

const beforeAndAfter = {
    columns: ["position", "token", "guess", "guess_without", "p_next", "p_next_without"],
    title() {
        const {final, question} = switched.answer;
        const {before, after} = final ?? {};
        const losses = before && !Number.isNaN(before.loss) ? say(`loss ${before.loss.toFixed(3)} → ${after.loss.toFixed(3)}`,
                                                                  `损失 ${before.loss.toFixed(3)} → ${after.loss.toFixed(3)}`) :
                                                              "…";
        return `${switched.said(question?.off ?? [])} · ${losses} · ${gpt.said()}`;
    },
    layout: (width) => flow(width, film.length(state.sentence), {least: 92, most: 120, tall: 104}),
    next: (t) => film.sentences[state.sentence][t + 1],
    draw(pen) {
        const {final, question} = switched.answer.to({...switched.question(), off: switched.off});
        if (!final || question.ids.length !== film.length(state.sentence)) return;
        const {wide, tall, place} = this.layout(pen.width);
        const names = film.characters(state.sentence);
        names.forEach((name, t) => {
            const [left, y] = place(t);
            const x = left + 6;
            pen.name(name, wide - 12, x, y + 16, {size: 17, weight: 600});
            const next = this.next(t);
            const follows = next === undefined ? "" : `→ ${film.name(next)}`;
            pen.note(follows, x + wide - 16, y + 16, "right", 12);
            const rows = [[final.before, theme.muted], [final.after, theme.accent]];
            rows.forEach(([side, fill], i) => {
                this.drawOne(pen, x, y + 40 + 30 * i, wide - 16, side.next[t], next, fill);
            });
            const both = [final.before.next[t], final.after.next[t]];
            const row = () => [t, names[t], ...both.map(({top}) => film.name(top[0].token)),
                ...both.map(({answer}) => next === undefined ? "" : answer.probability)];
            pen.touch(left, y, wide, tall, {tip: () => this.tip(final, t), row});
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
    tip(final, t) {
        const line = ({top}) => top.map((g) => `${film.name(g.token)} ${percent(g.probability)}`).join("  ");
        const [before, after] = [final.before.next[t], final.after.next[t]];
        return say(`before: ${line(before)}\nafter: ${line(after)}`, `之前：${line(before)}\n之后：${line(after)}`);
    },
};

// ---- which part matters: each switched off in turn

const matters = {
    scope: "loss",  // of the sentence, or "here", at the chosen position
    columns: ["layer", "head", "loss_grows", "ln_p_falls"],
    title() {
        if (switched.map.open) return say("switching off one part after the other …", "逐个关掉各部分……");
        if (this.scope === "loss")
            return say(`how much the sentence's loss grows without each part, nats · ${gpt.said()}`,
                `分别关掉每个部分，这句话的损失增加多少（奈特）· ${gpt.said()}`);
        const asker = quote(film.characters(state.sentence)[chosenPosition()]);
        return say(`how much ln p after ${asker} falls without each part, nats · ${gpt.said()}`,
            `分别关掉每个部分，${asker}之后那个字的 ln p 下降多少（奈特）· ${gpt.said()}`);
    },
    layout(width) {
        const {layers, heads} = film.model;
        const cell = Math.min(86, (width - 60) / (heads + 1));
        return {left: 52, top: 22, cell, tall: 34, columns: heads + 1, height: 28 + 34 * layers};
    },
    draw(pen) {
        const {parts} = switched.map.to({...switched.question(), t: chosenPosition()});
        const {left, top, cell, tall, columns} = this.layout(pen.width);
        for (let column = 0; column < columns; ++column) {
            const name = column + 1 < columns ? say(`head ${column}`, `头 ${column}`) : "FFN";
            pen.note(name, left + (column + 0.5) * cell, 10, "center");
        }
        const cells = parts.map(({loss, here, ...which}) => ({
            value: this.scope === "loss" ? loss : here,
            row: which.block,
            column: which.head ?? columns - 1,
            chosen: switched.off.some((other) => switched.is(other, which)),
            touch: {row: () => [which.block, which.head ?? "ffn", loss, here], click: () => switched.toggle(which)},
        }));
        drawParts(pen, {left, top, wide: cell, tall}, cells, 0.05);
    },
};

/** The model's parts as cells, a row a block, as strongly coloured as their numbers are large; `least` as the largest. */
export function drawParts(pen, {left, top, wide, tall}, cells, least) {
    const largest = Math.max(least, ...cells.map(({value}) => Math.abs(value)));
    for (const {value, row, column, chosen, touch} of cells) {
        const [x, y] = [left + column * wide, top + row * tall];
        const colour = theme.signed(value / largest);
        const outline = chosen ? {stroke: theme.real, width: 2} : {};
        pen.rect(x + 1, y + 1, wide - 2, tall - 2, {fill: css(colour), radius: 4, ...outline});
        const number = `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
        pen.text(number, x + wide / 2, y + tall / 2, {align: "center", size: 11.5, fill: theme.inkOn(colour)});
        pen.touch(x, y, wide, tall, {tip: () => value.toFixed(4), ...touch});
    }
    for (let row = 0; row < film.model.layers; ++row) pen.note(blockName(row), left - 6, top + (row + 0.5) * tall, "right", 10.5);
}

export function startSwitches() {
    chooseIn("switch-choices", switched, "by");
    chooseIn("matter-choices", matters, "scope");
    new Figure("matters", matters);
    new Figure("switched", beforeAndAfter);
    panels.push(whenSeen("yours", drawSwitches));
}
