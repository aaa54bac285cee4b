// The story's sentences about what was read and what was learned (story.js has the others).

export const choices = (nats) => short(Math.exp(nats), 3);
export const lossUnit = () => film.per_character ? say("nats per character", "奈特/字符") : say("nats per token", "奈特/token");

export function storyOfData() {
    const {corpus, training, model} = film;
    const steps = film.curve.step.at(-1) ?? 0;
    const read = steps * training.batch * training.accumulate * model.context;
    if (!corpus.tokens || !steps) return;
    const passes = short(read / corpus.tokens, 3);
    const met = film.sentences_met;
    const there = (met ?? []).flatMap((times, i) => times > 0 ? [i] : []);
    const quoted = there.map((i) => quote(film.characters(i).join(""))).join(say(", ", "、"));
    const which = there.length ? say(` (${quoted})`, `（${quoted}）`) : "";
    const known = met ? say(`; of the ${met.length} sentences watched here ${there.length} stand in it${which}`,
                            `；这里观察的 ${met.length} 个句子有 ${there.length} 个就在训练文本里${which}`) :
                        "";
    const [all, documents, taken] = [corpus.characters, corpus.documents, steps].map(grouped);
    const text = say(`It learned from ${training.text}: ${all} characters in ${documents} ` +
            `${corpus.documents === 1 ? "document" : "documents"}, and about a tenth more is kept for validation; its ${taken} ` +
            `steps read ${grouped(read)} tokens, which is ${passes} times that text${known}.`,
        `它从 ${training.text} 学习：${documents} 篇共 ${all} 个字符，另留约十分之一只作验证；${taken} 步一共读了 ` +
            `${grouped(read)} 个 token，相当于把训练文本读了 ${passes} 遍${known}。`);
    return {id: "data", text, section: "curves"};
}

/** Guesses from the worst to the best: {y, name}; those of whom the film knows the loss. */
export function lossLevels() {
    const {uniform, unigram, bigram, trigram} = film.guesses;
    const levels = [
        {y: uniform, name: say("all tokens as likely (ln V)", "均匀猜测（ln V）")},
        {y: unigram, name: say("unigram model", "一元模型")},
        {y: bigram, name: say("bigram model", "二元模型")},
        {y: trigram, name: say("trigram model", "三元模型")},
    ];
    return levels.filter(({y}) => y > 0);  // 0: an older film does not know it
}

/** Where the floor is known: how far whole documents are above it. */
function floorText() {
    const {floor} = film.guesses;
    const loss = film.curve.documents?.at(-1);
    if (!(floor > 0) || loss === undefined) return "";
    const [whole, above] = [loss, loss - floor].map((x) => short(x));
    return say(`; read from the beginning of each document, as the floor assumes, it is ` +
            `${whole}: ${above} above the floor ${short(floor)}`,
        `；若每篇都从头读（理论下界就是这样算的），损失是 ${whole}，比理论下界 ${short(floor)} 高 ` +
            `${above}`);
}

export function storyOfLoss() {
    const {evaluated, validation} = film.curve;
    if (!validation.length) return;
    const [first, last] = [validation[0], validation.at(-1)];
    const since = ({y}) => alwaysSince(validation.length, (i) => validation[i] < y);
    const names = (levels) =>
        levels.map(({y, name}) => say(`“${name}” (${short(y)})`, `“${name}”（${short(y)}）`)).join(say(", ", "、"));
    const groups = new Map();
    for (const level of lossLevels()) groups.set(since(level), [...groups.get(since(level)) ?? [], level]);
    const passed = [...groups].map(([i, levels]) => {
        if (i < 0) return say(`not yet below ${names(levels)}`, `还没低于${names(levels)}`);
        const step = grouped(evaluated[i]);
        return say(`below ${names(levels)} since step ${step}`, `第 ${step} 步起低于${names(levels)}`);
    });
    const begin = `${short(first)}${say(" at step ", "（第 ")}${evaluated[0]}${say("", " 步）")}`;
    const text =
        say(`The validation loss went from ${begin} to ${short(last)} ${lossUnit()}: as unsure as among ${choices(last)} ` +
                `equally likely choices instead of ${choices(first)} (the vocabulary has ${film.model.vocabulary}); ` +
                `${passed.join(", ")}${floorText()}.`,
            `验证损失从 ${begin}降到 ${short(last)} ${lossUnit()}：好比从 ${choices(first)} 个同样可能的选择减到 ` +
                `${choices(last)} 个（词表有 ${film.model.vocabulary} 个 token）；${passed.join("，")}${floorText()}。`);
    return {id: "loss", text, section: "curves"};
}

export function storyOfRules() {
    const list = film.rules?.list ?? [];
    if (!list.length || !film.rules.steps.length) return;
    const known = list.filter(({since}) => since !== null).sort((a, b) => a.since - b.since);
    const count = say(`It knows ${known.length} of ${list.length} rules`,
        known.length === list.length ? `${list.length} 条规则全懂了` : `${list.length} 条规则中懂得 ${known.length} 条`);
    const meaning = say("from then on at least 90% right, of seen and of new probes, and 75% of each answer",
        "此后，见过的和新组合的测试句都一直答对 90% 以上，每个答案都答对 75% 以上");
    const tell = (rule) => say(
        `${quote(ruleName(rule))} since step ${grouped(rule.since)}`, `${quote(ruleName(rule))}第 ${grouped(rule.since)} 步起`);
    const [first, last] = [known[0], known.at(-1)];
    const order = known.length > 1 ?
        say(`: first ${tell(first)}, last ${tell(last)}`, `：最早${tell(first)}，最晚${tell(last)}`) :
        known.length ? `${say(": ", "：")}${tell(first)}` :
                       "";
    const text = say(`${count} (${meaning})${order}.`, `${count}（${meaning}）${order}。`);
    return {id: "rules", text, section: "rules"};
}

export function storyOfCarrier() {
    if (!film.rules?.steps.length) return;
    const last = film.rules.steps.length - 1;
    const weight = (rule) => rule.since === null ? 0 : rule.weights[last] ?? 0;
    const rule = film.rules.list.reduce((a, b) => weight(b) > weight(a) ? b : a);
    if (!weight(rule)) return;
    const [layer, head] = rule.heads[last];
    const share = rule.weights[last].toFixed(2);
    const step = grouped(film.rules.steps[last]);
    const [part, points] = rule.carries ?? [];
    const lost = points?.toFixed(0);
    const carries = !part ?
        "" :
        say(`; ${part === shortHead([layer, head]) ? "it also carries the rule" : `what carries the rule is ${part}`}: with ` +
                `its mean in its place, ${lost} percentage points of right answers are lost`,
            `；起作用的${part === shortHead([layer, head]) ? "也是它" : `却是 ${part}`}：` +
                `均值替换后答对率下降 ${lost} 个百分点`);
    const text = say(`${headName(layer, head)}, looks at what decides ${quote(ruleName(rule))}: at step ` +
            `${step} it puts ${share} of its weight there, in the mean over the new probes` +
            `${carries}.`,
        `${headName(layer, head)} 关注${quote(ruleName(rule))}的依据：第 ${step} 步时，它把 ` +
            `${share} 的注意力权重` +
            `放在决定答案的字上（全部新组合测试句的平均）${carries}。`);
    return {id: "carrier", text, section: "rules", go: {layer, head, rule: film.rules.list.indexOf(rule)}};
}
