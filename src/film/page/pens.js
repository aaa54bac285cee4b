// Every picture is drawn with a pen: on a canvas, or nowhere, for its numbers alone.

export const kFont = getComputedStyle(root).getPropertyValue("--font").trim();

const kText = Object.freeze({size: 12, align: "left", weight: 400, turn: 0, opacity: 1});

export const pixels = document.createElement("canvas");

/** A matrix as a canvas of one pixel an element. colour(i): see colours.js; 0 for nothing. */
function matrixPixels(rows, columns, colour, canvas = pixels) {
    if (canvas.width !== columns) canvas.width = columns;
    if (canvas.height !== rows) canvas.height = rows;
    const context = canvas.getContext("2d", {willReadFrequently: true});
    const image = context.createImageData(columns, rows);
    const colours = new Uint32Array(image.data.buffer);  // 0xffBBGGRR
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
