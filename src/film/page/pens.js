// Every picture is drawn once, with a pen: on canvas for the screen and for PNG, as text for SVG.

const kFont = getComputedStyle(root).getPropertyValue("--font").trim();

const kText = {
    size: 12,
    align: "left",
    weight: 400,
    turn: 0,
    opacity: 1
};

const pixels = document.createElement("canvas");

/** A matrix as a canvas of one pixel an element. colour(i): [r, g, b], or null for nothing. */
function matrixPixels(rows, columns, colour) {
    pixels.width = columns;
    pixels.height = rows;
    const context = pixels.getContext("2d", {willReadFrequently: true});
    const image = context.createImageData(columns, rows);
    for (let i = 0, at = 0; i < rows * columns; ++i, at += 4) {
        const c = colour(i);
        if (!c) continue;
        image.data.set([...c, 255], at);
    }
    context.putImageData(image, 0, 0);
    return pixels;
}

class Pen {
    constructor(width, height) {
        this.width = width;
        this.height = height;
    }
    /** Small grey letters beside a picture. */
    note(text, x, y, align = "left", size = 11) {
        this.text(text, x, y, {align, size, fill: theme.muted});
    }
    /** A token's name, smaller where it is wider than `room`: it may be several characters. */
    name(text, room, x, y, style) {
        const size = Math.max(5, style.size * Math.min(1, room / this.widthOf(text, style.size)));
        this.text(text, x, y, {...style, size});
    }
    /** Where a curve, a row or a cell is that was chosen. */
    frame(x, y, w, h, chosen, width = 2) {
        const stroke = chosen ? theme.accent : theme.line;
        this.rect(x, y, w, h, {stroke, width: chosen ? width : 1});
    }
}

class CanvasPen extends Pen {
    constructor(context, width, height) {
        super(width, height);
        this.context = context;
        context.clearRect(0, 0, width, height);
        context.lineJoin = "round";
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
        c.font = `${weight} ${size}px ${kFont}`;
        c.fillStyle = fill;
        c.textAlign = align;
        c.textBaseline = "middle";
        c.globalAlpha = opacity;
        c.save();
        c.translate(x, y);
        c.rotate(turn);
        c.fillText(text, 0, 0);
        c.restore();
        c.globalAlpha = 1;
    }
    widthOf(text, size = 12) {
        this.context.font = `400 ${size}px ${kFont}`;
        return this.context.measureText(text).width;
    }
    matrix(x, y, w, h, rows, columns, colour) {
        this.context.imageSmoothingEnabled = columns > 2 * w;
        this.context.drawImage(matrixPixels(rows, columns, colour), x, y, w, h);
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

const box = (x, y, w, h) =>
    `x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"`;
const attribute = (name, value, there = value) => there ? ` ${name}="${value}"` : "";

class SvgPen extends Pen {
    constructor(width, height, background) {
        super(width, height);
        this.parts = [];
        this.rect(0, 0, width, height, {fill: background});
    }
    style({fill = "none", stroke, width = 1, dash, opacity = 1}) {
        const line = `stroke="${stroke}" stroke-width="${width}" stroke-linejoin="round"`;
        return ` fill="${fill}"${stroke ? ` ${line}` : ""}` +
            attribute("stroke-dasharray", dash, dash?.length) +
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
            `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" ` +
            `text-anchor="${anchor}" dominant-baseline="central" fill="${fill}"` +
            attribute("opacity", opacity, opacity < 1) + attribute("transform", rotate, turn) +
            `>${xml(text)}</text>`);
    }
    widthOf(text, size = 12) {
        const context = pixels.getContext("2d");
        context.font = `400 ${size}px ${kFont}`;
        return context.measureText(text).width;
    }
    // Small ones as squares, which any editor can take apart; large ones as an image within.
    matrix(x, y, w, h, rows, columns, colour) {
        if (rows * columns > 4096) {
            const image = matrixPixels(rows, columns, colour).toDataURL();
            this.parts.push(`<image ${box(x, y, w, h)} preserveAspectRatio="none" ` +
                `style="image-rendering:pixelated" href="${image}"/>`);
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
        return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" ` +
            `height="${h}" font-family="${xml(kFont)}">\n${this.parts.join("\n")}\n</svg>\n`;
    }
}
