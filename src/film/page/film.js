// Where the reader is: one frame for all panels, and what is chosen in each. The browser's session keeps it, so that
// a reload (a live report reloads itself) comes back to the same place; a link can hold it too.

export const film = new Film(JSON.parse(byId("data").textContent));

export const state = {
    frame: film.count - 1,
    atEnd: true,  // stay at the newest frame when the page is read again
    logSteps: true,
    sentence: 0,
    layer: 0,
    head: 0,
    query: -1,
    hover: -1,          // positions; -1: none chosen
    keys: new Set(),    // characters whose attention is summed
    grouping: false,    // a click adds to them
    changeOnly: false,  // attention minus that of step 0
    position: -1,       // whose predictions are drawn over the steps
    text: "",           // a sentence of the reader's own
    later: undefined,   // what was chosen in it, while the model has not read it yet
    token: film.watched[0],
    parameter: "",
    rule: -1,    // whose example is shown; -1: none
    pinned: -1,  // a frame to compare with; -1: none
    other: 0,    // which of the other runs is beside
};

export const panels = [];  // functions that bring their panel to the present state

/** Buttons of index.html: the one that names what of[name] is looks pressed, and a click chooses another value. */
export function chooseIn(id, of, name, also = () => {}) {
    const valueOf = {string: String, number: Number, boolean: (text) => text === "true"}[typeof of[name]];
    for (const button of byId(id).querySelectorAll("button")) {
        const value = valueOf(button.value);
        button.onclick = () => {
            of[name] = value;
            also();
            changed();
        };
        panels.push(() => button.setAttribute("aria-pressed", String(of[name] === value)));
    }
}

const unseen = [];  // what draws only while it is seen

/** All of them, for paper; live panels ask the model, and show the answers when these come. */
export function drawAll() {
    for (const draw of unseen) draw();
    for (const figure of figures) figure.draw(true);
}

/** Draws only while the section is (nearly) seen, and when it comes into sight. */
export function whenSeen(section, draw) {
    const place = byId(section);
    unseen.push(draw);
    let [seen, late] = [false, true];
    const follow = ([entry]) => {
        seen = entry.isIntersecting;
        if (seen && late) late = false, draw();
    };
    new IntersectionObserver(follow, {rootMargin: "60px"}).observe(place);
    return () => {
        late = !seen;
        if (seen) draw();
    };
}

// ---- going to a part of the page

/** Where "more" is: one drawer, or all of them. */
function openDrawers(...drawers) {
    for (const drawer of drawers)
        if (drawer) drawer.open = true;
}
addEventListener("beforeprint", () => {
    openDrawers(...document.querySelectorAll("details.more"));
    drawAll();
});

export const aim = {
    place: undefined,  // what shall stay below the bar until the reader scrolls
    top: 0,
    go(id) {
        this.place = byId(id);
        openDrawers(this.place?.closest("details"));
        root.style.overflowAnchor = "none";  // else the browser, too, corrects what grows above
        this.hold();
    },
    hold() {
        this.place?.scrollIntoView();
        this.top = scrollY;
    },
    left() {
        if (Math.abs(scrollY - this.top) <= 1) return;
        this.place = undefined;
        root.style.overflowAnchor = "";
    },
};

/** Links and hashes land where they point to, also while panels there still get their height. */
export function startAiming() {
    new ResizeObserver(() => aim.hold()).observe(document.querySelector("main"));
    addEventListener("scroll", () => aim.left(), {passive: true});
    addEventListener("click", (event) => {
        const link = event.target.closest?.("a[href^='#']");
        if (!link) return;
        event.preventDefault();
        history.pushState(null, "", link.hash);
        aim.go(link.hash.slice(1));
    });
    const follow = () => aim.go(location.hash.slice(1));
    addEventListener("hashchange", follow);
    if (location.hash) follow();
}

export function lastStep() { return Math.max(film.steps.at(-1), film.curve.step.at(-1) ?? 0, 1); }

/** The position of the query: under the pointer, or chosen, or the last that is no punctuation. */
export function query() {
    if (state.hover >= 0) return state.hover;
    if (state.query >= 0) return state.query;
    const names = film.characters(state.sentence);
    let last = names.length - 1;
    while (last > 0 && /^[\p{P}\s↵␣]$/u.test(names[last])) --last;
    return last;
}

