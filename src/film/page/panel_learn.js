// From nothing: the run's model learns once more, from step 0, while the reader looks on.

export const learning = {
    steps: 300,
    going: false,
    losses: [],   // [step, loss]
    answers: [],  // {step, rules, sample}
    seconds: 0,   // so far, without pauses
    drawn: 0,     // when, last

    at: () => learning.losses.at(-1)?.[0] ?? 0,
    over: () => learning.at() >= learning.steps && learning.answers.at(-1)?.step >= learning.steps,
    tell(value, begun) {
        if (value.rules)
            this.answers.push(value);
        else
            this.losses.push([value.step, value.loss]);
        const now = performance.now();
        this.seconds = begun.before + (now - begun.at) / 1000;
        if (!value.rules && now - this.drawn < 250) return;  // drawing takes time from learning
        this.drawn = now;
        changed();
    },
    async go() {
        if (this.going || this.over()) return;
        this.going = true;
        changed();
        const begun = {at: performance.now(), before: this.seconds};
        const question = {steps: this.steps, again: this.at() === 0};
        await ask("learn", question, (value) => this.tell(value, begun));
        this.going = false;
        changed();
    },
    async stop() {
        await ask("halt", {}, undefined, "learn");
        while (this.going) await new Promise((next) => setTimeout(next, 5));
    },
    async again() {
        await this.stop();
        Object.assign(this, {losses: [], answers: [], seconds: 0});
        changed();
    },
    /** The bench, and all panels, show what has been learned so far. */
    async adopt() {
        await ask("adopt", {});
        [bench.losses, bench.presses] = [this.losses.map(([, loss]) => ({loss})), [this.at()]];
        gpt.taught.snapshot = 0;
        show(frameAt(0));
        await bench.follow();
        aim.go("teach");
    },
    words() {
        const [step, {steps}] = [this.at(), this];
        if (!step) return;
        const left = Math.round((steps - step) * this.seconds / step);
        const right = percent(mean(this.answers.at(-1)?.rules ?? []));
        const time = this.over() ? "" : say(`, about ${left} s left`, `，大约还要 ${left} 秒`);
        return {step, steps, loss: this.losses.at(-1)[1].toFixed(2), right, taken: Math.round(this.seconds), time};
    },
};

/** One small picture a rule: the share of right answers to its ten probes. */
const learnedRules = {
    columns: ["rule", "step", "right"],
    lines: true,
    title: () =>
        say("right answers to ten new probes of each rule, 0 to 100%", "每条规则 10 个没见过的测试句，答对的比例，0 到 100%"),
    rules: () => film.rules?.list.filter(({probes}) => probes?.length) ?? [],
    layout: (width) => flow(width, learnedRules.rules().length, {least: 165, tall: 74, atMost: 7}),
    draw(pen) {
        const {wide, place: corner} = this.layout(pen.width);
        this.rules().forEach((rule, i) => {
            const [left, y] = corner(i);
            const x = left + 10;
            const points = this.points(i);
            pen.name(ruleName(rule), 0.9 * (wide - 60), x, y + 12, {size: 12, weight: 600});
            if (points.length) pen.text(percent(points.at(-1)[1]), x + wide - 20, y + 12, {align: "right", size: 12});
            const line = {points, stroke: theme.accent, width: 2};
            const at = drawShares(pen, {x, y: y + 24, w: wide - 20, h: 40}, (step) => step / learning.steps, [line]);
            for (const point of points) pen.circle(...at(point), 2.4, {fill: theme.accent});
            const told = () => points.map(([step, share]) => `${stepName(step)}  ${percent(share)}`).join("\n");
            const row = ({row}) => [ruleName(rule), ...points[row]];
            pen.touch(x, y, wide - 20, 70, {tip: told, rows: points.length, row});
        });
    },
    points: (i) => learning.answers.map(({step, rules}) => [step, rules[i]]),
};

/** As a chart whose steps are these. */
const learnedLoss = () => ({
    series: [{points: learning.losses, width: 1.6}],
    levels: [{...lossLevels()[0], y: Math.log(film.model.vocabulary)}],
    from: 0,
    last: learning.steps,
    even: true,
});

function drawLearning() {
    fill("learn-words", learning.words());
    const begun = learning.at() > 0;
    const go = learning.going ? say("stop", "停") : begun ? say("go on", "继续") : say("train from step 0", "从第 0 步训练");
    setText(byId("learn-go"), go);
    byId("learn-go").disabled = learning.over();
    byId("learn-again").disabled = !begun;
    byId("learn-adopt").disabled = !begun || learning.going;
    byId("learn-curves").hidden = !begun;
    const samples = () => [...learning.answers].reverse().map(({step, sample}) => {
        const text = sample.map((token) => film.name(token)).join("");
        return element("li", {}, element("b", {textContent: stepName(step)}), " ", element("bdi", {textContent: text}));
    });
    fillAnew(byId("learn-samples"), learning.answers.length, samples);
    const {optimizer, peak, warmup, decay, dropout, batch, accumulate} = film.training;
    const values = {optimizer, warmup, peak: short(peak, 2), decay: short(decay, 2), batch: batch * accumulate};
    const without = dropout > 0 ? say("; without its dropout", "；不用 dropout") : "";
    fill("learn-recipe", {...values, context: film.model.context, without});
}

/** It needs the text, and the weights of step 0. */
export function learnable() { return film.texts?.train.count > film.model.context && gpt.steps[0] === 0; }

export function startLearning() {
    if (!learnable()) return;
    byId("learn-go").onclick = () => learning.going ? learning.stop() : learning.go();
    chooseIn("learn-steps", learning, "steps", () => learning.again());
    byId("learn-again").onclick = () => learning.again();
    byId("learn-adopt").onclick = () => learning.adopt();
    new Chart("learn-loss", 170, () => say("loss of each step, nats per token", "每一步的损失（奈特/token）"), learnedLoss);
    if (learnedRules.rules().length) new Figure("learn-rules", learnedRules);
    panels.push(whenSeen("learn", drawLearning));
    changed();
}
