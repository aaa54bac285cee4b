// What it knows: how many probes of a rule are right, since when, what looks and what carries.

export const ruleName = ({name, english}) => say(english, name);

/** Evaluations: the last one, and the one at or before the frame's step. */
export const ruleNow = {
    last: () => film.rules.steps.length - 1,
    at() {
        const step = film.steps[state.frame];
        return Math.max(0, film.rules.steps.findLastIndex((evaluated) => evaluated <= step));
    },
};

/** Its head, and one of its probes, which the model reads as a sentence of the reader's own. */
function openRule(index) {
    const {heads, example} = film.rules.list[index];
    const [layer, head] = heads[ruleNow.last()] ?? [state.layer, state.head];
    changed({rule: index, layer, head});
    if (!example || gpt.difference === undefined) return;
    const keys = example.answerer.flatMap(([first, last]) => Array.from({length: last - first + 1}, (_, i) => first + i));
    const {text, asker} = example;
    own.open({text, layer, head, query: asker, keys});
}

/**
 * Shares of right answers over the steps, with the line above which a rule is known; lines: {points: [[step, share]], stroke,
 * width}. Gives where a point lies.
 */
export function drawShares(pen, {x, y, w, h}, across, lines) {
    const at = ([step, share]) => [x + w * across(step), y + h * (1 - share)];
    pen.rect(x, y, w, h, {fill: theme.paper});
    pen.line([[x, y + 0.1 * h], [x + w, y + 0.1 * h]], {stroke: theme.muted, dash: [2, 3], width: 1});
    for (const {points, ...style} of lines) pen.line(points.filter(([, share]) => Number.isFinite(share)).map(at), style);
    return at;
}

const ruleCurves = {
    lines: true,
    title: () => say("right answers, 0 to 100%: new probes (strong), seen (thin); a dot: known since",
        "答对的比例，0 到 100%：新组合（粗线），见过的（细线）；圆点：从此一直算懂得"),
    layout: (width) => flow(width, film.rules.list.length, {least: 165, tall: 110, atMost: 7, more: 16}),
    draw(pen) {
        const {wide, tall, place} = this.layout(pen.width);
        const axis = new StepAxis(lastStep());
        film.rules.list.forEach((rule, index) => {
            const [x, y] = place(index);
            if (index === state.rule) pen.rect(x + 2, y + 1, wide - 4, tall - 4, {stroke: theme.accent, width: 2, radius: 6});
            this.drawRule(pen, rule, axis, {x: x + 12, y: y + 54, w: wide - 24, h: tall - 66});
            pen.touch(x, y, wide, tall, {
                tip: (at) => this.tip(rule, axis.step((at.x - x - 12) / (wide - 24))),
                click: () => openRule(index),
                rows: film.rules.steps.length,
                row: ({row}) => this.row(rule, row),
            });
        });
        const last = grouped(lastStep());
        const logarithmic = state.logSteps ? say(", beginning large", "，放大前段") : "";
        const note = say(`each from step 0 to ${last}${logarithmic}`, `横轴都是第 0 到 ${last} 步${logarithmic}`);
        pen.note(note, pen.width - 8, pen.height - 8, "right");
    },
    drawRule(pen, rule, axis, {x, y, w, h}) {
        const {since} = rule;
        const head = rule.heads[ruleNow.last()];
        const known =
            since === null ? say("not known yet", "还没懂") : say(`since step ${grouped(since)}`, `第 ${grouped(since)} 步起`);
        const weight = rule.weights[ruleNow.last()]?.toFixed(2);
        pen.name(ruleName(rule), 0.9 * w, x, y - 38, {size: 13, weight: 600});  // bold is wider
        pen.name(known, w, x, y - 23, {size: 11, fill: theme.muted});
        const looks = head ? say(`${headName(...head)} looks ${weight}`, `${headName(...head)} 关注 ${weight}`) : "";
        pen.name(looks, w, x, y - 9, {size: 11, fill: theme.muted});
        const {steps} = film.rules;
        const at = drawShares(pen, {x, y, w, h}, (step) => axis.share(step), [
            {points: pairs(steps, rule.seen), stroke: theme.muted, width: 1.2},
            {points: pairs(steps, rule.new), stroke: theme.accent, width: 2.4},
        ]);
        if (since !== null) pen.circle(...at([since, rule.new[steps.indexOf(since)] ?? 0.9]), 4.5, {fill: theme.real});
        const [now] = at([film.steps[state.frame], 0]);
        pen.line([[now, y], [now, y + h]], {stroke: theme.accent, width: 1});
    },
    tip(rule, near) {
        const {steps} = film.rules;
        const at = nearestIndex(steps, near);
        const [seen, unseen, form] = ["seen", "new", "form"].map((part) => percent(rule[part][at] ?? NaN));
        const shares = say(`new ${unseen}, seen ${seen}, new form ${form}`, `新组合 ${unseen}，见过的 ${seen}，新句式 ${form}`);
        const worst = rule.worst[at] ? say(`\nworst answer ${rule.worst[at]}`, `\n最差的答案 ${rule.worst[at]}`) : "";
        return `${ruleName(rule)}\n${stepName(steps[at])}: ${shares}${worst}`;
    },
    columns: ["rule", "step", "seen", "new", "form", "worst", "margin", "block.head", "looks_weight"],
    row(rule, i) {
        return [
            ruleName(rule), film.rules.steps[i], ...["seen", "new", "form", "worst", "margin"].map((part) => rule[part][i] ?? ""),
            rule.heads[i]?.join(".") ?? "", rule.weights[i]
        ];
    },
    down: (by) => openRule(around(state.rule + by, film.rules.list.length)),
};

