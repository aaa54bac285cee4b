// The bench: a sentence is taught to the model step by step, and one sees at once what changes.

const kOffered = ["小狗最爱吃青草。", "小猫最爱吃", "小狗饿了，它想吃"];  // taught; and untaught

const kUsualRates = Object.freeze({sgd: 0.1, adamw: 3e-4, muon: 3e-3});

export const bench = {
    rate: 0.1,
    optimizer: "sgd",
    busy: false,
    going: false,  // "train" goes on until it is pressed again
    losses: [],    // of each step, before it: {loss, of: the sentence's tokens}
    presses: [],   // how many steps each press made
    offered: [],
    untaught: [],  // up to three texts, to see what else changes
    documents: 0,  // of the text that are taught beside it
    answer: new Answer("compare"),

    ids: () => own.tokens.length ? own.ids() : bench.offered,
    steps: () => bench.presses.reduce((a, b) => a + b, 0),
    here: () => gpt.taught.snapshot === gpt.at() && bench.steps() > 0,
    place: () => state.sentence === own.number ? state.query : -1,

    /** Makes the shown model the taught one: all panels ask again. */
    async follow() {
        gpt.taught = {snapshot: this.steps() ? gpt.taught.snapshot : -1, steps: this.steps()};
        gpt.version += 1;
        await own.again();
        changed();
    },
    async teach(count) {
        if (this.busy || this.ids().length < 2) return;
        this.busy = true;
        if (!own.tokens.length) {
            byId("own-text").value = kOffered[0];
            await own.type(kOffered[0]);
        }
        const snapshot = gpt.at();
        if (!this.here()) [this.losses, this.presses] = [[], []];
        const {rate, optimizer, documents} = this;
        const question = {ids: own.ids(), snapshot, count, rate, optimizer, documents};
        gpt.taught.snapshot = snapshot;
        const told = ({loss, ...gradient}) => {
            this.losses.push({loss, of: String(question.ids)});
            backward.start(gradient);
        };
        await ask("teach", question, told);
        this.presses.push(count);
        await this.follow();
        this.busy = false;
    },
    async undo(all) {
        if (this.busy || !this.presses.length) return;
        this.busy = true;
        await ask("unteach", {all});
        this.presses = all ? [] : this.presses.slice(0, -1);
        this.losses.length = this.steps();
        await this.follow();
        this.busy = false;
    },
    async train() {
        this.going = !this.going;
        while (this.going && this.steps() < 200) await this.teach(1);
        this.going = false;
        changed();
    },
};

/** A card: two lists side by side, before and now. */
function beforeAndNow(title, lines) {
    const heads = [say("before", "之前"), say("now", "现在")];
    const list = (side) =>
        element("div", {}, element("small", {textContent: heads[side]}), element("ol", {className: "shares"}, ...lines(side)));
    const sides = element("div", {className: "sides"}, list(0), list(1));
    return element("article", {}, element("h3", {textContent: title}), sides);
}

function benchCards({t, sides, moved}) {
    const ids = bench.answer.question.ids;
    const name = quote(film.name(ids[t]));
    const guess = (side) => sides[side].top.map(({token, probability}) => shareLine(film.name(token), probability));
    const looks = (side) => {
        const {weights} = sides[side];
        const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 5);
        return order.map((s) => shareLine(film.name(ids[s]), weights[s]));
    };
    const near = (side) => sides[side].near.map(({token, cosine}) => shareLine(film.name(token), cosine, cosine.toFixed(3)));
    const furthest = Math.max(moved[0].way, 1e-9);
    const ways = moved.slice(0, 6).map(({name, way}) => shareLine(partName(name), way / furthest, `${(100 * way).toFixed(2)}%`));
    const list = element("ol", {className: "shares wide"}, ...ways);
    const title = say("how far matrices moved, ‖Δ‖/‖W‖", "各矩阵走了多远，‖Δ‖ / ‖W‖");
    return [
        beforeAndNow(say(`what follows ${name}`, `${name}之后是什么`), guess),
        beforeAndNow(say(`where ${name} looks, ${headName()}`, `${name}看哪里（${headName()}）`), looks),
        beforeAndNow(say(`nearest to E[${name}]`, `离 E[${name}] 最近的字`), near),
        element("article", {}, element("h3", {textContent: title}), list),
    ];
}

/** "鱼 98% → 88%, 青 0.1% → 9%" */
const nextText = (next) =>
    next.map(({token, before, now}) => `${film.name(token)} ${percent(before)} → ${percent(now)}`).join(say(", ", "，"));

const costName = () => film.texts ? say("held-out loss", "留出文档的损失") : say("loss of watched sentences", "观察句的损失");

/** What it forgot: another loss, and guesses where nothing was taught. */
function costOf([a, b], texts, next) {
    const name = ({token}) => quote(film.name(token));
    const guesses = next.flatMap(([was, now], i) => now ? [`${texts[i]} ${name(was)} → ${name(now)}`] : []).join(say(", ", "，"));
    const others = guesses && say(` · another guess after ${guesses}`, ` · 猜的字变了：${guesses}`);
    const change = b.loss.toFixed(3) - a.loss.toFixed(3);  // as the bar says both
    return {name: costName(), change: `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(3)}`, others};
}

