// The story: what happened, in a few sentences that are written from the recorded numbers alone. Each is {id, text,
// section, go: what is chosen there}, or nothing where its numbers are missing.

/** The first frame (or other index) from which on `holds` is always true; -1: not at the end. */
export function alwaysSince(count, holds) {
    let since = count;
    while (since > 0 && holds(since - 1)) --since;
    return since < count ? since : -1;
}
function storyOfHeads() {
    if (!own.number) return;
    const end = film.count - 1;
    const fell = ([layer, head]) => roles.spread(0, layer, head) - roles.spread(end, layer, head);
    const [layer, head] = film.heads.reduce((a, b) => fell(b) > fell(a) ? b : a);
    if (!(fell([layer, head]) >= 0.1)) return;  // all of them are still about as even as at first
    const [from, to] = [roles.spread(0, layer, head), roles.spread(end, layer, head)];
    const half = (from + to) / 2;
    const since = alwaysSince(film.count, (frame) => roles.spread(frame, layer, head) < half);
    const step = grouped(film.steps[since]);
    const next = [...film.heads].sort((a, b) => fell(b) - fell(a)).slice(1, 3);
    const others = next.map(([l, h]) => `${l}.${h} (${roles.spread(end, l, h).toFixed(2)})`);
    const then = others.length ? say(`; then ${others.join(", ")}`, `；其次是头 ${others.join("、")}`) : "";
    const role = headRoles.there() ? headRoles.of(layer, head).role : -1;
    const name = role < 0 ? "" : headRoles.roleName(film.roles[role]);
    const habit = name && say(` It looks most at ${name}.`, `它最常看${name}。`);
    const text = say(`${headName(layer, head)}, sharpened most: its spread over the sentences fell from ${from.toFixed(2)} to ` +
            `${to.toFixed(2)} (1 is even), and stays below ${half.toFixed(2)} since step ${step}${then}.${habit}`,
        `${headName(layer, head)} 变得最集中：它在观察句上的分散程度从 ${from.toFixed(2)} 降到 ${to.toFixed(2)}（1 为均` +
            `匀），第 ${step} 步起一直低于 ${half.toFixed(2)}${then}。${habit}`);
    return {id: "heads", text, section: "attention", go: {layer, head}};
}

function storyOfMatrices() {
    const names = film.parameters.map(({name}) => name).filter((name) => isMatrix(name));
    const end = film.count - 1;
    const way = (frame, name) => weightValue("way", frame, name);
    const moved = names.filter((name) => way(end, name) > 0);
    if (!moved.length) return;
    const half = (name) => alwaysSince(film.count, (f) => way(f, name) >= way(end, name) / 2);
    const first = moved.reduce((a, b) => half(b) < half(a) ? b : a);
    const most = moved.reduce((a, b) => way(end, b) > way(end, a) ? b : a);
    const [step, far] = [grouped(film.steps[half(first)]), short(way(end, most), 3)];
    const late = grouped(film.steps[half(most)]);
    const mean = (part) => {
        const ways = moved.filter((name) => name.endsWith(part)).map((name) => way(end, name));
        return short(ways.reduce((a, b) => a + b, 0) / (ways.length || 1), 3);
    };
    const [Q, K] = [mean("W_Q"), mean("W_K")];
    const text = say(
        `Of the matrices ${partName(first)} was the first to have gone half of its way, by step ${step}; ${partName(most)} is ` +
            `furthest from its beginning, ${far} times its first length (half of that by step ${late}). In the mean over the ` +
            `blocks W_Q is ${Q} of its lengths away, W_K ${K}.`,
        `各矩阵中，${partName(first)} 最先走完一半的路（第 ${step} 步）；${partName(most)} 走得最远，离起点 ${far} 个初始` +
            `长度（第 ${late} 步走完一半）。各层平均，W_Q 离起点 ${Q} 个初始长度，W_K ${K} 个。`);
    return {id: "matrices", text, section: "weights", go: {parameter: most}};
}

