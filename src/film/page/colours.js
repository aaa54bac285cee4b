// Colour as number: scales whose steps look equally far apart (straight lines in OKLab, Ottosson 2020), and the
// theme. A colour is one number, as a canvas has it in memory: 0xffBBGGRR.

// Okabe and Ito's colours, readable on paper and, lightened, on black.
const kSeries = {
    light: ["#0b5f94", "#b8500a", "#00785a", "#a8467f", "#6b6a2f", "#3b82b8", "#8a5a2b", "#555555"],
    dark: ["#74bfeb", "#f0a25e", "#4fc9a3", "#e19cc4", "#d8cf6a", "#a8d8f3", "#d1a777", "#b5b5b5"],
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

/** How much light three channels of 0 to 255 send. */
function linear(channels) {
    return channels.map((channel) => {
        const c = channel / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
}
function toLab(hex) {
    const [r, g, b] = linear([1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
        0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
}
function fromLab([L, a, b]) {
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const parts = [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ];
    return parts.map(
        (c) => Math.round(255 * Math.min(1, Math.max(0, c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055))));
}

const red = (colour) => colour & 255;
const green = (colour) => colour >>> 8 & 255;
const blue = (colour) => colour >>> 16 & 255;
export const css = (colour) => `rgb(${red(colour)},${green(colour)},${blue(colour)})`;

/** 256 steps through these colours. */
function ramp(colours) {
    const labs = colours.map(toLab);
    return Uint32Array.from({length: 256}, (_, i) => {
        const at = (i / 255) * (labs.length - 1);
        const k = Math.min(Math.floor(at), labs.length - 2);
        const lab = labs[k].map((from, axis) => from + (at - k) * (labs[k + 1][axis] - from));
        const [r, g, b] = fromLab(lab);
        return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    });
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
        const [r, g, b] = linear([red(colour), green(colour), blue(colour)]);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
    }
}

export const theme = new Theme();
export const setTheme = (kind) => theme.use(kind);
