// One weight of attention in numbers: q and k, their products term by term, ÷ √D, the softmax over the row, times v.

export const cellShown = {
    t: -1,  // the query; -1: no cell is open
    s: 0,
    answer: new Answer("cell"),

    open(t, s) {
        Object.assign(this, {t, s, sentence: state.sentence});
        changed();
    },
    /** The key that the query looks at most. */
    openLargest() {
        const t = chosenPosition();
        const map = film.map(state.sentence, state.frame, state.layer, state.head);
        const row = map.subarray(t * film.length(state.sentence)).subarray(0, t + 1);
        this.open(t, row.indexOf(Math.max(...row)));
    },
};

/** The largest terms as rows of a table, and one row for all others. */
function termTable(heads, terms, size, cells) {
    const order = [...terms.keys()].sort((a, b) => size(terms[b]) - size(terms[a]));
    const rows = order.slice(0, 6).map((i) => rowOf(cells(terms[i], i)));
    return element("table", {className: "timeline"}, rowOf(heads, "th"), ...rows);
}

function cellCards({q, k, v, scores, weights}, names, t, s) {
    const D = q.length;
    const digits = (x) => x.toFixed(3).replace("-", "−");
    const products = q.map((x, d) => ({d, q: x, k: k[d], product: x * k[d]}));
    const card = (title, table, ...notes) => element(
        "article", {}, element("h3", {textContent: title}), table, ...notes.map((textContent) => element("p", {textContent})));
    const terms = products.map(({product}) => product).sort((a, b) => Math.abs(b) - Math.abs(a));
    const dot = D * mean(terms);
    const [left, rest] = [Math.max(0, D - 6), digits(terms.slice(6).reduce((sum, x) => sum + x, 0))];
    const others = say(`the other ${left} together ${rest}`, `其余 ${left} 项合计 ${rest}`);
    const [asker, key] = [quote(names[t]), quote(names[s])];
    return [
        card(say(`q of ${asker} · k of ${key}, largest terms first`, `${asker}的 q · ${key}的 k，最大的项在前`),
            termTable(["d", "q", "k", "q · k"], products, ({product}) => Math.abs(product),
                (term) => [term.d, ...[term.q, term.k, term.product].map(digits)]),
            `${others}${say(". ", "。")}q · k = ${digits(dot)}`, `÷ √${D} = ${digits(dot / Math.sqrt(D))}`),
        card(say(`softmax over the row of ${asker}`, `对${asker}这一行做 softmax`),
            termTable([say("key", "键"), "q · k / √D", say("weight", "权重")], weights, (w) => w,
                (weight, at) => [names[at], digits(scores[at]), digits(weight)]),
            say(`e^${digits(scores[s])} / Σ e^score = ${digits(weights[s])}`,
                `e^${digits(scores[s])} / Σ e^分数 = ${digits(weights[s])}`)),
        card(say(`times v of ${key}: what it adds to ${asker}`, `乘以${key}的 v：它给${asker}加上的`),
            termTable(["d", "v", `${digits(weights[s])} · v`], v, Math.abs, (x, d) => [d, digits(x), digits(weights[s] * x)]),
            say(`the sum over all keys is the head's output, ${D} numbers`, `对所有的键求和，就是这个头的输出，共 ${D} 个数`)),
    ];
}

export function drawCell() {
    const place = byId("cell");
    const {t, s} = cellShown;
    if (t >= 0 && (cellShown.sentence !== state.sentence || t !== chosenPosition())) return cellShown.openLargest();
    place.hidden = t < 0;
    if (place.hidden || gpt.difference === undefined) return;
    const {layer, head} = state;
    const ids = film.sentences[state.sentence];
    const {final} = cellShown.answer.to({ids, snapshot: gpt.at(), layer, head, t, s});
    const {question} = cellShown.answer;
    if (!final || question.t !== t || question.ids !== ids) return;
    const names = film.characters(state.sentence);
    const keys = names.slice(0, t + 1).map((name, i) => [i, name]);
    setText(byId("cell-title"),
        say(`${quote(names[t])} → ${quote(names[s])} in numbers`, `${quote(names[t])} → ${quote(names[s])}：这个权重怎样算出来`) +
            ` · ${headName()} · ${gpt.said()}`);
    chooseFrom(byId("cell-keys"), say("key", "键"), keys, s, (at) => cellShown.open(t, at));
    fillAnew(byId("cell-cards"), [question, gpt.said()], () => cellCards(final, names, t, s));
}

export function startCell() {
    Object.assign(byId("cell-open"), {hidden: false, onclick: () => cellShown.openLargest()});
    byId("cell-close").onclick = () => cellShown.open(-1, 0);
    panels.push(whenSeen("attention", drawCell));
}
