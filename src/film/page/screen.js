// What belongs to the screen: how large its letters are, and the words beside the pointer.

/** On a projector the page's letters are larger, and those in pictures with them. */
let zoomed = 1;
export const zoom = () => zoomed;
export function measureZoom() {
    zoomed = parseFloat(getComputedStyle(document.body).fontSize) / 16;
    root.style.scrollPaddingTop = `${document.querySelector("nav").offsetHeight}px`;
}
addEventListener("resize", measureZoom);

export const tip = byId("tip");

/** Beside the pointer; where a picture is low (its box), above or below it, never on its lines. */
export function showTip(text, x, y, picture) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const {width, height} = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - width - 8))}px`;
    let top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;
    if (picture && picture.height < innerHeight / 2)
        top = picture.top - height > 4 ? picture.top - height - 2 : picture.bottom + 2;
    tip.style.top = `${Math.max(4, top)}px`;
}
