// From nothing: the run's model learns once more, from step 0, while the reader looks on.

const learning = {
    steps: 300,
    going: false,
    losses: [],   // [step, loss]
    answers: [],  // {step, rules, sample}
    seconds: 0,   // so far, without pauses
    drawn: 0,     // when, last

    at() { return this.losses.at(-1)?.[0] ?? 0; },
    over() { return this.at() >= this.steps && this.answers.at(-1)?.step >= this.steps; },
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
    async again(steps = this.steps) {
        await this.stop();
        Object.assign(this, {steps, losses: [], answers: [], seconds: 0});
        changed();
    },
    /** The bench, and all panels, show what has been learned so far. */
    async adopt() {
        await ask("adopt", {});
        [bench.losses, bench.presses] = [this.losses.map(([, loss]) => loss), [this.at()]];
        gpt.taught.snapshot = 0;
        show(frameAt(0));
        await bench.follow();
        aim.go("teach");
    },
    words() {
        const step = this.at();
        if (!step) return say(`${this.steps} steps`, `共 ${this.steps} 步`);
        const left = Math.round((this.steps - step) * this.seconds / step);
        const rules = this.answers.at(-1)?.rules ?? [];
        const mean = rules.reduce((a, b) => a + b, 0) / rules.length;
        const right = rules.length ? say(` · ${percent(mean)} of the answers right`, ` · 测试句答对 ${percent(mean)}`) : "";
        const time = this.over() ? "" : say(`, about ${left} s left`, `，大约还要 ${left} 秒`);
        const [loss, taken] = [this.losses.at(-1)[1].toFixed(2), Math.round(this.seconds)];
        return say(`step ${step} of ${this.steps} · loss ${loss}${right} · ${taken} s${time}`,
            `第 ${step} / ${this.steps} 步 · 损失 ${loss}${right} · 已用 ${taken} 秒${time}`);
    },
};

/** One small picture a rule: the share of right answers to its ten probes. */
const learnedRules = {
    lines: true,
    title: () =>
        say("right answers to ten new probes of each rule, 0 to 100%", "每条规则 10 个没见过的测试句，答对的比例，0 到 100%"),
    rules: () => film.rules?.list.filter(({probes}) => probes?.length) ?? [],
    across(width) { return Math.max(1, Math.min(7, Math.floor(width / 165), this.rules().length)); },
    height(width) { return 74 * Math.ceil(this.rules().length / this.across(width)); },
    draw(pen) {
        const wide = pen.width / this.across(pen.width);
        this.rules().forEach((rule, i) => {
            const [x, y] = [(i % this.across(pen.width)) * wide + 10, 74 * Math.floor(i / this.across(pen.width))];
            const points = this.points(i);
            pen.name(ruleName(rule), 0.9 * (wide - 60), x, y + 12, {size: 12, weight: 600});
            if (points.length) pen.text(percent(points.at(-1)[1]), x + wide - 20, y + 12, {align: "right", size: 12});
            pen.rect(x, y + 24, wide - 20, 40, {fill: theme.raised});
            const place = ([step, share]) => [x + (wide - 20) * step / learning.steps, y + 64 - 40 * share];
            pen.line(points.map(place), {stroke: theme.accent, width: 2});
            for (const point of points) pen.circle(...place(point), 2.4, {fill: theme.accent});
            const told = () => points.map(([step, share]) => `${stepName(step)}  ${percent(share)}`).join("\n");
            pen.touch(x, y, wide - 20, 70, {tip: told});
        });
    },
    points: (i) => learning.answers.map(({step, rules}) => [step, rules[i]]),
    table() {
        const rows = learning.answers.map(({step, rules}) => [step, ...rules]);
        return {columns: ["step", ...this.rules().map(ruleName)], rows};
    },
};

const learnedLoss = {
    lines: true,
    title: () => say("loss of each step, nats per token", "每一步的损失（奈特/token）"),
    height: () => 150,
    draw(pen) {
        const [left, w, h] = [34, pen.width - 44, pen.height - 26];
        const most = Math.log(film.model.vocabulary);
        const place = ([step, loss]) => [left + w * step / learning.steps, 8 + h * (1 - Math.min(1, loss / most))];
        for (const loss of ticks(0, most, 4)) {
            const [, y] = place([0, loss]);
            pen.line([[left, y], [left + w, y]], {stroke: theme.line});
            pen.note(String(loss), left - 6, y, "right");
        }
        for (const step of ticks(0, learning.steps, pen.width < 500 ? 3 : 6))
            pen.note(grouped(step), place([step, 0])[0], pen.height - 8, "center");
        pen.line(learning.losses.map(place), {stroke: theme.accent, width: 1.6});
        const at = (x) => learning.losses[Math.round((x - left) / w * learning.steps) - 1];
        const tip = ({x}) => at(x) ? `${stepName(at(x)[0])}\n${at(x)[1].toFixed(3)}` : "";
        pen.touch(left, 0, w, pen.height, {tip});
    },
    table: () => ({columns: ["step", "loss"], rows: learning.losses}),
};

function drawLearning() {
    setText(byId("learn-words"), learning.words());
    const begun = learning.at() > 0;
    const go = learning.going ? say("stop", "停") : begun ? say("go on", "继续") : say("train from step 0", "从第 0 步训练");
    setText(byId("learn-go"), go);
    byId("learn-go").disabled = learning.over();
    byId("learn-again").disabled = !begun;
    byId("learn-adopt").disabled = !begun || learning.going;
    byId("learn-curves").hidden = !begun;
    const many = [100, 300, 1000].map((steps) => [steps, grouped(steps)]);
    chooseFrom(byId("learn-steps"), say("steps", "步数"), many, learning.steps, (steps) => learning.again(steps));
    const samples = learning.answers.map(({step, sample}) => {
        const text = sample.map((token) => film.name(token)).join("");
        return element("li", {}, element("b", {textContent: stepName(step)}), " ", element("bdi", {textContent: text}));
    });
    if (byId("learn-samples").childElementCount !== samples.length || byId("learn-samples").lang !== root.lang)
        byId("learn-samples").replaceChildren(...samples.reverse());
    byId("learn-samples").lang = root.lang;
    const {optimizer, peak, warmup, decay, dropout, batch, accumulate} = film.training;
    const without = dropout > 0 ? say("; without its dropout", "；不用 dropout") : "";
    const recipe = say(`${optimizer}, peak η ${short(peak, 2)}, warm-up ${warmup}, weight decay ${short(decay, 2)}, ` +
            `${batch * accumulate} × ${film.model.context} tokens a step${without}`,
        `${optimizer}，最高 η ${short(peak, 2)}，预热 ${warmup} 步，权重衰减 ${short(decay, 2)}，每步 ${batch * accumulate} × ${
            film.model.context} 个 token${without}`);
    setText(byId("learn-recipe"), recipe);
}

/** It needs the text, and the weights of step 0. */
function learnable() { return film.texts?.train.count > film.model.context && gpt.steps[0] === 0; }

function startLearning() {
    if (!learnable()) return;
    byId("learn-go").onclick = () => learning.going ? learning.stop() : learning.go();
    byId("learn-again").onclick = () => learning.again();
    byId("learn-adopt").onclick = () => learning.adopt();
    new Figure("learn-loss", learnedLoss);
    if (learnedRules.rules().length) new Figure("learn-rules", learnedRules);
    panels.push(whenSeen("learn", drawLearning));
    changed();
}

export {learning, learnable, startLearning};
