// Where the reader is: one frame for all panels, and what is chosen in each. The browser's session
// keeps it, so that a reload (a live report reloads itself) comes back to the same place.

const film = new Film(JSON.parse(byId("data").textContent));

const state = {
    frame: film.count - 1,
    atEnd: true,  // stay at the newest frame when the page is read again
    logSteps: true,
    sentence: 0,
    layer: 0,
    head: 0,
    query: -1,
    hover: -1,          // positions; -1: none chosen
    keys: new Set(),    // characters whose attention is summed
    changeOnly: false,  // attention minus that of step 0
    position: -1,       // whose predictions are drawn over the steps
    token: film.watched[0],
    parameter: "",
    matrix: 0,
};

const panels = [];  // functions that bring their panel to the present state

function lastStep() { return Math.max(film.steps.at(-1), film.curve.step.at(-1) ?? 0, 1); }

/** The position of the query: under the pointer, or chosen, or the last that is no punctuation. */
function query() {
    if (state.hover >= 0) return state.hover;
    if (state.query >= 0) return state.query;
    const names = film.characters(state.sentence);
    let last = names.length - 1;
    while (last > 0 && /^[\p{P}\s↵␣]$/u.test(names[last])) --last;
    return last;
}

let waiting = false;
/** Something was chosen: all panels follow, once a screen refresh. */
function changed(changes = {}) {
    Object.assign(state, changes);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
        waiting = false;
        drawNow();
    });
}

function drawNow() {
    drawTransport();
    for (const panel of panels) panel();
    for (const figure of figures) figure.draw();
    remember();
}

// ---- kept over a reload

const kRemembered =
    ["frame", "sentence", "layer", "head", "query", "token", "position", "matrix", "parameter"];

function remember() {
    const words = kRemembered.map((name) => `${name}=${encodeURIComponent(state[name])}`);
    words.push(`lang=${root.lang}`, `theme=${root.dataset.theme}`, `end=${state.atEnd ? 1 : 0}`);
    try {
        sessionStorage.setItem(`zhuyi ${film.run}`, words.join("&"));
    } catch {
        // a browser that stores nothing for local files: the page opens as new
    }
}

function recall() {
    let words = "";
    try {
        words = sessionStorage.getItem(`zhuyi ${film.run}`) ?? "";
    } catch {
        return;
    }
    const found = new URLSearchParams(words);
    for (const name of kRemembered) {
        if (!found.has(name)) continue;
        const value = found.get(name);
        state[name] = typeof state[name] === "number" ? Number(value) || 0 : value;
    }
    state.atEnd = found.get("end") !== "0";
    state.frame = state.atEnd ? film.count - 1 : Math.min(state.frame, film.count - 1);
    state.sentence = Math.min(state.sentence, Math.max(0, film.sentences.length - 1));
    if (film.sentences.length && state.query >= film.length(state.sentence)) state.query = -1;
    state.layer = Math.min(state.layer, film.model.layers - 1);
    state.head = Math.min(state.head, film.model.heads - 1);
    if (!film.placeOfToken.has(state.token)) state.token = film.watched[0];
    if (found.has("lang")) root.lang = found.get("lang");
    return found.get("theme");
}

// ---- the transport

const slider = byId("slider");
const stepText = byId("step");
let player = 0;

function show(frame) {
    frame = Math.min(film.count - 1, Math.max(0, frame));
    changed({frame, atEnd: frame === film.count - 1});
}

/** The frame nearest to a step. */
function showStep(step) {
    const far = (frame) => Math.abs(film.steps[frame] - step);
    show([...film.steps.keys()].reduce((a, b) => far(b) < far(a) ? b : a));
}

function play(on = !player) {
    const next = () => state.frame < film.count - 1 ? show(state.frame + 1) : play(false);
    clearInterval(player);
    player = 0;
    if (on) {
        if (state.frame === film.count - 1) show(0);
        player = setInterval(next, 260);
    }
    const shape = player ? "M5 4h4v12H5Z M11 4h4v12h-4Z" : "M6 4 L16 10 L6 16 Z";
    byId("play-shape").setAttribute("d", shape);
}

/** The curve's loss nearest before a step. */
function lossAt(step) {
    const {step: steps, loss} = film.curve;
    return loss[Math.max(0, steps.findLastIndex((recorded) => recorded <= step))];
}

function drawTransport() {
    slider.max = film.count - 1;
    slider.value = state.frame;
    const step = film.steps[state.frame];
    const loss = lossAt(step);
    slider.setAttribute("aria-valuetext", stepName(step));
    const losses = loss === undefined ? "" : `\n${say("loss", "损失")} ${loss.toFixed(3)}`;
    stepText.textContent = `${stepName(step)} / ${grouped(film.training.steps)}${losses}`;
    stepText.dataset.step = step;
}

function startTransport() {
    slider.addEventListener("input", () => show(Number(slider.value)));
    byId("play").addEventListener("click", () => play());
}

// ---- keys

function otherLanguage() {
    root.lang = root.lang === "zh" ? "en" : "zh";
    changed();
}
function otherTheme() {
    setTheme(theme.kind === "dark" ? "light" : "dark");
    changed();
}
function moveHead(by) {
    const {layer, head} = state;
    const at = film.heads.findIndex(([l, h]) => l === layer && h === head) + film.heads.length + by;
    const [nextLayer, nextHead] = film.heads[at % film.heads.length];
    changed({layer: nextLayer, head: nextHead});
}
function moveQuery(by) {
    const T = film.length(state.sentence);
    changed({query: (query() + by + T) % T, hover: -1});
}
function chooseSentence(sentence) {
    changed({sentence, query: -1, hover: -1, position: -1, keys: new Set()});
}
const showHelp = () => byId("help").showModal();

const kKeys = {
    ArrowLeft: () => show(state.frame - 1),
    ArrowRight: () => show(state.frame + 1),
    Home: () => show(0),
    End: () => show(film.count - 1),
    " ": () => play(),
    "[": () => moveHead(-1),
    "]": () => moveHead(1),
    ",": () => moveQuery(-1),
    ".": () => moveQuery(1),
    p: () => chooseSentence((state.sentence + 1) % film.sentences.length),
    l: otherLanguage,
    t: otherTheme,
    "?": showHelp,
};

function pressed(event) {
    const {key, target} = event;
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (target.matches?.("input[type=\"search\"], select")) return;
    if (target.matches?.("button, a") && key === " ") return;
    const section = document.querySelectorAll("main > section")[Number(key) - 1];
    const goThere = section && (() => section.scrollIntoView());
    const action = kKeys[key] ?? kKeys[key.toLowerCase()] ?? goThere;
    if (!action) return;
    event.preventDefault();
    action();
}

function startKeys() {
    addEventListener("keydown", pressed);
    byId("language").addEventListener("click", otherLanguage);
    byId("theme").addEventListener("click", otherTheme);
    byId("keys").addEventListener("click", showHelp);
}
