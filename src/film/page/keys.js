// What the keyboard does.

function otherLanguage() {
    root.lang = root.lang === "zh" ? "en" : "zh";
    changed();
}
function otherTheme() {
    setTheme(theme.kind === "dark" ? "light" : "dark");
    changed();
}
export function moveHead(by) {
    const {layer, head} = state;
    const at = film.heads.findIndex(([l, h]) => l === layer && h === head) + by;
    const [nextLayer, nextHead] = film.heads[around(at, film.heads.length)];
    changed({layer: nextLayer, head: nextHead});
}
export function moveQuery(by) { choosePosition(around(query() + by, film.length(state.sentence))); }
export function chooseSentence(sentence) { changed({sentence, query: -1, hover: -1, keys: new Set()}); }
/** One position for all panels of a sentence. */
export function choosePosition(t) { changed({query: t, hover: -1}); }
const showHelp = () => byId("help").showModal();

const kKeys = {
    ArrowLeft: () => show(state.frame - 1),
    ArrowRight: () => show(state.frame + 1),
    Home: () => show(0),
    End: () => show(film.count - 1),
    " ": () => tour.at < 0 ? play() : tour.go(tour.at + 1),
    Escape: () => byId("stage").open ? byId("stage").close() : tour.at < 0 || tour.go(Infinity),
    "[": () => moveHead(-1),
    "]": () => moveHead(1),
    ",": () => moveQuery(-1),
    ".": () => moveQuery(1),
    p: () => chooseSentence((state.sentence + 1) % film.sentences.length),
    l: otherLanguage,
    t: otherTheme,
    c: pin,
    "?": showHelp,
};

function pressed(event) {
    const {key, target} = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]:not(#stage)")) return;
    if (target.matches?.("input:not(#slider), textarea, select")) return;
    if (target.matches?.("button, a") && key === " ") return;
    const section = document.querySelectorAll("main > section:not([hidden])")[Number(key) - 1];
    const goThere = section && (() => aim.go(section.id));
    const action = kKeys[key] ?? kKeys[key.toLowerCase()] ?? goThere;
    if (!action) return;
    event.preventDefault();
    action();
}

export function startKeys() {
    addEventListener("keydown", pressed);
    byId("language").addEventListener("click", otherLanguage);
    byId("theme").addEventListener("click", otherTheme);
    byId("keys").addEventListener("click", showHelp);
    byId("link").addEventListener("click", linkView);
    byId("fresh").addEventListener("click", startAfresh);
    addEventListener("hashchange", ({newURL}) => {  // by now the address may have lost it again: changed()
        if (!newURL.includes("#view&")) return;
        setTheme(recall(new URL(newURL).hash) ?? theme.kind);
        drawNow();
    });
}