let waiting = false;
let remembering = 0;
/** Something was chosen: all panels follow, once a screen refresh. */
export function changed(changes = {}) {
    Object.assign(state, changes);
    forgetLink();
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
        waiting = false;
        drawNow();
    });
}

export function drawNow() {
    drawTransport();
    for (const panel of panels) panel();
    for (const figure of figures) figure.draw();
    clearTimeout(remembering);
    remembering = setTimeout(remember, 300);
}

// ---- kept over a reload

const kRemembered = ["frame", "sentence", "layer", "head", "query", "token", "position", "parameter", "rule", "pinned", "text"];

function viewWords() {
    const words = kRemembered.map((name) => `${name}=${encodeURIComponent(state[name])}`);
    words.push(`lang=${root.lang}`, `theme=${root.dataset.theme}`, `end=${state.atEnd ? 1 : 0}`);
    return words.join("&");
}

addEventListener("pagehide", () => remember());
function remember() {
    if (leaving) return;
    try {
        sessionStorage.setItem(`zhuyi ${film.run}`, viewWords());
    } catch {
        // a browser that stores nothing for local files: the page opens as new
    }
}

let leaving = false;
/** For the next student: what this one chose, typed and taught is forgotten, but for language and light. */
export function startAfresh() {
    leaving = true;
    history.replaceState(null, "", `#view&lang=${root.lang}&theme=${root.dataset.theme}`);
    location.reload();
}

/** The address gets all that is chosen, and the section that is looked at. */
export function linkView() {
    const here = document.querySelector("nav a.here")?.hash.slice(1) ?? "";
    const link = `#view&section=${here}&${viewWords()}`;
    history.replaceState(null, "", link);
    navigator.clipboard?.writeText(location.href).catch(() => {});
    byId("link-note").textContent = say("The address now holds this view.", "地址栏里的链接就是现在看到的这一页。");
}

/** The address of a view that was left; a reload shall come back to the present one. */
function forgetLink() {
    if (location.hash.startsWith("#view&")) history.replaceState(null, "", location.href.split("#")[0]);
}

/** What a link says, or else what this browser kept. */
function keptWords() {
    if (location.hash.startsWith("#view&")) return location.hash.slice("#view&".length);
    try {
        return sessionStorage.getItem(`zhuyi ${film.run}`) ?? "";
    } catch {
        return "";
    }
}

export function recall() {
    const found = new URLSearchParams(keptWords());
    for (const name of kRemembered) {
        if (!found.has(name)) continue;
        const value = found.get(name);
        state[name] = typeof state[name] === "number" ? Math.trunc(Number(value)) || 0 : value;
    }
    const within = (name, count, least = 0) => state[name] = Math.max(least, Math.min(state[name], count - 1));
    state.atEnd = found.get("end") !== "0";
    if (state.atEnd) state.frame = film.count - 1;
    within("frame", film.count);
    if (state.sentence >= film.sentences.length)  // one's own: the model reads it first
        state.later = {query: state.query, position: state.position};
    within("sentence", film.sentences.length);
    if (film.sentences.length && state.query >= film.length(state.sentence)) state.query = -1;
    within("query", Infinity, -1);
    within("layer", film.model.layers);
    within("head", film.model.heads);
    if (!film.placeOfToken.has(state.token)) state.token = film.watched[0];
    within("rule", film.rules?.list.length ?? 0, -1);
    within("pinned", film.count, -1);
    if (found.has("lang")) root.lang = found.get("lang") === "en" ? "en" : "zh";
    const section = found.get("section");
    if (section) requestAnimationFrame(() => aim.go(section));
    return {light: "light", dark: "dark"}[found.get("theme")];
}

/** A sentence of the course is best to begin with: 小, where it is watched. */
export function firstToken() {
    const first = (film.sentences[0] ?? []).map((token) => film.names[token]);
    for (const name of ["小", ...first]) {
        const token = film.watched.find((t) => film.names[t] === name);
        if (token !== undefined) return token;
    }
    return film.watched[0];
}

/** And of the heads the one that sharpened most. */
export function firstHead() {
    const entropy = ([layer, head]) => roles.of(0, film.count - 1, layer, head).entropy;
    const [layer, head] = film.heads.reduce((a, b) => entropy(b) < entropy(a) ? b : a);
    return {layer, head};
}
