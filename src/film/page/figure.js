// A picture with its title, its numbers under the pointer, and two ways to save it.

export const figures = [];

function save(name, type, content) {
    const blob = content instanceof Blob ? content : new Blob([content], {type});
    const href = URL.createObjectURL(blob);
    element("a", {href, download: `${film.run}-${name}`}).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Boxes line after line, then `more` pixels: {across, wide, tall, height, place(i): [x, y] of the upper left corner}. */
export function flow(width, count, {least, most = Infinity, tall, atMost = count, more = 0}) {
    const across = Math.max(1, Math.min(count, atMost, Math.floor(width / least)));
    const wide = Math.min(most, width / across);
    return {
        across,
        wide,
        tall,
        height: tall * Math.ceil(count / across) + more,
        place: (i) => [(i % across) * wide, Math.floor(i / across) * tall]
    };
}

/** Of each cell of a place its row of the table. */
function rowsOf({rows = 1, columns = 1, row = () => undefined}) {
    const cells = Array.from({length: rows * columns}, (_, i) => row({row: Math.floor(i / columns), column: i % columns}));
    return cells.filter((cells) => cells);
}

const quoted = (cell) => /[",\n]/.test(String(cell)) ? `"${String(cell).replace(/"/g, "\"\"")}"` : String(cell);

/**
 * what: {
 *   title(): text,            height(width): pixels, or layout(width): {height, and whatever else draw asks it},
 *   draw(pen),                with pen.width and pen.height
 *   columns: names            of the numbers that its places tell (below), with
 *   everyFrame: true          those of all frames are in its table; or
 *   table(): {columns, rows}  other numbers
 *   down(by), right(by)       the arrow keys: by is 1 or -1; optional
 *   lines: true               what the pointer shows must not lie on the picture; optional
 * }
 *
 * What can be touched is registered by drawing it: pen.touch(x, y, w, h, {
 *   rows, columns             of cells that the place is cut into; optional, 1
 *   tip(at): text             what the pointer shows; at: {row, column, x, y, event}; optional
 *   click(at)                 optional
 *   row(at): [cells]          the numbers of this place, for the figure's table; optional
 * }). Where several lie over each other, the one whose middle is nearest is meant.
 */
const kArrows =
    Object.freeze({ArrowUp: ["down", -1], ArrowDown: ["down", 1], ArrowLeft: ["right", -1], ArrowRight: ["right", 1]});

export class Figure {
    spots = [];  // what can be touched, as it was drawn last
    constructor(id, what) {
        this.id = id;
        this.what = what;
        this.place = byId(`figure-${id}`);
        this.caption = element("span", {className: "caption"});
        this.canvas = element("canvas");
        this.canvas.setAttribute("role", "img");
        this.view = element("div", {className: "view"}, this.canvas);
        const top = element("div", {className: "top"}, this.caption, this.saveButtons());
        this.place.replaceChildren(top, this.view);
        this.visible = true;
        this.addPointer();
        const seen = ([entry]) => {
            this.visible = entry.isIntersecting;
            if (this.visible && this.late) this.draw();
        };
        const resized = ([{contentRect}]) => {
            this.width = contentRect.width;
            this.drawSoon();
        };
        new ResizeObserver(resized).observe(this.view);
        new IntersectionObserver(seen, {rootMargin: "60px"}).observe(this.place);
        figures.push(this);
    }

    saveButtons() {
        const kinds = ["png", "csv"];
        const buttons = kinds.map((kind) => button(kind.toUpperCase(), () => this[kind]()));
        this.stageButton = button("", () => putOnStage(this.place));
        this.numbersButton = button("", () => showNumbers(this.what.title(), this.table()));
        const menu = element("details", {className: "save"}, this.menuName = element("summary"),
            element("span", {}, this.numbersButton, this.stageButton, ...buttons));
        this.menuName.textContent = "⋯";
        menu.onclick = ({target}) => {
            if (target.tagName === "BUTTON") menu.open = false;
        };
        return menu;
    }
    /** The numbers of the picture: what its places tell as they are drawn. */
    table() {
        const {what} = this;
        if (what.table) return what.table();
        const {width, height} = this.size();
        const {frame} = state;
        const drawn = (at) => {
            const pen = new Pen(width, height);
            state.frame = at;
            what.draw(pen);
            return pen.spots.flatMap(rowsOf);
        };
        const rows = (what.everyFrame ? [...film.steps.keys()] : [frame]).flatMap(drawn);
        state.frame = frame;
        return {columns: what.columns, rows};
    }
    save(kind, type, content) { save(`${this.id}-step${film.steps[state.frame]}.${kind}`, type, content); }
    png() {
        const {width, height} = this.size();
        const canvas = element("canvas", {width: 3 * width, height: 3 * height});
        const context = canvas.getContext("2d");
        context.scale(3, 3);
        this.what.draw(new CanvasPen(context, width, height));
        context.globalCompositeOperation = "destination-over";
        context.fillStyle = theme.raised;
        context.fillRect(0, 0, width, height);
        canvas.toBlob((blob) => this.save("png", "image/png", blob));
    }
    csv() {
        const {columns, rows} = this.table();
        const lines = [columns, ...rows].map((row) => row.map(quoted).join(","));
        // the mark at the beginning tells spreadsheets that it is UTF-8
        this.save("csv", "text/csv", `\ufeff${lines.join("\r\n")}\r\n`);
    }

    addPointer() {
        const {canvas, what} = this;
        canvas.onpointermove = (event) => {
            const box = what.lines && canvas.getBoundingClientRect();
            canvas.style.cursor = this.spotAt("click", ...this.pointed(event)) ? "pointer" : "";
            showTip(this.touch("tip", event), event.clientX, event.clientY, box);
        };
        canvas.onpointerleave = () => showTip();
        canvas.onclick = (event) => (this.touch("click", event), showTip());  // no tip tells what is to be guessed
        if (!what.down && !what.right) return;
        canvas.tabIndex = 0;
        canvas.onkeydown = (event) => {
            const [way, by] = kArrows[event.key] ?? [];
            if (!what[way]) return;
            what[way](by);
            event.preventDefault();
            event.stopPropagation();
        };
    }
    /** Where the pointer is on the picture. */
    pointed({clientX, clientY}) {
        const {left, top} = this.canvas.getBoundingClientRect();
        return [(clientX - left) / zoom(), (clientY - top) / zoom()];
    }
    /** The drawn place there that `does` something: "tip" or "click". */
    spotAt(does, x, y) {
        const far = (spot) => Math.hypot(spot.x + spot.w / 2 - x, spot.y + spot.h / 2 - y);
        const here =
            this.spots.filter((spot) => spot[does] && x >= spot.x && y >= spot.y && x < spot.x + spot.w && y < spot.y + spot.h);
        return here.reduce((a, b) => a && far(a) < far(b) ? a : b, undefined);
    }
    touch(does, event) {
        const [x, y] = this.pointed(event);
        const spot = this.spotAt(does, x, y);
        if (!spot) return undefined;
        const cell = (part, size, count = 1) => Math.floor(part / size * count);
        const row = cell(y - spot.y, spot.h, spot.rows);
        return spot[does]({row, column: cell(x - spot.x, spot.w, spot.columns), x, y, event});
    }

    size() {
        this.width ??= this.view.clientWidth - 16;
        const width = Math.max(200, this.width / zoom());
        const {height} = this.what.layout?.(width) ?? {height: this.what.height(width)};
        return {width, height: Math.round(height)};
    }
    draw(unseen = false) {
        const {canvas} = this;
        const {width, height} = this.size();
        this.late = !this.visible && !unseen;
        if (this.late) return this.keepRoom(height);
        const scale = (devicePixelRatio || 1) * zoom();
        const [wide, tall] = [Math.round(width * scale), Math.round(height * scale)];
        if (canvas.width !== wide || canvas.height !== tall) {
            canvas.width = wide;
            canvas.height = tall;
            this.keepRoom(height);
        }
        const context = canvas.getContext("2d");
        context.setTransform(scale, 0, 0, scale, 0, 0);
        const pen = new CanvasPen(context, width, height);
        this.what.draw(pen);
        this.spots = pen.spots;
        this.name();
    }
    /** Not drawn yet, it is as high as it will be: what lies below it does not move later. */
    keepRoom(height) {
        const pixels = `${height * zoom()}px`;
        if (this.canvas.style.height !== pixels) this.canvas.style.height = pixels;
        if (!this.titled) this.name();
    }
    name() {
        const {canvas} = this;
        const title = this.what.title();
        if (this.titled === title + root.lang) return;
        this.titled = title + root.lang;
        this.caption.textContent = title;
        this.numbersButton.textContent = say("numbers", "数值");
        this.stageButton.textContent = say("full screen", "全屏");
        this.menuName.setAttribute("aria-label", say("numbers and files", "数值和文件"));
        canvas.setAttribute("aria-label", title);
    }
    drawSoon() {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.draw();
        });
    }
}
