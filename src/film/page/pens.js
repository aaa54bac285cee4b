// Every picture is drawn once, with a pen: on canvas for the screen and for PNG, as text for SVG.

export const kFont = getComputedStyle(root).getPropertyValue("--font").trim();

const kText = {
    size: 12,
    align: "left",
    weight: 400,
    turn: 0,
    opacity: 1
};

export const pixels = document.createElement("canvas");
const kImages = new Map();  // of the sizes that were drawn, with a view of each: 0xffBBGGRR

function imageOf(context, rows, columns) {
    const size = `${rows} ${columns}`;
    if (!kImages.has(size)) {
        const image = context.createImageData(columns, rows);
        kImages.set(size, {image, colours: new Uint32Array(image.data.buffer)});
    }
    return kImages.get(size);
}

/** A matrix as a canvas of one pixel an element. colour(i): see colours.js; 0 for nothing. */
function matrixPixels(rows, columns, colour, canvas = pixels) {
    if (canvas.width !== columns) canvas.width = columns;
    if (canvas.height !== rows) canvas.height = rows;
    const context = canvas.getContext("2d", {willReadFrequently: true});
    const {image, colours} = imageOf(context, rows, columns);
    for (let i = 0; i < colours.length; ++i) colours[i] = colour(i);
    context.putImageData(image, 0, 0);
    return canvas;
}

const kPictures = new Map();
/** The same, kept under a name: for what stays as it is from frame to frame. */
function keptPixels(name, rows, columns, colour) {
    const key = `${name} ${theme.kind}`;
    if (!kPictures.has(key)) {
        if (kPictures.size > 500) kPictures.clear();
        const canvas = document.createElement("canvas");
        kPictures.set(key, matrixPixels(rows, columns, colour, canvas));
    }
    return kPictures.get(key);
}

// How wide a text is, in letters of 100 pixels.
const kWidths = new Map();
export function widthOf(text, size = 12) {
    if (!kWidths.has(text)) {
        if (kWidths.size > 5000) kWidths.clear();
        const context = pixels.getContext("2d", {willReadFrequently: true});
        context.font = `400 100px ${kFont}`;
        kWidths.set(text, context.measureText(text).width);
    }
    return kWidths.get(text) * size / 100;
}

export class Pen {
    constructor(width, height) {
        this.width = width;
        this.height = height;
    }
    spots = [];
    // this one draws nowhere: it only gathers what can be touched
    rect() {}
    circle() {}
    line() {}
    text() {}
    matrix() {}
    /** What lies here can be touched (figure.js). */
    touch(x, y, w, h, does) { this.spots.push({x, y, w, h, ...does}); }
    /** Small grey letters beside a picture. */
    note(text, x, y, align = "left", size = 11) { this.text(text, x, y, {align, size, fill: theme.muted}); }
    /** A token's name, smaller where it is wider than `room`: it may be several characters. */
    name(text, room, x, y, style) {
        const size = Math.max(5, style.size * Math.min(1, room / widthOf(text, style.size)));
        this.text(text, x, y, {...style, size});
    }
    /**
     * A picture whose columns are the frames, the present one marked: a click shows a frame, and does click(row).
     * colour(row, frame), tip(row, frame); steps: are they written below?
     */
    overFrames(x, y, w, h, rows, {colour, tip, row, click = () => {}, kept, steps}) {
        const columns = film.count;
        const middle = (frame) => x + (frame + 0.5) * w / columns;
        this.matrix(x, y, w, h, rows, columns, (i) => colour(Math.floor(i / columns), i % columns), kept);
        this.touch(x, y, w, h, {
            rows,
            columns,
            row,
            tip: (at) => `${stepName(film.steps[at.column])}\n${tip(at.row, at.column)}`,
            click: (at) => (click(at.row), show(at.column)),
        });
        this.line([[middle(state.frame), y], [middle(state.frame), y + h]], {stroke: theme.accent, width: 1.5});
        for (const share of steps ? [0, 0.25, 0.5, 0.75, 1] : []) {
            const frame = Math.round(share * (columns - 1));
            this.note(grouped(film.steps[frame]), middle(frame), y + h + 11, "center", 10.5);
        }
    }
    /** Where a curve, a row or a cell is that was chosen. */
    frame(x, y, w, h, chosen, width = 2) {
        const stroke = chosen ? theme.accent : theme.line;
        this.rect(x, y, w, h, {stroke, width: chosen ? width : 1});
    }
}

