// Backward made visible: while a taught step is made the model's picture lights up from the loss down to E, each box by
// the length of its gradient. Beside it are all rows of E: those that were read, and those that were only predicted.

export const backward = {
    told: undefined,  // {lengths, rows, read} of the last step: of each parameter, of each row of E; tokens
    since: -Infinity,
    kLasts: 1200,  // milliseconds from the loss to E

    start(told) {
        this.told = told;
        this.longest = Math.max(...told.lengths);
        if (this.going()) return;  // many steps: one light follows the other
        this.since = matchMedia("(prefers-reduced-motion: reduce)").matches ? -Infinity : performance.now();
        byId("figure-backward").hidden = false;
        const follow = () => {
            for (const figure of figures)
                if (["backward", "model"].includes(figure.id)) figure.draw();
            if (this.going()) requestAnimationFrame(follow);
        };
        follow();
    },
    going: () => performance.now() - backward.since < 1.5 * backward.kLasts,
    /** When the gradient comes to a parameter: 0 at the loss, 1 at E. */
    when(name) {
        const {layers} = film.model;
        const [, block, part] = /^block\.(\d+)\.(\w+)/.exec(name) ?? [];
        if (block === undefined) return name.startsWith("embedding") ? 1 : 0;
        return (2 * (layers - block) - (part === "ffn" || part === "norm_2" ? 1 : 0)) / (2 * layers + 1);
    },
    length: (name) => backward.told.lengths[film.rowOfParameter.get(name)],
    /** The colour of a box; undefined before the gradient is there. */
    colour(name) {
        const there =
            this.told && film.rowOfParameter.has(name) && performance.now() - this.since >= this.when(name) * this.kLasts;
        return there ? theme.share(this.length(name) / this.longest) : undefined;
    },
    words(name) {
        const length = short(this.length(name), 3);
        return say(`norm of the gradient: ${length}`, `梯度范数：${length}`);
    },
};

const backwardPicture = {
    ...modelPicture,
    title: () => say("the last step, backwards: the longer a gradient the darker its box; with every row of E by ‖dE‖",
        "刚才那一步的反向传播：梯度越长颜色越深；还有 E 的每一行，按 ‖dE‖"),
    height: (width) => width >= 720 ? 300 : 520,
    columns: ["token", "‖dE‖", "read"],
    table: undefined,
    colour: (name) => backward.colour(name),
    words: (name) => backward.words(name),
    draw(pen) {
        if (!backward.told) return;
        const wide = pen.width >= 720;
        const shown = backward.going() ? (performance.now() - backward.since) / backward.kLasts : 1;
        this.drawTower(pen, wide ? 300 : pen.width, wide ? pen.height : 270);
        if (shown < 1) return;
        const [x, y] = wide ? [330, 14] : [8, 280];
        this.drawRows(pen, x, y, pen.width - x - 8, pen.height - y - 8);
    },
    drawRows(pen, x, y, w, h) {
        const {rows, read} = backward.told;
        const most = Math.max(...rows);
        const others = [...rows.keys()].filter((token) => !read.includes(token));
        const tip = (token) => `${film.name(token)}\n‖dE‖ ${short(rows[token], 3)}`;
        const row = (token) => [film.name(token), rows[token], Number(read.includes(token))];
        const dots = (tokens, top, size, style) => {
            const across = Math.max(1, Math.floor(w / size));
            tokens.forEach((token, i) => {
                const [cx, cy] = [x + (i % across + 0.5) * size, top + (Math.floor(i / across) + 0.5) * size];
                pen.circle(cx, cy, Math.max(0.5, 0.46 * size * Math.sqrt(rows[token] / most)), style);
                if (size > 20) pen.note(film.name(token), cx, cy + size * 0.72, "center");
                pen.touch(cx - size / 2, cy - size / 2, size, size, {tip: () => tip(token), row: () => row(token)});
            });
        };
        const byLength = (tokens) => tokens.sort((a, b) => rows[b] - rows[a]);
        const size = Math.min(26, w / Math.max(1, Math.min(read.length, 16)));
        const lines = Math.ceil(read.length / Math.floor(w / size));
        pen.note(say("read: the gradient comes through the model", "读到的：梯度穿过整个模型传来"), x, y, "left", 12);
        dots(byLength([...read]), y + 12, size, {fill: theme.accent});
        const top = y + 12 + lines * size + 34;
        pen.note(say("only predicted: it comes from the output layer alone", "只被预测的：梯度只从输出层来"), x, top, "left", 12);
        const room = h - (top - y) - 12;
        dots(byLength(others), top + 12, Math.min(16, Math.sqrt(w * room / (1.1 * others.length))), {fill: theme.muted});
    },
};

export function startBackward() { new Figure("backward", backwardPicture); }
