// What is chosen is kept over a reload (a live report reloads itself), and can be held in a link.

const kRemembered = ["frame", "sentence", "layer", "head", "query", "token", "parameter", "rule", "pinned", "text"];

function viewWords() {
    const words = kRemembered.map((name) => `${name}=${encodeURIComponent(state[name])}`);
    words.push(`lang=${root.lang}`, `theme=${root.dataset.theme}`, `end=${state.atEnd ? 1 : 0}`);
    return words.join("&");
}

addEventListener("pagehide", () => remember());
export function remember() {
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
export function forgetLink() {
    if (location.hash.startsWith("#view&")) history.replaceState(null, "", location.href.split("#")[0]);
}

/** What a link says, or else what this browser kept. */
function keptWords(hash) {
    if (hash.startsWith("#view&")) return hash.slice("#view&".length);
    try {
        return sessionStorage.getItem(`zhuyi ${film.run}`) ?? "";
    } catch {
        return "";
    }
}

export function recall(hash = location.hash) {
    const found = new URLSearchParams(keptWords(hash));
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
        state.later = {query: state.query};
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