/** One row a rule: since when, what looks and carries, how many right at this frame, and the worst of its answers. */
function drawRuleTable() {
    const [at, last] = [ruleNow.at(), ruleNow.last()];
    const recorded = (part) => film.rules.list.some((rule) => rule[part]?.some((told) => told !== null));
    const columns = [
        [say("known since", "从哪一步起懂得"), ({since}) => since === null ? "–" : stepName(since)],
        [say("looks", "关注"), ({heads}) => heads[last] ? headName(...heads[last]) : "–"],
        [say("weight", "对依据的注意力"), ({weights}) => weights[last]?.toFixed(2) ?? "–"],
        [say("carries", "起作用"), ({carries}) => carries ? nameOfPart(carries) : "–"],
        [say("points lost", "少答对（百分点）"), ({carries}) => carries?.points.toFixed(0) ?? "–"],
        [say("new", "新组合"), (rule) => percent(rule.new[at] ?? NaN)],
        [say("seen", "见过的"), ({seen}) => percent(seen[at] ?? NaN)],
        ...recorded("form") ? [[say("new form", "新句式"), ({form}) => percent(form[at] ?? NaN)]] : [],
        ...recorded("worst") ? [[say("worst answer", "最差的答案"), ({worst}) => worst[at] ?? "–"]] : [],
    ];
    const rows = film.rules.list.map((rule, index) => {
        const row = namedRow(button(ruleName(rule), () => openRule(index)), columns.map(([, tell]) => tell(rule)));
        row.classList.toggle("now", index === state.rule);
        return row;
    });
    const heading = [say("rule", "规则"), ...columns.map(([name]) => name)];
    byId("rule-table").replaceChildren(rowOf(heading, "th"), ...rows);
    fill("rule-note", {asked: stepName(film.rules.steps[at]), end: stepName(film.rules.steps[last])});
}

/** One of the rule's probes: who asks, what decides, what is right. */
function drawRuleExample() {
    const place = byId("rule-example");
    const rule = film.rules.list[state.rule];
    if (!rule?.example) return place.replaceChildren();
    const {text, right, wrong, asker, answerer} = rule.example;
    const decides = (i) => answerer.some(([first, last]) => first <= i && i <= last);
    const characters = [...text].map((textContent, i) => {
        const className = i === asker ? "asks" : decides(i) ? "decides" : "";
        return element(className ? "b" : "span", {textContent, className});
    });
    const head = rule.heads[ruleNow.last()];
    const see = head && say(`see ${headName(...head)}`, `去看 ${headName(...head)}`);
    const look = button(see, () => aim.go("attention"), {hidden: !head});
    const answer = say(` → right: ${quote(right)}, wrong: ${wrong.map(quote).join(" ")}. `,
        ` → 对：${quote(right)}，错：${wrong.map(quote).join("")}。`);
    const name = say(`One probe of ${quote(ruleName(rule))}: `, `${quote(ruleName(rule))}的一个测试句：`);
    place.replaceChildren(name, ...characters, answer, look);
}

export function startRules() {
    if (!film.rules) return;
    new Figure("rules", ruleCurves);
    panels.push(whenSeen("rules", drawRuleTable), whenSeen("rules", drawRuleExample));
}
