// The model's own picture, from its configuration: the whole as a tower on the left, one block in detail beside it. A
// box is as strongly coloured as its weights have moved from where they began.

export const modelPicture = {
    title() {
        const {parameters, layers, heads, channels} = film.model;
        const [all, sizes] = [grouped(parameters), [`L = ${layers}`, `H = ${heads}`, `C = ${channels}`]];
        return say(`${all} parameters: ${sizes[0]} blocks, ${sizes[1]} heads, ${sizes[2]}`,
            `${all} 个参数：${sizes[0]} 层，${sizes[1]} 头，${sizes[2]}`);
    },
    height: (width) => width >= 720 ? 430 : 720,
    goTo(section, changes = {}) {
        return () => {
            changed(changes);
            aim.go(section);
        };
    },

    /** Of a parameter's box: by how far its weights have moved, or, while a step is taught, by its gradient. */
    colour: (name) => backward.going() ? backward.colour(name) : weightColour("way", weightValue("way", state.frame, name)),
    words(name) {
        const moved = weightText("way", weightValue("way", state.frame, name));
        return say(`distance from its initial value / its initial length: ${moved}`, `与初始值的距离 / 初始长度：${moved}`);
    },

    /** A part of the model; name: of its parameter. */
    box(pen, x, y, w, h, label, {name, go, tip, size = 12} = {}) {
        const row = film.rowOfParameter.get(name);
        const fill = row === undefined ? undefined : this.colour(name);
        const style = {stroke: theme.muted, width: 0.8, radius: 5};
        pen.rect(x, y, w, h, {fill: fill ? css(fill) : theme.paper, ...style});
        const ink = fill ? theme.inkOn(fill) : theme.ink;
        if (label) pen.text(label, x + w / 2, y + h / 2, {align: "center", size, fill: ink});
        go ??= name && this.goTo("weights", {parameter: name});
        const lines = row === undefined ? [] : [
            `${partName(name)} ${film.parameters[row].shape}`,
            this.words(name),
        ];
        pen.touch(x, y, w, h, {tip: () => [...lines, ...tip ? [tip] : []].join("\n"), click: go});
    },

    draw(pen) {
        const {width, height} = pen;
        if (width >= 720) {
            this.drawTower(pen, 300, height);
            this.drawBlock(pen, 330, 0, width - 334, height);
        } else {
            this.drawTower(pen, width, 330);
            this.drawBlock(pen, 4, 340, width - 8, height - 340);
        }
    },

    drawTower(pen, w, h) {
        const {layers, channels: C, vocabulary: V, context, tied, position} = film.model;
        const wide = Math.min(w - 20, 250);
        const [middle, left, gap] = [w / 2, w / 2 - wide / 2, 9];
        const shown = Math.min(layers, 8);
        const rows = 5 + shown + (shown < layers ? 0.5 : 0);
        const tall = (h - 20 - gap * (rows + 1)) / rows;
        let at = h - 12 - tall;
        const up = () => at -= tall + gap;
        const whole = (label, more) => this.box(pen, left, at, wide, tall, label, more);
        pen.line([[middle, 14], [middle, h - 14]], {stroke: theme.muted, width: 1.2});
        whole(say("tokens", "token") + `  [B, T ≤ ${context}]`, {go: this.goTo("attention")});
        up();
        const E = {name: "embedding.token", go: this.goTo("embeddings")};
        const P = {name: "embedding.position", tip: position};
        const added = film.model.added;
        this.box(pen, left, at, added ? wide * 0.62 : wide, tall, `E  [${V}, ${C}]`, E);
        if (added) this.box(pen, left + wide * 0.64, at, wide * 0.36, tall, "+ P", P);
        for (let l = 0; l < shown; ++l) up(), this.drawBlockRow(pen, l, left, at, wide, tall);
        if (shown < layers) {
            at -= tall * 0.5 + gap / 2;
            pen.note(`… ${layers}`, middle + 10, at + tall * 0.25, "left", 12);
        }
        up();
        whole("LayerNorm", {name: "final_norm.gamma"});
        up();
        const shared = say("the same matrix as E below", "与下面的 E 是同一个矩阵");
        whole(`· ${tied ? "Eᵀ" : "W"}  [${C}, ${V}]`, tied ? {...E, tip: shared} : {name: "head.W"});
        up();
        const last = say("softmax: the next token", "softmax：下一个 token");
        whole(last, {go: this.goTo("predictions")});
    },
    drawBlockRow(pen, l, x, y, w, h) {
        const chosen = l === state.layer;
        const label = 58;
        const part = (w - label - 3) / kMatrices.length;
        const stroke = chosen ? theme.accent : theme.muted;
        const tip = say(`${blockName(l)}: click to see it beside`, `${blockName(l)}：点击看它的细节`);
        pen.rect(x, y, w, h, {fill: theme.paper, stroke, width: chosen ? 2 : 0.8, radius: 5});
        pen.text(say(`block ${l}`, `层 ${l}`), x + 8, y + h / 2);
        kMatrices.forEach((matrix, i) => {
            const name = nameOf(l, matrix);
            this.box(pen, x + label + i * part, y + 3, part - 3, h - 6, "", {name});
        });
        pen.touch(x, y, label, h, {tip: () => tip, click: () => changed({layer: l})});
    },

    drawBlock(pen, x, y, w, h) {
        const {heads: H, channels: C, ffn: F, position} = film.model;
        const l = state.layer;
        const trunk = x + 16;
        const arrow = [[trunk - 5, y + 15], [trunk, y + 7], [trunk + 5, y + 15]];
        const strong = {stroke: theme.ink, width: 2};
        const title = say(`Block ${l}`, `第 ${l} 层`);
        pen.text(title, x + 40, y + 14, {weight: 600, size: 14});
        pen.line([[trunk, y + h - 2], [trunk, y + 8]], strong);
        pen.line(arrow, strong);
        pen.note("x  [B, T, C]", trunk + 10, y + h - 10);
        const left = trunk + 34;
        const inner = x + w - left - 6;
        const tall = Math.min(46, h * 0.12);
        const a = (share) => left + inner * share;
        const small = inner < 420;
        const size = small ? 10.5 : 12;
        // a box from one share of the width to another; name: of its parameter in this block
        const part = (from, to, middle, high, name, label, tip) => {
            const more = {name: name && nameOf(l, name), size, tip};
            this.box(pen, a(from), middle - high / 2, inner * (to - from), high, label, more);
        };
        const matrix = (from, to, middle, high, name, sizes) => {
            const label = shortName(name);
            part(from, to, middle, high, name, small ? label : `${label} [${sizes}]`);
        };
        const norm = (middle, name) => part(0, 0.13, middle, tall, `${name}.gamma`, small ? "LN" : "LayerNorm");
        // attention
        const attention = y + h * 0.68;
        this.drawBranch(pen, trunk, left, inner, attention, attention - h * 0.2, tall);
        norm(attention, "norm_1");
        const shape = `${C}, ${C}`;
        ["attention.W_Q", "attention.W_K", "attention.W_V"].forEach((name, i) => {
            const middle = attention + (i - 1.5) * tall * 0.86 + 2 + tall * 0.39;
            matrix(0.17, 0.34, middle, tall * 0.78, name, shape);
            if (position === "rotary" && i < 2) this.drawTurn(pen, a(0.365), middle);
        });
        const centre = a(0.39) + inner * 0.37 / 2;
        const heads = say("attention of the H heads, joined again", "H 个头各看各的，再拼接起来");
        this.drawHeads(pen, a(0.39), attention - h * 0.125, inner * 0.37, h * 0.25);
        const split = `[B, T, ${C}] → [B, ${H}, T, ${C / H}]`;
        pen.note(split, centre, attention + h * 0.15 + 2, "center");
        pen.note(heads, centre, attention - h * 0.15, "center");
        matrix(0.81, 0.98, attention, tall, "attention.W_O", shape);
        // feed-forward
        const ffn = y + h * 0.25;
        this.drawBranch(pen, trunk, left, inner, ffn, ffn - h * 0.12, tall);
        norm(ffn, "norm_2");
        matrix(0.17, 0.43, ffn, tall * 1.3, "ffn.W_1", `${C}, ${F}`);
        part(0.5, 0.63, ffn, tall, "", "GELU", `[B, T, ${F}]`);
        matrix(0.7, 0.96, ffn, tall * 1.3, "ffn.W_2", `${F}, ${C}`);
    },
    /** Rotary positions: q and k are turned on their way to the heads. */
    drawTurn(pen, x, y) {
        const tip =
            say("rotary positions: each pair of channels is turned by position · θ", "旋转位置编码：每对维度旋转 位置 · θ");
        pen.circle(x, y, 9, {fill: theme.raised, stroke: theme.muted, width: 0.8});
        pen.text("↻", x, y, {align: "center", size: 13});
        pen.touch(x - 10, y - 10, 20, 20, {tip: () => tip});
    },
    /** From the trunk, through the boxes, and back to it above them. */
    drawBranch(pen, trunk, left, inner, middle, top, tall) {
        const [from, start, end] = [middle + tall * 0.95, left - 12, left + inner];
        const way = [[trunk, from], [start, from], [start, middle], [end, middle], [end, top], [trunk, top]];
        const tip = say("what the branch found is added to the trunk", "分支的输出加到主干上");
        pen.line(way, {stroke: theme.muted, width: 1.3});
        pen.circle(trunk, top, 9, {fill: theme.raised, stroke: theme.ink, width: 1.5});
        pen.text("+", trunk, top, {align: "center", size: 15});
        pen.touch(trunk - 10, top - 10, 20, 20, {tip: () => tip});
    },
    drawHeads(pen, x, y, w, h) {
        const {heads: H} = film.model;
        const columns = Math.ceil(Math.sqrt(H * w / h));
        const rows = Math.ceil(H / columns);
        const side = Math.min(w / columns, h / rows) - 6;
        const from = x + (w - columns * (side + 6)) / 2 + 3;
        const top = y + (h - rows * (side + 6)) / 2 + 3;
        for (let head = 0; head < H; ++head) {
            const left = from + (head % columns) * (side + 6);
            const upper = top + Math.floor(head / columns) * (side + 6);
            pen.rect(left, upper, side, side, {fill: theme.raised});
            if (film.sentences.length) {
                const map = film.map(state.sentence, state.frame, state.layer, head);
                attention.paint(pen, left, upper, side, map, (weight) => theme.share(weight));
            }
            pen.frame(left, upper, side, side, head === state.head);
            const go = this.goTo("attention", {head});
            const tip = () => say(`head ${head}`, `头 ${head}`);
            pen.touch(left, upper, side, side, {tip, click: go});
        }
    },

    table() {
        const number = (part, row) => film.parameter(part, state.frame, row);
        const rows = film.parameters.map(({name, shape}, row) => [name, shape, number("norm", row), number("from_start", row)]);
        return {columns: ["parameter", "shape", "norm", "from_start"], rows};
    },
};

export function startModel() { new Figure("model", modelPicture); }
