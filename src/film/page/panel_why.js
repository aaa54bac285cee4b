// Why this prediction: what each earlier character, each block and each part does to the answer at the chosen
// position.

export const reasons = {
    answer: new Answer("why"),

    wished: {},  // {at, token}: an answer that was chosen at a position

    /** The shown answer: one that was chosen, or what really follows, or the likeliest. */
    question() {
        const [ids, t] = [film.sentences[state.sentence], chosenPosition()];
        const before = ids.slice(0, t + 1);
        const {at, token} = this.wished;
        const answer = at === before.join() ? token : ids[t + 1] ?? -1;
        return {ids: before, snapshot: gpt.at(), answer};
    },
    /** What else it might have said: each can be asked about. */
    drawChoices() {
        const {whole, ids} = this.found();
        if (!whole) return;
        const {top, answer} = whole.lens.at(-1);
        const tokens = [...new Set([...top.map(({token}) => token), answer.token])];
        const pick = (token) => changed((this.wished = {at: ids.join(), token}, {}));
        const named = tokens.map((token) => [token, film.name(token)]);
        chooseFrom(byId("why-answers"), say("why", "为什么是"), named, answer.token, pick);
    },
    /** The answer to a question that was put: what is known at once, then the effects. */
    found() {
        const {parts: [whole, ...effects], question} = this.answer.to(this.question());
        return {whole, effects, ids: question?.ids ?? []};
    },
    name: () => quote(film.name(reasons.answer.parts[0]?.token)),
    /** The largest of some numbers, in words: [[name, number]]. */
    most(named, count) {
        const order = named.filter(([, x]) => x > 0.01).sort((a, b) => b[1] - a[1]);
        const words = order.slice(0, count).map(([name, x]) => `${name} +${x.toFixed(2)}`);
        return words.join(say(", ", "，")) || "–";
    },
    read() {
        const {whole, effects, ids} = this.found();
        if (!whole || effects.length < ids.length) return fill("why-reading");
        const [name, p] = [this.name(), percent(whole.answer.probability)];
        const characters = film.characters(state.sentence);
        const twice = (c) => characters.indexOf(c) < characters.lastIndexOf(c);
        const place = (t) => say(` (position ${t})`, `（位置 ${t}）`);
        const nameAt = (t) => quote(characters[t]) + (twice(characters[t]) ? place(t) : "");
        const named = effects.map(({position, replaced}) => [nameAt(position), replaced]);
        const parts = whole.parts.filter(({block}) => block !== undefined);
        const writers = parts.map((part) => [nameOfPart(part), part.logit]);
        const heads = parts.filter(({part}) => part === "head").map((part) => [this.headLooks(part, ids.length - 1), part.logit]);
        const first = whole.lens.findIndex((_, i) => whole.lens.slice(i).every(({answer}) => answer.rank === 1));
        const block = blockName(whole.lens[first]?.block);
        const shape = first < 0 ?
            say(`it is not the likeliest (rank ${whole.answer.rank})`, `它不是概率最大的（第 ${whole.answer.rank} 名）`) :
            first === 0 ? say("it is the likeliest from the input on", "从输入起它就排第一") :
                          say(`it is the likeliest after ${block} and stays so`, `从${block}之后起它一直排第一`);
        const needs = [this.most(named, 3), this.most(writers, 3), this.most(heads, 2)];
        fill("why-reading", {name, p, shape, characters: needs[0], parts: needs[1], heads: needs[2]});
    },
    /** A head, and where it looks most from this position. */
    headLooks({block, head}, t) {
        const frame = frameAt(gpt.steps[gpt.at()]);
        const weight = (s) => film.weight(state.sentence, frame, block, head, t, s);
        const most = [...Array(t + 1).keys()].reduce((a, b) => weight(b) > weight(a) ? b : a);
        const name = quote(film.characters(state.sentence)[most]);
        const share = percent(weight(most));
        return say(`${headName(block, head)} (looks at ${name} ${share})`, `${headName(block, head)}（看${name} ${share}）`);
    },
};

// ---- what each earlier character does

