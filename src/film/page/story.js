// The story: what happened, in short sentences. Their words stand in index.html; a function here gives the values of
// their blanks, from the recorded numbers alone, and where one looks at them: {values, go: what is chosen there}. Where
// its numbers are missing, or say nothing, it gives nothing.

/** The first frame (or other index) from which on `holds` is always true; -1: not at the end. */
export function alwaysSince(count, holds) {
    let since = count;
    while (since > 0 && holds(since - 1)) --since;
    return since < count ? since : -1;
}
export const choices = (nats) => short(Math.exp(nats), 3);
export const lossUnit = () => film.per_character ? say("nats per character", "奈特/字符") : say("nats per token", "奈特/token");
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const listed = (words) => words.join(say(", ", "、"));

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

function storyOfData() {
    const {corpus, training: {text, batch, accumulate}, model, sentences_met: met = []} = film;
    const steps = film.curve.step.at(-1) ?? 0;
    const read = steps * batch * accumulate * model.context;
    if (!corpus.tokens || !steps) return;
    const there = met.flatMap((times, i) => times > 0 ? [quote(film.characters(i).join(""))] : []);
    const which = there.length ? say(` (${listed(there)})`, `（${listed(there)}）`) : "";
    const stand = met.length ? say(` Of the ${met.length} sentences watched here ${there.length} stand in it${which}.`,
                                   `这里观察的 ${met.length} 个句子，有 ${there.length} 个就在训练文本里${which}。`) :
                               "";
    const [documents, characters] = [corpus.documents, corpus.characters].map(grouped);
    const passes = short(read / corpus.tokens, 3);
    return {values: {text, documents, characters, steps: grouped(steps), read: grouped(read), passes, stand}};
}

/** Where the floor is known: how far whole documents are above it. */
function floorText() {
    const {floor} = film.guesses;
    const loss = film.curve.documents?.at(-1);
    if (!(floor > 0) || loss === undefined) return "";
    const [whole, above, least] = [loss, loss - floor, floor].map((x) => short(x));
    return say(` Read from the beginning of each document it is ${whole}. The floor is ${least}, ${above} lower.`,
        `每篇都从头读，损失是 ${whole}。理论下界是 ${least}，低 ${above}。`);
}

function storyOfLoss() {
    const {evaluated, validation} = film.curve;
    if (!validation.length) return;
    const groups = new Map();  // of the lines that it passed, by the evaluation since which it is below them
    for (const {y, name} of lossLevels()) {
        const since = alwaysSince(validation.length, (i) => validation[i] < y);
        groups.set(since, [...groups.get(since) ?? [], say(`“${name}” (${short(y)})`, `“${name}”（${short(y)}）`)]);
    }
    const passed =
        [...groups].map(([i, names]) => i < 0 ? say(` It is not yet below ${listed(names)}.`, `还没低于${listed(names)}。`) :
                                                say(` Since step ${grouped(evaluated[i])} it is below ${listed(names)}.`,
                                                    `第 ${grouped(evaluated[i])} 步起低于${listed(names)}。`));
    const [first, last] = [validation[0], validation.at(-1)];
    const [begin, end, before, after] = [short(first), short(last), choices(first), choices(last)];
    const values = {at: evaluated[0], begin, end, unit: lossUnit(), before, after, passed: passed.join(""), floor: floorText()};
    return {values};
}

function storyOfRules() {
    const list = film.rules?.list ?? [];
    if (!list.length || !film.rules.steps.length) return;
    const known = list.filter(({since}) => since !== null).sort((a, b) => a.since - b.since);
    const [n, all] = [known.length, list.length];
    const count = say(`It knows ${n} of ${all} rules`, n === all ? `${n} 条规则全懂了` : `${all} 条规则中懂得 ${n} 条`);
    const named = (rule) => [quote(ruleName(rule)), grouped(rule.since)];
    const tell = (word, [name, step]) =>
        say(` The ${word[0]} was ${name}, at step ${step}.`, `${word[1]}是第 ${step} 步的${name}。`);
    const first = n ? tell(["first", "最早"], named(known[0])) : "";
    const last = n > 1 ? tell(["last", "最晚"], named(known.at(-1))) : "";
    return {values: {count, first, last}};
}

