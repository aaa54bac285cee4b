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

/** Words of index.html whose blanks, {name}, get these values. */
export function fill(id, values) {
    for (const part of byId(id).children) {
        part.dataset.words ??= part.textContent;
        setText(part, part.dataset.words.replace(/\{(\w+)\}/g, (_, name) => values[name]));
    }
}

/** A cell of a table. */
export const cellOf = (textContent, tag = "td") => element(tag, {textContent});

const kMostRows = 500;

/** A picture's numbers as a table: for eyes, and for a screen reader. */
export function showNumbers(title, {columns, rows}) {
    const told = (cell) => typeof cell === "number" && !Number.isInteger(cell) ? short(cell, 5) : cell;
    const cells = (row, tag) => row.map((cell) => cellOf(told(cell), tag));
    const lines = rows.slice(0, kMostRows).map((row) => element("tr", {}, ...cells(row, "td")));
    const table = element("table", {className: "timeline"}, element("thead", {}, element("tr", {}, ...cells(columns, "th"))),
        element("tbody", {}, ...lines));
    const left = rows.length - lines.length;
    const more = left > 0 ? say(`${left} more rows are in CSV`, `其余 ${left} 行见 CSV`) : "";
    const close = element("button", {textContent: say("close", "关闭")});
    const dialog = byId("numbers");
    dialog.replaceChildren(element("h2", {textContent: title}), element("form", {method: "dialog"}, close),
        element("div", {className: "scroll"}, table), element("p", {className: "hint", textContent: more}));
    dialog.showModal();
}

/** Fills a place with buttons of which one is chosen. choices: [[value, text]]. */
export function chooseFrom(place, name, choices, chosen, pick) {
    const key = JSON.stringify([name, choices, chosen]);
    if (place.dataset.shown === key) return;
    place.dataset.shown = key;
    const buttons = choices.map(([value, textContent]) => {
        const button = element("button", {type: "button", textContent, onclick: () => pick(value)});
        button.dataset.value = value;
        button.setAttribute("aria-pressed", String(value === chosen));
        return button;
    });
    const label = name ? [element("span", {className: "name", textContent: name})] : [];
    place.replaceChildren(...label, ...buttons);
}

/** A figure alone and large, until Escape brings it back. */
export function putOnStage(place) {
    const [stage, instead] = [byId("stage"), element("div")];
    place.replaceWith(instead);
    stage.replaceChildren(place);
    stage.showModal();
    dispatchEvent(new Event("resize"));
    stage.onclose = () => {
        instead.replaceWith(place);
        dispatchEvent(new Event("resize"));
    };
}