export class CanvasPen extends Pen {
    constructor(context, width, height) {
        super(width, height);
        this.context = context;
        context.clearRect(0, 0, width, height);
        context.lineJoin = "round";
        context.textBaseline = "middle";
    }
    shape({fill, stroke, width = 1, dash, opacity = 1}) {
        const c = this.context;
        c.globalAlpha = opacity;
        if (fill) {
            c.fillStyle = fill;
            c.fill();
        }
        if (stroke) {
            c.strokeStyle = stroke;
            c.lineWidth = width;
            c.setLineDash(dash ?? []);
            c.stroke();
        }
        c.globalAlpha = 1;
    }
    rect(x, y, w, h, style) {
        this.context.beginPath();
        this.context.roundRect(x, y, w, h, style.radius ?? 0);
        this.shape(style);
    }
    circle(x, y, r, style) {
        this.context.beginPath();
        this.context.arc(x, y, r, 0, 2 * Math.PI);
        this.shape(style);
    }
    line(points, style) {
        if (!points.length) return;
        this.context.beginPath();
        this.context.moveTo(points[0][0], points[0][1]);
        for (let i = 1; i < points.length; ++i) this.context.lineTo(points[i][0], points[i][1]);
        if (style.fill) this.context.closePath();
        this.shape(style);
    }
    text(text, x, y, style = {}) {
        const {size, fill, align, weight, turn, opacity} = {...kText, fill: theme.ink, ...style};
        const c = this.context;
        const font = `${weight} ${size}px ${kFont}`;
        if (this.font !== font) c.font = this.font = font;
        c.fillStyle = fill;
        c.textAlign = align;
        c.globalAlpha = opacity;
        if (!turn) {
            c.fillText(text, x, y);
        } else {
            c.save();
            c.translate(x, y);
            c.rotate(turn);
            c.fillText(text, 0, 0);
            c.restore();
        }
        c.globalAlpha = 1;
    }
    /** kept: the name of a picture that does not change from frame to frame. */
    matrix(x, y, w, h, rows, columns, colour, kept) {
        this.context.imageSmoothingEnabled = columns > 2 * w;
        const picture = kept ? keptPixels(kept, rows, columns, colour) : matrixPixels(rows, columns, colour);
        this.context.drawImage(picture, x, y, w, h);
    }
}

const kXml = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "\"": "&quot;"
};
const xml = (text) => String(text).replace(/[&<>"]/g, (c) => kXml[c]);
const round = (x) => Math.round(x * 100) / 100;

export const box = (x, y, w, h) => `x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"`;
const attribute = (name, value, there = value) => there ? ` ${name}="${value}"` : "";

export class SvgPen extends Pen {
    constructor(width, height, background) {
        super(width, height);
        this.parts = [];
        this.rect(0, 0, width, height, {fill: background});
    }
    style({fill = "none", stroke, width = 1, dash, opacity = 1}) {
        const line = `stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round"`;
        return ` fill="${fill}"${stroke ? ` ${line}` : ""}` + attribute("stroke-dasharray", dash, dash?.length) +
            attribute("opacity", opacity, opacity < 1);
    }
    rect(x, y, w, h, style) {
        const radius = attribute("rx", style.radius);
        this.parts.push(`<rect ${box(x, y, w, h)}${radius}${this.style(style)}/>`);
    }
    circle(x, y, r, style) {
        const place = `cx="${round(x)}" cy="${round(y)}" r="${round(r)}"`;
        this.parts.push(`<circle ${place}${this.style(style)}/>`);
    }
    line(points, style) {
        if (!points.length) return;
        const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
        const kind = style.fill ? "polygon" : "polyline";
        this.parts.push(`<${kind} points="${list}"${this.style(style)}/>`);
    }
    text(text, x, y, style = {}) {
        const {size, fill, align, weight, turn, opacity} = {...kText, fill: theme.ink, ...style};
        const anchor = {left: "start", center: "middle", right: "end"}[align];
        const rotate = `rotate(${round(turn * 180 / Math.PI)} ${round(x)} ${round(y)})`;
        this.parts.push(
            `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" ` +
            `dominant-baseline="central" fill="${fill}"` + attribute("opacity", opacity, opacity < 1) +
            attribute("transform", rotate, turn) + `>${xml(text)}</text>`);
    }
    // Small ones as squares, which any editor can take apart; large ones as an image within.
    matrix(x, y, w, h, rows, columns, colour) {
        if (rows * columns > 4096) {
            const image = matrixPixels(rows, columns, colour).toDataURL();
            this.parts.push(
                `<image ${box(x, y, w, h)} preserveAspectRatio="none" style="image-rendering:pixelated" href="${image}"/>`);
            return;
        }
        const [across, down] = [w / columns, h / rows];
        for (let i = 0; i < rows * columns; ++i) {
            const [left, top] = [x + (i % columns) * across, y + Math.floor(i / columns) * down];
            const c = colour(i);
            if (c) this.rect(left, top, across, down, {fill: css(c)});
        }
    }
    finish() {
        const [w, h] = [round(this.width), round(this.height)];
        return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" ` +
            `font-family="${xml(kFont)}">\n${this.parts.join("\n")}\n</svg>\n`;
    }
}