const effectBars = {
    columns: ["position", "token", "replaced", "cut"],
    title() {
        const {whole} = reasons.found();
        if (!whole) return "…";
        const p = percent(whole.answer.probability);
        return say(`what each character does for ${reasons.name()} (${p}) · ${gpt.said()}`,
            `每个字对预测${reasons.name()}（${p}）的作用 · ${gpt.said()}`);
    },
    layout: (width) => flow(width - 4, film.length(state.sentence), {least: 44, most: 64, tall: 136, more: 22}),
    draw(pen) {
        const {effects, ids} = reasons.found();
        const {wide, tall, place} = this.layout(pen.width);
        const at = (t) => [place(t)[0] + 2, place(t)[1] + 22];
        const names = film.characters(state.sentence);
        // the scale is that of the earlier characters: the one that asks may well outdo it
        const earlier = effects.filter(({position}) => position < ids.length - 1);
        const sizes = earlier.flatMap(({replaced, cut}) => [replaced, cut]).filter(Number.isFinite);
        const largest = Math.max(0.5, ...sizes.map(Math.abs));
        const fills = [theme.accent, theme.real];
        const words = [say("replaced", "换掉"), say("not looked at", "不让看")];
        words.forEach((word, i) => {
            pen.rect(8 + 110 * i, 6, 12, 10, {fill: fills[i]});
            pen.text(word, 26 + 110 * i, 11, {size: 11.5});
        });
        for (let t = 0; t < names.length; ++t) {
            const [x, y] = at(t);
            const chosen = t === ids.length - 1;
            const fill = t < ids.length ? theme.ink : theme.muted;
            const style = {align: "center", size: 17, weight: chosen ? 700 : 400, fill};
            pen.name(names[t], wide - 4, x + wide / 2, y + 15, style);
            if (chosen) pen.rect(x + 2, y + 1, wide - 4, 27, {stroke: theme.accent, radius: 4});
            if (t < ids.length) pen.line([[x, y + 72], [x + wide, y + 72]], {stroke: theme.line});
            const found = effects.find(({position}) => position === t);
            const row = () => found && [t, names[t], found.replaced, Number.isFinite(found.cut) ? found.cut : ""];
            pen.touch(x, y, wide, tall, {tip: () => this.tip(names[t], found), click: () => choosePosition(t), row});
        }
        const signed = (x) => Math.abs(x) < 0.005 ? "0" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2);
        for (const {position, replaced, cut} of effects) {
            const [x, top] = at(position);
            const middle = top + 72;
            [replaced, cut].forEach((value, i) => {
                if (!Number.isFinite(value)) return;
                const size = 38 * Math.min(1, Math.max(-1, value / largest));
                const left = x + wide / 2 + (i ? 1 : -13);
                const top = Math.min(middle, middle - size);
                pen.rect(left, top, 12, Math.abs(size), {fill: fills[i]});
                if (Math.abs(value) <= largest) return;
                const cut = middle - size * 0.8;  // longer than there is room: a broken bar
                const slope = [[left - 2, cut + 3], [left + 14, cut - 3]];
                pen.line(slope, {stroke: theme.raised, width: 3});
            });
            const x0 = x + wide / 2;
            const style = {align: "center", size: 9.5};
            pen.text(signed(replaced), x0, middle + 44, {...style, fill: fills[0]});
            if (Number.isFinite(cut)) pen.text(signed(cut), x0, middle + 56, {...style, fill: fills[1]});
        }
    },
    tip(character, found) {
        if (!found) return "";
        const name = quote(character);
        const [replaced, cut] = [found.replaced, found.cut].map((x) => short(x, 3));
        return say(`${name} replaced: ln p falls by ${replaced}\nnot looked at: by ${cut}`,
            `换掉${name}：ln p 下降 ${replaced}\n不让看它：下降 ${cut}`);
    },
    right: predictions.down,
};

export function startReasons() {
    new Figure("effects", effectBars);
    new Figure("lens", lensTable);
    new Figure("parts", partsOfLogit);
    panels.push(whenSeen("why", () => reasons.read()), whenSeen("why", () => reasons.drawChoices()));
}
