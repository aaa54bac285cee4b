// Where the reader is: one frame for all panels, and what is chosen in each.

export const film = new Film(JSON.parse(byId("data").textContent));

export const state = {
    frame: film.count - 1,
    atEnd: true,  // stay at the newest frame when the page is read again
    logSteps: true,
    sentence: 0,
    layer: 0,
    head: 0,
    query: -1,         // the position that all panels of a sentence are about; -1: none was chosen
    hover: -1,         // under the pointer
    keys: new Set(),   // characters whose attention is summed
    grouping: false,   // a click adds to them
    text: "",          // a sentence of the reader's own
    later: undefined,  // what was chosen in it, while the model has not read it yet
    token: film.watched[0],
    parameter: "",
    rule: -1,    // whose example is shown; -1: none
    pinned: -1,  // a frame to compare with; -1: none
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

/** Draws only where the reader's language is another one than before. */
export function inLanguage(draw) {
    let drawn = "";
    return () => {
        if (drawn === root.lang) return;
        drawn = root.lang;
        draw();
    };
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
        this.place?.focus({preventScroll: true});  // a field can be typed into
        root.style.overflowAnchor = "none";        // else the browser, too, corrects what grows above
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

/** The position that was chosen, or the last that is no punctuation. */
export function chosenPosition() {
    const names = film.characters(state.sentence);
    if (state.query >= 0 && state.query < names.length) return state.query;
    let last = names.length - 1;
    while (last > 0 && /^[\p{P}\s↵␣]$/u.test(names[last])) --last;
    return last;
}
/** The same, or the one under the pointer. */
export const query = () => state.hover >= 0 ? state.hover : chosenPosition();

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
