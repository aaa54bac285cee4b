// One character's row as weights over the sentence, and what can be said of it in words.

export function toggleKey(s) {
    const keys = new Set(state.keys);
    if (!keys.delete(s)) keys.add(s);
    changed({keys});
}

/** The sentence as buttons, each as dark as the character of the query looks at it. */
export function drawSentence() {
    const place = byId("sentence");
    const names = film.characters(state.sentence);
    const [T, t] = [names.length, query()];
    const map = film.map(state.sentence, state.frame, state.layer, state.head);
    while (place.children.length > T) place.lastChild.remove();
    while (place.children.length < T) place.append(sentenceButton(place.children.length));
    const covered = guess.hides("row");
    names.forEach((name, s) => {
        const button = place.children[s];
        const later = s > t;
        const weight = later || covered ? 0 : map[t * T + s];
        const colour = theme.share(weight);
        setText(button.firstChild, name);
        setText(button.lastChild, later ? "·" : covered ? "?" : weight.toFixed(weight < 0.0995 ? 3 : 2));
        button.dataset.weight = later ? "" : weight.toFixed(6);
        button.style.background = later ? "transparent" : css(colour);
        button.style.color = later ? theme.muted : theme.inkOn(colour);
        button.classList.toggle("asks", s === t);
        button.classList.toggle("chosen", state.keys.has(s));
    });
    const asked = say(
        `Guess: where does ${quote(names[t])} look in ${headName()}?`, `猜一猜：${headName()} 里，${quote(names[t])}看哪里？`);
    byId("row-reading").textContent = covered ? asked : rowReading(map, names, t);
    const clear = byId("clear-group");
    clear.hidden = !state.keys.size;
    clear.onclick = () => changed({keys: new Set(), grouping: false});
}

function sentenceButton(s) {
    const small = element("small");
    const button = element("button", {type: "button"}, document.createTextNode(""), small);
    button.onclick = ({shiftKey}) => shiftKey || state.grouping ? toggleKey(s) : choosePosition(s);
    button.onpointerenter = ({pointerType}) => pointerType === "mouse" && changed({hover: s});
    button.onpointerleave = () => state.hover >= 0 && changed({hover: -1});
    button.oncontextmenu = (event) => {  // a long press on a touch screen
        event.preventDefault();
        toggleKey(s);
    };
    return button;
}

/** The few positions with the largest weights, as words. */
function most(positions, weight, names, count, ofFirst = "") {
    const order = positions.sort((a, b) => weight(b) - weight(a)).slice(0, count);
    return order.map((s, i) => `${quote(names[s])} ${percent(weight(s))}${i ? "" : ofFirst}`).join(say(", ", "，"));
}

/** How much a position looks at others in a head, and since when: "; first 50% at step 34, never less since step 221". */
function lookIn(t, keys, [layer, head]) {
    const sum = (frame) => keys.reduce((all, s) => all + (s <= t ? film.weight(state.sentence, frame, layer, head, t, s) : 0), 0);
    const [weight, frames] = [sum(state.frame), film.framesOf(state.sentence)];
    const half = frames.map((frame) => sum(frame) >= 0.5);
    const since = alwaysSince(half.length, (i) => half[i]);
    const [step, first] = [since, half.indexOf(true)].map((i) => stepName(film.steps[frames[i]]));
    const stays = weight < 0.5 ? "" :
        since < 0              ? say("; later below 50%", "；后来不到 50%") :
        step === first ?
                    say(`; at least 50% since ${step}`, `；${step}起一直不低于 50%`) :
                    say(`; first 50% at ${first}, never less since ${step}`, `；${first}首次达到 50%，${step}起一直不低于 50%`);
    return {layer, head, weight, stays};
}

/** Of all heads the one in which it looks most at them: "明 100% (block 1, head 0; first 50% at …)" */
function strongestText(word, t, keys) {
    const looks = film.heads.map((place) => lookIn(t, keys, place));
    const {layer, head, weight, stays} = looks.reduce((a, b) => b.weight > a.weight ? b : a);
    return `${word} ${percent(weight)}${say(" (", "（")}${headName(layer, head)}${stays}${say(")", "）")}`;
}

/** Where a position looks most in any head: the first three of the earlier characters. */
function strongestLooks(names, t) {
    const weights = (s) => film.heads.map(([layer, head]) => film.weight(state.sentence, state.frame, layer, head, t, s));
    const all = [...Array(t + 1).keys()].map((s) => [s, Math.max(...weights(s))]);
    const most = all.sort((a, b) => b[1] - a[1]).slice(0, 3);
    const told = most.map(([s]) => strongestText(quote(names[s]), t, [s]));
    const [asker, shown] = [quote(names[t]), film.shown()];
    return say(`Over all heads, ${shown}: ${asker} looks most at ${told.join(", ")}.`,
        `所有的头里（${shown}），${asker}看得最多的是：${told.join("，")}。`);
}

function rowReading(map, names, t) {
    const T = names.length;
    const [weight, all] = [(s) => map[t * T + s], [...Array(t + 1).keys()]];
    const {stays} = lookIn(t, [all.reduce((a, b) => weight(b) > weight(a) ? b : a)], [state.layer, state.head]);
    const looks = most(all, weight, names, 4, stays && say(` (${stays.slice(2)})`, `（${stays.slice(1)}）`));
    const row = say(`This row: in ${headName()}, ${quote(names[t])} (position ${t}) looks at ${looks}.`,
        `这一行：${headName()} 里，${quote(names[t])}（位置 ${t}）看${looks}。`);
    const keys = [...state.keys].sort((a, b) => a - b);
    const lines = [strongestLooks(names, t), row];
    if (keys.length) {
        const word = quote(keys.map((s) => names[s]).join(""));
        const sum = (r) => keys.reduce((all, s) => all + (s <= r ? map[r * T + s] : 0), 0);
        const later = [...Array(T).keys()].filter((r) => r >= keys[0] && !keys.includes(r));
        lines.push(say(
            `The group ${word}: ${quote(names[t])} gives it ${percent(sum(t))} of its attention in this head; those that give ` +
                `it most are ${most(later, sum, names, 3) || "–"}.`,
            `选中的这一组${word}：在这个头里得到${quote(names[t])}的 ${percent(sum(t))}；给它最多的是` +
                `${most(later, sum, names, 3) || "–"}。`));
        lines.push(say("Over all heads: ", "所有的头里：") + strongestText(word, t, keys) + say(".", "。"));
    }
    if (headRoles.there() && own.number) lines.push(habitText(state.layer, state.head));
    return [...lines, roleText(state.layer, state.head)].join("\n");
}