export function storyOfHeads() {
    if (!own.number) return;
    const end = film.count - 1;
    const [layer, head] = roles.sharpened()[0];
    const [from, to] = [roles.spread(0, layer, head), roles.spread(end, layer, head)];
    if (!(from - to >= 0.1)) return;  // all of them are still about as even as at first
    const half = (from + to) / 2;
    const since = alwaysSince(film.count, (frame) => roles.spread(frame, layer, head) < half);
    const role = headRoles.there() ? headRoles.best(end, layer, head) : -1;
    const name = role < 0 ? "" : headRoles.roleName(film.roles[role]);
    const given = (frame) => stepName(film.steps[frame]) + say(": ", "：") + percent(headRoles.at(role, frame, layer, head));
    const told = `${given(0)} → ${given(end)}`;
    const habit = name && say(` Its attention on ${name}, ${told}.`, `它给${name}的注意力，${told}。`);
    const [a, b, c] = [from, to, half].map((x) => x.toFixed(2));
    const step = grouped(film.steps[since]);
    return {values: {head: capital(headName(layer, head)), from: a, to: b, half: c, step, habit}, go: {layer, head}};
}

export function storyOfMatrices() {
    const [way, end] = [weightWay, film.count - 1];
    const moved = matrixNames().filter((name) => way(end, name) > 0);
    if (!moved.length) return;
    const first = moved.reduce((a, b) => halfWay(b) < halfWay(a) ? b : a);
    const most = moved.reduce((a, b) => way(end, b) > way(end, a) ? b : a);
    const step = grouped(film.steps[halfWay(first)]);
    const middle = (part) => short(mean(moved.filter((name) => name.endsWith(part)).map((name) => way(end, name))), 3);
    const parts = {first: partName(first), most: capital(partName(most))};
    const values = {...parts, step, far: short(way(end, most), 3), Q: middle("W_Q"), K: middle("W_K")};
    return {values, go: {parameter: most}};
}

function storyOfNeighbours() {
    const token = film.watched.length ? firstToken() : undefined;
    if (token === undefined) return;
    const place = film.placeOfToken.get(token);
    const near = (frame) => film.neighbours(frame, place);
    const last = near(film.count - 1).map((n) => n.token);
    if (!last.length) return;
    const told = (frame) => listed(near(frame).slice(0, 3).map((n) => quote(film.name(n.token))));
    const half = Math.ceil(last.length / 2);
    const shared = (frame) => near(frame).filter(({token}) => last.includes(token)).length;
    const step = grouped(film.steps[alwaysSince(film.count, (frame) => shared(frame) >= half)]);
    const cosine = near(film.count - 1)[0].cosine.toFixed(2);
    const values = {name: quote(film.name(token)), first: told(0), begin: film.steps[0], now: told(film.count - 1), cosine, step};
    return {values, go: {token}};
}

function storyOfMemory() {
    const {step, loss, evaluated, validation} = film.curve;
    if (!validation.length || !loss.length) return;
    const count = Math.max(1, Math.round(loss.length / 20));
    const train = mean(loss.slice(-count));
    const last = validation.at(-1);
    const least = validation.indexOf(validation.reduce((a, b) => Math.min(a, b)));
    const [at, low, higher] = [grouped(evaluated[least]), short(validation[least]), short(last - validation[least])];
    const atEnd = least === validation.length - 1;
    const {bigram} = film.guesses;
    if (atEnd && bigram > 0 && last >= bigram) return;  // nothing is learned that it could overfit
    const verdict = atEnd ? say(`It did not overfit: the validation loss is lowest at the last evaluation, step ${at}.`,
                                `没有过拟合：验证损失在最后一次评估（第 ${at} 步）最低。`) :
                            say(`From step ${at} on it memorised: there the validation loss was lowest, ${low}. At the end it ` +
                                    `is ${higher} higher.`,
                                `第 ${at} 步以后是在死记：那时验证损失最低，${low}。最后高出 ${higher}。`);
    const rights = (film.rules?.list ?? []).map((rule) => rule.new?.at(-1)).filter(Number.isFinite);
    const [worst, best] = [Math.min(...rights), Math.max(...rights)].map(percent);
    const learned = rights.length ?
        say(` Of each rule ${worst} to ${best} of the combinations that the text never has are right.`,
            `文本里没有的新组合，各规则答对 ${worst} 到 ${best}。`) :
        "";
    const losses = {train: short(train), last: short(last), gap: short(last - train), unit: lossUnit()};
    return {values: {verdict, from: grouped(step.at(-count) ?? 0), ...losses, learned}};
}

const kStories = {
    data: storyOfData,
    loss: storyOfLoss,
    rules: storyOfRules,
    heads: storyOfHeads,
    matrices: storyOfMatrices,
    neighbours: storyOfNeighbours,
    memory: storyOfMemory,
};

function drawStory() {
    for (const [id, tell] of Object.entries(kStories)) {
        const found = tell();
        fill(`story-${id}`, found?.values);
        byId(`story-${id}`).parentElement.hidden = !found;
        byId(`story-${id}`).onclick = () => changed(found?.go ?? {});
    }
}

export function startStory() { panels.push(inLanguage(drawStory)); }
