// What is no picture: elements, buttons to choose from, tables of numbers.

/** An element with these properties and children. */
export function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

/** What is typed is told at once; but what an input method has not finished is no text yet. */
export function whenTyped(input, tell) {
    input.oninput = (event) => event?.isComposing || tell(input.value);
    input.addEventListener("compositionend", () => tell(input.value));
}

/** Says something new; what is said already costs no layout. */
export function setText(place, text) {
    if (place.textContent !== text) place.textContent = text;
}

/** Words of index.html whose blanks, {name}, get these values; without values they are hidden. */
export function fill(id, values) {
    byId(id).hidden = !values;
    if (!values) return;
    for (const part of byId(id).children) {
        part.dataset.words ??= part.textContent;
        setText(part, part.dataset.words.replace(/\{(\w+)\}/g, (_, name) => values[name]));
    }
}

export const button = (textContent, onclick, more) => element("button", {type: "button", textContent, onclick, ...more});

/** A row of a table: what names it (a text or a button), then its cells. */
export const namedRow = (name, cells) => element("tr", {}, element("th", {scope: "row"}, name), ...cellsOf(cells));
const cellsOf = (cells, tag = "td") => cells.map((cell) => element(tag, {}, cell));
/** A row without a name; tag "th": the heading. */
export const rowOf = (cells, tag) => element("tr", {}, ...cellsOf(cells, tag));

/** A line of a list: a name (a text or a button), a bar as long as its share, and a number. */
export function shareLine(name, share, number = percent(share)) {
    const bar = element("i");
    bar.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return element("li", {}, element("b", {}, name), element("span", {}, bar), element("small", {}, number));
}

const kMostRows = 500;

/** A picture's numbers as a table: for eyes, and for a screen reader. */
export function showNumbers(title, {columns, rows}) {
    const told = (cell) => typeof cell === "number" && !Number.isInteger(cell) ? short(cell, 5) : cell;
    const lines = rows.slice(0, kMostRows).map((row) => rowOf(row.map(told)));
    const table =
        element("table", {className: "timeline"}, element("thead", {}, rowOf(columns, "th")), element("tbody", {}, ...lines));
    const left = rows.length - lines.length;
    const more = left > 0 ? say(`${left} more rows are in CSV`, `其余 ${left} 行见 CSV`) : "";
    const close = element("button", {textContent: say("close", "关闭")});
    const dialog = byId("numbers");
    dialog.replaceChildren(element("h2", {textContent: title}), element("form", {method: "dialog"}, close),
        element("div", {className: "scroll"}, table), element("p", {className: "hint", textContent: more}));
    dialog.showModal();
}

/** Fills a place anew where what it shows has changed; the button that had the focus keeps it. */
export function fillAnew(place, shown, make) {
    const key = JSON.stringify([root.lang, shown]);
    if (place.shown === key) return;
    place.shown = key;
    const at = [...place.querySelectorAll("button")].indexOf(document.activeElement);
    place.replaceChildren(...make());
    if (at >= 0) place.querySelectorAll("button")[at]?.focus();
}

/** A button that is chosen or not. */
export function choice(textContent, chosen, onclick, more) {
    const made = button(textContent, onclick, more);
    made.setAttribute("aria-pressed", String(chosen));
    return made;
}

/** Fills a place with buttons of which one is chosen. choices: [[value, text]]. */
export function chooseFrom(place, name, choices, chosen, pick) {
    place.pick = pick;  // what stays may yet have another meaning
    fillAnew(place, [name, choices, chosen], () => {
        const label = name ? [element("span", {className: "name", textContent: name})] : [];
        const buttons = choices.map(([value, text]) => choice(text, value === chosen, () => place.pick(value)));
        choices.forEach(([value], i) => buttons[i].dataset.value = value);
        return [...label, ...buttons];
    });
}

/** A figure alone and large, until Escape brings it back. */
export function putOnStage(place) {
    const [stage, instead] = [byId("stage"), element("div")];
    place.replaceWith(instead);
    const close = element("form", {method: "dialog"}, element("button", {textContent: say("close", "关闭")}));
    stage.replaceChildren(close, place);
    const resized = () => changed(measureZoom());  // other letters, in all pictures
    stage.showModal();
    resized();
    stage.onclose = () => {
        instead.replaceWith(place);
        resized();
    };
}