function storyOfMemory() {
    const {step, loss, evaluated, validation} = film.curve;
    if (!validation.length || !loss.length) return;
    const count = Math.max(1, Math.round(loss.length / 20));
    const train = loss.slice(-count).reduce((sum, x) => sum + x, 0) / count;
    const last = validation.at(-1);
    const least = validation.indexOf(validation.reduce((a, b) => Math.min(a, b)));
    const [at, low] = [grouped(evaluated[least]), short(validation[least])];
    const atEnd = least === validation.length - 1;
    const {bigram} = film.guesses;
    if (atEnd && bigram > 0 && last >= bigram) return;  // nothing is learned that it could overfit
    const verdict = atEnd ?
        say(`It did not overfit: the validation loss is lowest at the last evaluation, step ${at}`,
            `没有过拟合：验证损失在最后一次评估（第 ${at} 步）最低`) :
        say(`From step ${at} on it memorised: there the validation loss was lowest (${low}), at the end it is ` +
                `${short(last - validation[least])} higher`,
            `第 ${at} 步以后是在死记：那时验证损失最低（${low}），最后高出 ${short(last - validation[least])}`);
    const from = grouped(step.at(-count) ?? 0);
    const rights = (film.rules?.list ?? []).map((rule) => rule.new?.at(-1)).filter(Number.isFinite);
    const [worst, best] = [Math.min(...rights), Math.max(...rights)].map(percent);
    const learned = rights.length ?
        say(` Of each rule ${worst} to ${best} of the combinations that the text never has are right.`,
            `文本里没有的新组合，各规则答对 ${worst} 到 ${best}。`) :
        "";
    const text = say(`${verdict}. Training loss ${short(train)} (mean since step ${from}), validation ${short(last)}: a gap of ` +
            `${short(last - train)} ${lossUnit()}.${learned}`,
        `${verdict}。训练损失 ${short(train)}（第 ${from} 步以后的平均），验证损失 ${short(last)}，相差 ` +
            `${short(last - train)} ${lossUnit()}。${learned}`);
    return {id: "memory", text, section: "curves"};
}

function storyOfNeighbours() {
    const token = film.watched.length ? firstToken() : undefined;
    if (token === undefined) return;
    const place = film.placeOfToken.get(token);
    const near = (frame) => film.neighbours(frame, place).slice(0, 3);
    const now = near(film.count - 1);
    if (!now.length) return;
    const name = quote(film.name(token));
    const told = (n) => quote(film.name(n.token));
    const names = now.map((n) => `${told(n)} ${n.cosine.toFixed(2)}`).join(say(", ", "、"));
    const first = near(0).map(told).join(say(", ", "、"));
    const eight = (frame) => film.neighbours(frame, place).map((n) => n.token);
    const last = new Set(eight(film.count - 1));
    const half = Math.ceil(last.size / 2);
    const shared = (frame) => eight(frame).filter((token) => last.has(token)).length;
    const since = alwaysSince(film.count, (frame) => shared(frame) >= half);
    const step = grouped(film.steps[since]);
    const text =
        say(`The nearest to ${name} were ${first} at step ${film.steps[0]}; at the end they are ${names} (cosine). Of the last ` +
                `frame's ${last.size} nearest at least ${half} have been among its nearest in every frame since step ${step}.`,
            `与${name}最近的字，第 ${film.steps[0]} 步是${first}；最后是${names}（余弦相似度）。末帧的 ${last.size} 个近邻，` +
                `从第 ${step} 步起每一帧都至少有 ${half} 个已在近邻之中。`);
    return {id: "neighbours", text, section: "timeline-title", go: {token}};
}

const kStories =
    [storyOfData, storyOfLoss, storyOfRules, storyOfCarrier, storyOfHeads, storyOfMatrices, storyOfNeighbours, storyOfMemory];
export const story = () => kStories.map((tell) => tell()).filter((found) => found);

let toldIn = "";
function drawStory() {
    if (toldIn === root.lang) return;
    toldIn = root.lang;
    const items = story().map(({id, text, section, go}) => {
        const textContent = text[0].toUpperCase() + text.slice(1);
        const link = element("a", {href: `#${section}`, textContent});
        link.onclick = () => changed(go ?? {});
        const item = element("li", {}, link);
        item.dataset.story = id;
        return item;
    });
    byId("story-list").replaceChildren(...items);
}

export function startStory() { panels.push(drawStory); }
