// One character: its neighbours now and then, its way, its gradient's two parts.

export const chosenPlace = () => film.placeOfToken.get(state.token);

/** A followed character; of any other text it says why there is nothing to see. */
export function chooseToken(text) {
    const asked = text.trim();
    const token = film.watched.find((t) => film.name(t) === asked || film.names[t] === asked);
    if (token !== undefined) changed({token});
    const [count, name] = [film.watched.length, quote(asked)];
    const missing = [...asked].length > 1 ?
        say(`${name} is more than one token: type one of its characters.`, `${name}不是一个 token：请只输入其中一个字。`) :
        say(`${name} is not among the ${count} characters that this film follows (history_characters = ${asked} follows it in ` +
                `the next training).`,
            `这次回放跟踪了 ${count} 个字，其中没有${name}（下次训练写 history_characters = ${asked} 即可跟踪）。`);
    byId("token-note").textContent = token === undefined && asked ? missing : "";
}

function drawTokenChoices() {
    const inSentences = [...new Set(film.sentences.flat())].filter((token) => film.placeOfToken.has(token));
    const tokens = [...new Set([state.token, ...inSentences])].slice(0, 24).sort((a, b) => a - b);
    chooseFrom(
        byId("token-choices"), "", tokens.map((token) => [token, film.name(token)]), state.token, (token) => changed({token}));
}

function drawNeighbours() {
    const lines = film.neighbours(state.frame, chosenPlace()).map(({token, cosine}) => {
        const name = film.name(token);
        const followed = film.placeOfToken.has(token);
        const pick = button(name, () => chooseToken(name), {className: followed ? "" : "elsewhere"});
        pick.title = followed ? "" : say("not followed, so not on the map", "没有跟踪，不在地图上");
        return shareLine(pick, cosine, cosine.toFixed(3));
    });
    const name = quote(film.name(state.token));
    setText(byId("neighbour-title"), say(`Nearest to ${name}, ${film.now()}`, `${film.now()}离${name}最近的字`));
    byId("neighbours").replaceChildren(...lines);
    setText(byId("token-reading"), tokenText(chosenPlace()));
}

/** About a dozen frames, each the nearest to a step; from one to the next the step grows alike. */
function timelineFrames() {
    const last = film.steps.at(-1);
    const wanted = Array.from({length: 14}, (_, i) => Math.expm1(Math.log1p(last) * i / 13));
    return [...new Set(wanted.map(frameAt))];
}

/** The character's neighbours at these frames; the one that was passed last is marked. */
function drawTimeline() {
    const table = byId("timeline");
    fillAnew(table, state.token, timelineRows);
    const name = film.name(state.token);
    setText(byId("timeline-title"), say(`Nearest to ${name}, step by step`, `${name} 的近邻，一步步看`));
    const now = [...table.rows].findLast(({frame}) => frame <= state.frame);
    for (const row of table.rows) row.classList.toggle("now", row === now);
}

function timelineRows() {
    const cell = ({token, cosine}) =>
        element("span", {}, film.name(token), element("small", {textContent: ` ${cosine.toFixed(2)}`}));
    return timelineFrames().map((frame) => {
        const step = button(stepName(film.steps[frame]), () => show(frame));
        return Object.assign(namedRow(step, film.neighbours(frame, chosenPlace()).map(cell)), {frame});
    });
}

export function startTokens() {
    byId("watched").append(...film.watched.map((token) => new Option(film.name(token))));
    whenTyped(byId("token-text"), chooseToken);
    const line = (name, part) => ({name, points: film.overSteps((frame) => film.of(part, frame, chosenPlace()))});
    const met = (frame) => film.of("met", frame, chosenPlace()) / stepsBefore(frame);
    new Chart("way", 200, () => say("how far the embedding moved", "词向量移动了多远"), () => ({
        series: [
            line(say("from its initial value", "与第 0 步"), "from_start"),
            line(say("since the last frame", "与上一帧"), "from_last"),
        ],
        from: 0,
    }));
    new Chart("met", 200, () => say("times read, a step", "每步被读到几次"),
        () => ({series: [{points: film.overSteps((frame) => frame ? met(frame) : NaN)}], from: 0}));
    const parts = () => say("where its gradient comes from", "它的梯度从哪里来");
    new Chart("gradients", 200, parts, () => ({
        series: [
            line(say("as an input (lookup)", "作为输入（查表）"), "lookup"),
            line(say("from the output layer (same table)", "来自输出层（同一张表）"), "head"),
        ],
        log: true,
    }));
    for (const draw of [drawTokenChoices, drawNeighbours, drawTimeline]) panels.push(whenSeen("embeddings", draw));
}
