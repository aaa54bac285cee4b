// Where the answer takes shape: the guesses after each block, and what each part of the model adds to the answer's
// logit.

export const lensTable = {
    title: () => say("what it would say if it ended after each block", "若到这一层就结束，它会预测什么"),
    height: () => (film.model.layers + 1) * 30 + 26,
    columns: ["block", "rank", "token", "probability"],
    draw(pen) {
        const {whole} = reasons.found();
        if (!whole) return;
        const [left, right] = [58, pen.width < 560 ? 104 : 112];
        const shown = pen.width < 420 ? 2 : pen.width < 560 ? 3 : 5;
        const wide = (pen.width - left - right) / shown;
        pen.note(reasons.name(), pen.width - 6, 12, "right", 12);
        whole.lens.forEach(({block, top, answer}, row) => {
            const y = 38 + 30 * row;
            const name = block < 0 ? say("input", "输入") : blockName(block);
            pen.note(name, left - 8, y, "right", 11.5);
            top.slice(0, shown).forEach(({token, probability}, k) => {
                const x = left + k * wide;
                const real = token === answer.token;
                const fill = real ? theme.real : theme.accent;
                const length = Math.max(1, (wide - 6) * probability);
                pen.rect(x, y - 11, length, 22, {fill, opacity: 0.35, radius: 3});
                pen.name(film.name(token), wide * 0.45, x + 5, y, {size: 15});
                pen.text(percent(probability), x + wide - 9, y, {size: 10.5, align: "right"});
            });
            const rank = `${percent(answer.probability)} · ${say("rank", "第")} ${answer.rank}`;
            pen.text(rank, pen.width - 6, y, {size: 11, align: "right"});
            const told = [...top, answer];
            const cells = ({row: k}) => [block, told[k].rank ?? k + 1, film.name(told[k].token), told[k].probability];
            pen.touch(left, y - 15, pen.width - left, 30, {rows: told.length, row: cells});
        });
    },
};

// ---- what each part adds to the answer's logit

export const partsOfLogit = {
    title() {
        const {whole} = reasons.found();
        if (!whole) return "…";
        const sum = whole.parts.reduce((all, {logit}) => all + logit, 0);
        const [total, logit] = [sum, whole.answer.logit].map((x) => x.toFixed(3));
        return say(`what each part adds to the logit of ${reasons.name()}: together ${total}, the model's logit ${logit}`,
            `各部分给${reasons.name()}的 logit 加了多少：合计 ${total}，模型的 logit ${logit}`);
    },
    height: () => (film.model.layers + 1) * 34 + 30,
    columns: ["part", "layer", "head", "logit"],
    /** Of each part: its row and column, the last row for what belongs to no block. */
    placeOf({part, block, head}) {
        const {layers, heads} = film.model;
        const last = {embedding: [layers, 0], beta: [layers, 1]};
        return last[part] ?? [block, {head, bias: heads, ffn: heads + 1}[part]];
    },
    label({part, head}) {
        const names = {embedding: "E", beta: "β", bias: "b_O", ffn: "FFN", head: say(`head ${head}`, `头 ${head}`)};
        return names[part];
    },
    draw(pen) {
        const {whole} = reasons.found();
        if (!whole) return;
        const wide = (pen.width - 60) / (film.model.heads + 2);
        const largest = Math.max(0.1, ...whole.parts.map(({logit}) => Math.abs(logit)));
        for (const part of whole.parts) {
            const [row, column] = this.placeOf(part);
            const outside = part.block === undefined;
            const [x, y] = [52 + column * wide, 20 + 34 * row + (outside ? 12 : 0)];
            if (row === 0 || outside) pen.note(this.label(part), x + wide / 2, outside ? y - 5 : 10, "center", 10.5);
            if (column === 0 && !outside) pen.note(blockName(row), 46, y + 17, "right", 10.5);
            const colour = theme.signed(part.logit / largest);
            pen.rect(x + 1, y + 1, wide - 2, 32, {fill: css(colour), radius: 4});
            const number = `${part.logit < 0 ? "−" : "+"}${Math.abs(part.logit).toFixed(2)}`;
            pen.text(number, x + wide / 2, y + 17, {align: "center", size: 11.5, fill: theme.inkOn(colour)});
            const cells = [part.part, part.block ?? "", part.head ?? "", part.logit];
            pen.touch(x, y, wide, 34, {row: () => cells, tip: () => part.logit.toFixed(4)});
        }
    },
};
