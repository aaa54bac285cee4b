// The bench: a sentence is taught to the model step by step, and one sees at once what changes.

const kOffered = ["小狗最爱吃青草。", "小猫最爱吃", "小狗饿了，它想吃"];  // taught; and untaught

const kUsualRates = {
    sgd: 0.1,
    adamw: 3e-4,
    muon: 3e-3
};

export const bench = {
    rate: 0.1,
    optimizer: "sgd",
    busy: false,
    going: false,  // "train" goes on until it is pressed again
    losses: [],    // of each step, before it
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
            this.losses.push(loss);
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
        const left = all ? 0 : this.steps() - this.presses.at(-1);
        this.presses = all ? [] : this.presses.slice(0, -1);
        this.losses.length = left;
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
    const title = say("how far the matrices moved, ‖Δ‖ / ‖W‖", "各矩阵走了多远，‖Δ‖ / ‖W‖");
    return [
        beforeAndNow(say(`what follows ${name}`, `${name}之后是什么`), guess),
        beforeAndNow(say(`where ${name} looks, ${headName()}`, `${name}看哪里（${headName()}）`), looks),
        beforeAndNow(say(`nearest to E[${name}]`, `离 E[${name}] 最近的字`), near),
        element("article", {}, element("h3", {textContent: title}), list),
    ];
}

/** "鱼 98% → 88%, 青 0.1% → 9%" */
function nextText(next) {
    const one = ({token, before, now}) => `${film.name(token)} ${percent(before)} → ${percent(now)}`;
    return next.map(one).join(say(", ", "，"));
}

function costText(costs) {
    if (!costs) return "…";
    const [a, b] = costs;
    const change = `${b.loss < a.loss ? "−" : "+"}${Math.abs(b.loss - a.loss).toFixed(3)}`;
    const parts = [
        film.texts ? say(`held-out loss ${change}`, `留出文档的损失 ${change}`) :
                     say(`loss of watched sentences ${change}`, `观察句的损失 ${change}`),
    ];
    const rules = film.rules?.list.filter(({probes}) => probes?.length).length;
    if (rules)
        parts.push(say(`rules known ${a.rules} → ${b.rules} of ${rules}`, `${rules} 条规则，懂得 ${a.rules} → ${b.rules} 条`));
    return say("What it cost: ", "代价：") + parts.join(" · ");
}

function drawBench() {
    const ids = bench.ids();
    setText(byId("teach-unknown"), unknownText());
    const steps = gpt.steps.map((step, i) => [i, grouped(step)]);
    chooseFrom(byId("teach-from"), say("from step", "从哪一步开始"), steps, gpt.at(), (i) => show(frameAt(gpt.steps[i])));
    const rates = [0.3, 1, 3]
                      .map((times) => kUsualRates[bench.optimizer] * times)
                      .map((rate) => [Number(rate.toPrecision(1)), short(rate, 1)]);
    chooseFrom(byId("teach-rate"), "η", rates, bench.rate, (rate) => changed((bench.rate = rate, {})));
    setText(byId("teach-going"), bench.going ? say("stop", "停") : say("train", "连续训练"));
    for (const id of ["teach-undo", "teach-again"]) byId(id).disabled = !bench.presses.length;
    if (gpt.difference === undefined || ids.length < 2) return;
    const {untaught} = bench;
    const [layer, head] = [state.layer, state.head];
    const t = bench.place();
    const {parts, final, question} = bench.answer.to({ids, snapshot: gpt.at(), t, layer, head, untaught});
    if (!parts.length) return;
    const {sides, t: at} = parts[0];
    const places = question.ids.map((id, i) => [i, film.name(id)]);
    chooseFrom(byId("teach-places"), say("after", "看哪个字之后"), places, at, (place) => {
        if (own.tokens.length) return choosePosition(place);
        own.open({text: kOffered[0], layer, head, query: place, keys: []});
    });
    const losses = [...bench.losses.slice(-6), sides[1].loss].map((loss) => loss.toFixed(2));
    const made = bench.here() ? bench.steps() : 0;
    setText(byId("teach-loss"),
        say(`your steps: ${made} · loss ${losses.join(" → ")}`, `你教了 ${made} 步 · 损失 ${losses.join(" → ")}`));
    fillAnew(byId("teach-cards"), [parts[0], question], () => benchCards(parts[0]));
    setText(byId("teach-cost"), costText(final));
    const others = question.untaught.map((text, i) => {
        const told = element("output", {textContent: nextText(parts[0].next[i] ?? [])});
        return element("li", {}, element("bdi", {textContent: text}), " ", told);
    });
    byId("teach-others").replaceChildren(...others);
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