/** Of the answers to the rules' probes: how many are right, and the rule that lost most. */
function forgotten([a, b]) {
    const rules = film.rules?.list.filter(({probes}) => probes?.length) ?? [];
    if (!rules.length) return;
    const [before, now] = [a, b].map(({right}) => percent(mean(right)));
    const [was, known] = [a, b].map(({right}) => right.filter((share) => share >= 0.9).length);
    const worst = a.right.reduce((most, x, i) => x - b.right[i] > a.right[most] - b.right[most] ? i : most, 0);
    const fell = `${quote(ruleName(rules[worst]))} ${percent(a.right[worst])} → ${percent(b.right[worst])}`;
    const most = b.right[worst] < a.right[worst] ? say(`; lost most: ${fell}`, `；掉得最多的是${fell}`) : "";
    return {before, now, most, was, known, count: rules.length};
}

/** Of the taught model, in place of the run's own losses; out of sight the bench may hold the answer of another step. */
export function taughtLosses() {
    const {parts, final, question} = bench.answer;
    const pairs =
        question?.snapshot === gpt.at() ? [[say("your sentence", "你的句子"), parts[0]?.sides], [costName(), final]] : [];
    return pairs.flatMap(([name, both]) => both ? [`${name} ${both.map(({loss}) => loss.toFixed(3)).join(" → ")}`] : []);
}

/** The rows of E that moved furthest: of those that were read, and of the others. */
function furthestRows({rows}) {
    if (!bench.here()) return;
    const told = (token) => `${quote(film.name(token))} ${short(rows[token], 2)}`;
    const [read, others] = rowsOfE.sorted().map((tokens) => tokens.slice(0, 5).map(told).join(say(", ", "，")));
    return {read, others};
}

function drawBench() {
    const ids = bench.ids();
    setText(byId("teach-unknown"), unknownText());
    const steps = gpt.steps.map((step, i) => [i, grouped(step)]);
    const now = grouped(film.steps[state.frame]);
    const from = gpt.steps[gpt.at()] === film.steps[state.frame] ?
        say("from step", "从哪一步开始") :
        say(`from the snapshot nearest to step ${now}`, `从离第 ${now} 步最近的快照开始`);
    chooseFrom(byId("teach-from"), from, steps, gpt.at(), (i) => show(frameAt(gpt.steps[i])));
    const rates = [0.3, 1, 3]
                      .map((times) => kUsualRates[bench.optimizer] * times)
                      .map((rate) => [Number(rate.toPrecision(1)), short(rate, 1)]);
    chooseFrom(byId("teach-rate"), "η", rates, bench.rate, (rate) => changed((bench.rate = rate, {})));
    setText(byId("teach-going"), bench.going ? say("stop", "停") : say("train", "连续训练"));
    for (const id of ["teach-undo", "teach-again"]) byId(id).disabled = !bench.here();
    if (gpt.difference === undefined || ids.length < 2) return;
    const [{untaught}, {layer, head}, t] = [bench, state, bench.place()];
    const {parts, final, question} = bench.answer.to({ids, snapshot: gpt.at(), t, layer, head, untaught});
    if (!parts.length) return;
    const {sides, t: at} = parts[0];
    const places = question.ids.map((id, i) => [i, film.name(id)]);
    chooseFrom(byId("teach-places"), say("after", "看哪个字之后"), places, at, (place) => {
        if (own.tokens.length) return choosePosition(place);
        own.open({text: kOffered[0], layer, head, query: place, keys: []});
    });
    const [here, made] = [bench.here(), bench.steps()];
    const before = here ? bench.losses.filter(({of}) => of === String(question.ids)) : [];
    const some = before.length > 6 ? [before[0], {}, ...before.slice(-4)] : before;
    const losses = [...some, sides[1]].map(({loss}) => loss?.toFixed(2) ?? "…").join(" → ");
    const kept = !here && made ? gpt.name(gpt.taught.snapshot) : "";
    fill("teach-loss", {made: kept ? say(`0 (kept till you teach: ${kept})`, `0（再教之前留着：${kept}）`) : made, losses});
    fillAnew(byId("teach-cards"), [parts[0], question], () => benchCards(parts[0]));
    if (final) fill("teach-cost", costOf(final, question.untaught, parts[0].next)), fill("teach-rules", forgotten(final));
    byId("teach-told").classList.toggle("late", !final);
    fill("teach-rows", furthestRows(parts[0]));
    const line = (text, i) => element("li", {}, element("bdi", {textContent: text}), " ", nextText(parts[0].next[i]));
    byId("teach-others").replaceChildren(...question.untaught.map(line));
}

export async function startBench() {
    const press = {
        "teach-one": () => bench.teach(1),
        "teach-five": () => bench.teach(5),
        "teach-train": () => bench.train(),
        "teach-undo": () => bench.undo(false),
        "teach-again": () => bench.undo(true),
    };
    for (const [id, onclick] of Object.entries(press)) byId(id).onclick = onclick;
    chooseIn("teach-optimizer", bench, "optimizer", () => bench.rate = kUsualRates[bench.optimizer]);
    chooseIn("teach-beside", bench, "documents");
    byId("teach-beside").hidden = !film.texts;
    const spelt = await Promise.all(kOffered.map((text, i) => ask("tokens", {text}, undefined, `offered ${i}`)));
    const whole = (tokens) => tokens.every((token) => token.whole);
    const known = whole(spelt[0]);
    if (!known) kOffered[0] = gpt.text(film.sentences[0]);
    byId("own-text").placeholder = kOffered[0];
    bench.offered = known ? spelt[0].map(({token}) => token) : film.sentences[0];
    const others = byId("teach-untaught");
    others.value = kOffered.slice(1).filter((_, i) => whole(spelt[i + 1])).join(" | ");
    const tell = (typed) => {
        const texts = typed.split("|").map((text) => text.trim());
        changed((bench.untaught = texts.filter((text) => text).slice(0, 3), {}));
    };
    whenTyped(others, tell);
    tell(others.value);
    panels.push(whenSeen("teach", drawBench));
    changed();
}
