// The map of the watched characters: two fixed directions, so that a point that moves has moved.

const map = {
    title() {
        const share = percent(film.plane.share[0] + film.plane.share[1]);
        const count = film.watched.length;
        const plane = say(`the plane holds ${share} of the last frame's variance`,
            `这个平面只保留了最后一帧方差的 ${share}：近邻以余弦为准`);
        return `${count}${say(" characters", " 个字")} · ${film.now()} · ${plane}`;
    },
    height: (width) => Math.min(620, Math.max(340, width * 0.72)),
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
    point(pen, frame, place) {
        const {left, low, wide, tall} = this.bounds();
        const [x, y] = film.place(frame, place);
        const edge = 22;
        return [
            edge + (pen.width - 2 * edge) * (x - left) / wide,
            pen.height - edge - (pen.height - 2 * edge) * (y - low) / tall,
        ];
    },
    draw(pen) {
        const chosen = chosenPlace();
        const near = new Set(film.neighbours(state.frame, chosen).map(({token}) => token));
        const inSentence = new Set(film.sentences.flat());
        film.watched.forEach((token, place) => {
            if (!inSentence.has(token) || place === chosen) return;
            this.drawTrail(pen, place, {stroke: theme.muted, width: 1, opacity: 0.2});
        });
        film.watched.forEach((token, place) => {
            if (place === chosen) return;
            const [x, y] = this.point(pen, state.frame, place);
            const [kin, known] = [near.has(token), inSentence.has(token)];
            const large = kin || known;
            pen.text(film.name(token), x, y, {
                align: "center",
                size: large ? 14 : 12,
                weight: kin ? 700 : 400,
                fill: kin ? theme.real :
                    known ? theme.ink :
                            theme.muted,
                opacity: large ? 1 : 0.75,
            });
        });
        this.drawTrail(pen, chosen, {stroke: theme.accent, width: 2});
        this.drawReadings(pen, chosen);
        const [x, y] = this.point(pen, state.frame, chosen);
        const letters = {align: "center", size: 17, weight: 700, fill: theme.accent};
        pen.circle(x, y, 14, {fill: theme.raised, stroke: theme.accent, width: 2});
        pen.text(film.name(state.token), x, y, letters);
    },
    /** From the first frame to the present one. */
    trail(pen, place) {
        return film.steps.slice(0, state.frame + 1)
            .map((_, frame) => this.point(pen, frame, place));
    },
    drawTrail(pen, place, style) { pen.line(this.trail(pen, place), style); },
    /** Circles where the character was read, larger for more often. */
    drawReadings(pen, place) {
        const points = this.trail(pen, place);
        points.forEach(([x, y], frame) => {
            const often = film.of("met", frame, place) / (stepsBefore(frame) || 1);
            const radius = Math.min(7, 1.5 + 1.2 * Math.sqrt(often));
            if (often > 0) pen.circle(x, y, radius, {fill: theme.accent, opacity: 0.45});
        });
        const first = {fill: theme.raised, stroke: theme.accent, width: 1.5};
        pen.circle(...points[0], 4, first);
    },
    nearest(x, y, size) {
        const far = film.watched.map((_, place) => {
            const [px, py] = this.point(size, state.frame, place);
            return Math.hypot(px - x, py - y);
        });
        const least = Math.min(...far);
        return least < 22 ? far.indexOf(least) : -1;
    },
    at(x, y, size) {
        const place = this.nearest(x, y, size);
        return place < 0 ? "" : tokenText(place);
    },
    click(x, y, size) {
        const place = this.nearest(x, y, size);
        if (place >= 0) changed({token: film.watched[place]});
    },
    table() {
        const parts = ["from_start", "from_last", "met", "lookup", "head"];
        const row = (frame, place) => parts.map((part) => film.of(part, frame, place));
        const rows =
            film.steps.flatMap((step, frame) => film.watched.map(
                                   (token, place) => [step, film.name(token),
                                       ...film.place(frame, place), ...row(frame, place)]));
        const columns = [
            "step", "token", "x", "y", "from_start", "from_last", "met", "gradient_lookup",
            "gradient_head"
        ];
        return {columns, rows};
    },
};

/** Steps since the frame before; 0 at the first. */
const stepsBefore = (frame) => frame ? film.steps[frame] - film.steps[frame - 1] : 0;

/** What a character went through by the frame, in a few lines. */
function tokenText(place) {
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

function startMap() { new Figure("map", map); }
