// Colour as number, and the theme. A colour is one number, as a canvas has it in memory: 0xffBBGGRR.

// Okabe and Ito's colours, readable on paper and, lightened, on black.
const kSeries = {
    light: ["#0b5f94", "#b8500a", "#00785a", "#a8467f", "#6b6a2f", "#555555", "#8a5a2b", "#3b82b8"],
    dark: ["#74bfeb", "#f0a25e", "#4fc9a3", "#e19cc4", "#d8cf6a", "#b5b5b5", "#d1a777", "#a8d8f3"],
};
// Nothing, some, all: for shares between 0 and 1.
const kSequential = {
    light: ["#fbfaf6", "#8fbfdc", "#0b4f80", "#08263f"],
    dark: ["#1e2125", "#245f7f", "#7cc0d8", "#fff3c4"],
};
// Down, nothing, up: for changes.
const kDiverging = {
    light: ["#7a3200", "#d9893f", "#fbfaf6", "#4f9cc9", "#053a61"],
    dark: ["#ffd2a1", "#c4661f", "#1e2125", "#2f86b8", "#bfe6ff"],
};

const red = (colour) => colour & 255;
const green = (colour) => colour >>> 8 & 255;
const blue = (colour) => colour >>> 16 & 255;
export const css = (colour) => `rgb(${red(colour)},${green(colour)},${blue(colour)})`;

/** 256 steps through these colours, that look equally far apart (straight lines in OKLab, Ottosson 2020). */
function ramp(colours) {
    const pen = element("canvas", {width: 256, height: 1}).getContext("2d", {willReadFrequently: true});
    for (let i = 0; i < 256; ++i) {
        const at = (i / 255) * (colours.length - 1);
        const k = Math.min(Math.floor(at), colours.length - 2);
        pen.fillStyle = `color-mix(in oklab, ${colours[k + 1]} ${100 * (at - k)}%, ${colours[k]})`;
        pen.fillRect(i, 0, 1, 1);
    }
    return new Uint32Array(pen.getImageData(0, 0, 256, 1).data.buffer);
}

class Theme {
    /** From now on these colours. */
    use(kind) {
        root.dataset.theme = this.kind = kind;
        this.series = kSeries[kind];
        this.sequential = ramp(kSequential[kind]);
        this.diverging = ramp(kDiverging[kind]);
        const style = getComputedStyle(root);
        for (const name of ["paper", "raised", "ink", "muted", "line", "accent", "real"])
            this[name] = style.getPropertyValue(`--${name}`).trim();
    }
    /** A share in [0, 1], by its square root: most weights of a long row are small. */
    share(x) { return this.sequential[Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, x))))]; }
    /** How far weights are from their initial values, as a share; 1 is not yet black. */
    way(moved) { return this.share((0.72 * Math.min(1, moved)) ** 2); }
    /** A change of a share, in [-1, 1]; its root for the same reason. */
    change(x) { return this.signed(Math.sign(x) * Math.sqrt(Math.abs(x))); }
    /** A number in [-1, 1], in proportion. */
    signed(x) { return this.diverging[Math.round(127.5 + 127.5 * Math.min(1, Math.max(-1, x)))]; }
    /** Of black and white the one that differs more from this colour, by WCAG at least 4.5 : 1. */
    inkOn(colour) {
        const [r, g, b] = [red, green, blue].map((part) => {
            const c = part(colour) / 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
    }
}

export const theme = new Theme();
export const setTheme = (kind) => theme.use(kind);

/** Behind a text; its letters are black or white by it. */
export function paint(place, colour) {
    place.style.background = css(colour);
    place.style.color = theme.inkOn(colour);
}
