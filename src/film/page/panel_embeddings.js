// The map of the watched characters: two fixed directions, so that a point that moves has moved.

const map = {
    columns: ["step", "token", "x", "y", "from_start", "from_last", "met", "gradient_lookup", "gradient_head"],
    everyFrame: true,
    row(token, place) {
        const {frame} = state;
        const numbers = ["from_start", "from_last", "met", "lookup", "head"].map((part) => film.of(part, frame, place));
        return [film.steps[frame], film.name(token), ...film.place(frame, place), ...numbers];
    },
    down(by) { changed({token: film.watched[around(chosenPlace() + by, film.watched.length)]}); },
    title() {
        const share = percent(film.plane.share[0] + film.plane.share[1]);
        const count = film.watched.length;
        const plane = say(
            `the plane holds ${share} of the last frame's variance`, `这个平面只保留了最后一帧方差的 ${share}：近邻以余弦为准`);
        return `${count}${say(" characters", " 个字")} · ${film.now()} · ${plane}`;
    },
    height: (width) => Math.min(350, Math.max(320, width * 0.72)),
    bounds() {
        if (this.kept) return this.kept;
        const {numbers} = film.numbers("plane.places");
        const axis = (from) => {
            const all = numbers.filter((_, i) => i % 2 === from);
            const least = all.reduce((a, b) => Math.min(a, b));
            return [least, all.reduce((a, b) => Math.max(a, b)) - least || 1];
        };
        const [[left, wide], [low, tall]] = [axis(0), axis(1)];
        return this.kept = {left, low, wide, tall};
    },
    /** Near by, the chosen character is in the middle. */
    point(pen, frame, place) {
        const {left, low, wide, tall} = this.bounds();
        const edge = 22;
        const flat = (frame, place) => {
            const [x, y] = film.place(frame, place);
            return [
                edge + (pen.width - 2 * edge) * (x - left) / wide,
                pen.height - edge - (pen.height - 2 * edge) * (y - low) / tall,
            ];
        };
        const [x, y] = flat(frame, place);
        if (this.zoom === 1) return [x, y];
        const [middle, height] = flat(state.frame, chosenPlace());
        return [pen.width / 2 + this.zoom * (x - middle), pen.height / 2 + this.zoom * (y - height)];
    },
    draw(pen) {
        const chosen = chosenPlace();
        const near = new Set(film.neighbours(state.frame, chosen).map(({token}) => token));
        const inSentence = new Set(film.sentences.flat());
        film.watched.forEach((token, place) => {
            if (!inSentence.has(token) || place === chosen) return;
            this.drawTrail(pen, place, {stroke: theme.muted, width: 1, opacity: 0.2});
        });
        this.drawNames(pen, chosen, near, inSentence);
        film.watched.forEach((token, place) => {
            const [x, y] = this.point(pen, state.frame, place);
            const row = () => this.row(token, place);
            pen.touch(x - 20, y - 20, 40, 40, {tip: () => tokenText(place), click: () => changed({token}), row});
        });
        this.drawTrail(pen, chosen, {stroke: theme.accent, width: 2});
        pen.circle(...this.point(pen, 0, chosen), 4, {fill: theme.raised, stroke: theme.accent, width: 1.5});
        const [x, y] = this.point(pen, state.frame, chosen);
        const letters = {align: "center", size: 17, weight: 700, fill: theme.accent};
        pen.circle(x, y, 14, {fill: theme.raised, stroke: theme.accent, width: 2});
        pen.text(film.name(state.token), x, y, letters);
    },
    /** Neighbours first, then the sentences' characters: a name that has no room is a dot. */
    drawNames(pen, chosen, near, inSentence) {
        const rank = (token) => near.has(token) ? 0 : inSentence.has(token) ? 1 : 2;
        const order = film.watched.map((token, place) => ({token, place, rank: rank(token)}));
        order.sort((a, b) => a.rank - b.rank);
        const taken = new Set();
        const middle = this.point(pen, state.frame, chosen);
        const cells = (x, y, w) => {
            const found = [];
            for (let i = Math.floor((x - w / 2) / 7); i <= Math.floor((x + w / 2) / 7); ++i)
                for (let j = Math.floor((y - 6) / 7); j <= Math.floor((y + 6) / 7); ++j) found.push(i * 4096 + j);
            return found;
        };
        for (const cell of cells(...middle, 22)) taken.add(cell);
        for (const {token, place, rank} of order) {
            if (place === chosen) continue;
            const [x, y] = this.point(pen, state.frame, place);
            if (x < 0 || y < 0 || x > pen.width || y > pen.height) continue;
            const style = {
                align: "center",
                size: rank < 2 ? 14 : 12,
                weight: rank ? 400 : 700,
                fill: [theme.real, theme.ink, theme.muted][rank],
            };
            const here = cells(x, y, widthOf(film.name(token), style.size));
            if (here.some((cell) => taken.has(cell))) {
                pen.circle(x, y, 1.7, {fill: style.fill, opacity: 0.7});
                continue;
            }
            for (const cell of here) taken.add(cell);
            pen.text(film.name(token), x, y, style);
        }
    },
    /** From the first frame to the present one. */
    drawTrail(pen, place,
        style) { pen.line(film.steps.slice(0, state.frame + 1).map((_, frame) => this.point(pen, frame, place)), style); },
    zoom: 1,
};

/** Steps since the frame before; 0 at the first. */
export const stepsBefore = (frame) => frame ? film.steps[frame] - film.steps[frame - 1] : 0;

/** What a character went through by the frame, in a few lines. */
export function tokenText(place) {
    const {frame} = state;
    const name = film.name(film.watched[place]);
    const near = film.neighbours(frame, place).slice(0, 4);
    const names = near.map(({token}) => film.name(token)).join(" ");
    const distance = (part) => short(film.of(part, frame, place));
    const [met, steps] = [grouped(film.of("met", frame, place)), stepsBefore(frame)];
    return `${name}   ‖E − E₀‖ = ${distance("from_start")}, ‖ΔE‖ = ${distance("from_last")}\n` +
        say(`read ${met} times in the last ${steps} steps\nnear it: ${names}`,
            `最近 ${steps} 步里被读到 ${met} 次\n近邻：${names}`);
}

export function startMap() {
    new Figure("map", map);
    chooseIn("map-choices", map, "zoom");
}
