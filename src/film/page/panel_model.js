// The model's picture stands in index.html, from the tokens at its foot to the prediction: here its boxes get their colours.
// A box is as dark as its weights have moved from where they began. Where a sentence is taught it is as dark as its gradient is
// long, and while the step is made the light goes from the loss down to E. Below it are all rows of E: those that were read,
// and those that were only predicted.

const kLasts = 1200;  // milliseconds from the loss to E

const boxes = () => [...byId("tower").querySelectorAll("[data-name]")];

export const backward = {
    told: undefined,  // {lengths, rows, read} of the last step: of each parameter, of each row of E; tokens

    start(told) {
        if (!this.told) byId("model").open = true;
        byId("figure-backward").hidden = false;
        this.told = told;
        drawModel();
        if (this.going() || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        const dark = {backgroundColor: theme.paper, color: theme.ink, offset: 0};
        for (const box of boxes())
            box.animate([dark], {delay: kLasts * this.when(box.dataset.name), duration: kLasts / 4, fill: "backwards"});
    },
    going: () => boxes().some((box) => box.getAnimations().length),
    /** When the gradient comes to a parameter: 0 at the loss, 1 at E. */
    when(name) {
        const {layers} = film.model;
        const [, block, part] = /^block\.(\d+)\.(\w+)/.exec(name) ?? [];
        if (block === undefined) return name.startsWith("embedding") ? 1 : 0;
        return (2 * (layers - block) - (part === "ffn" || part === "norm_2" ? 1 : 0)) / (2 * layers + 1);
    },
};

function drawModel() {
    const {told} = backward;
    const taught = told && gpt.taught.snapshot === gpt.at();
    const longest = Math.max(...told?.lengths ?? []);
    for (const box of boxes()) {
        const {name} = box.dataset;
        const row = film.rowOfParameter.get(name);
        const moved = weightWay(state.frame, name);
        const colour = taught ? theme.share(told.lengths[row] / longest) : weightColour(moved);
        const words = taught ? say(`norm of the gradient: ${short(told.lengths[row])}`, `梯度范数：${short(told.lengths[row])}`) :
                               say(`distance from its beginning: ${percent(moved)}`, `与初始值的距离：${percent(moved)}`);
        box.title = `${partName(name)} ${film.parameters[row].shape}\n${words}`;
        paint(box, colour);
    }
    const {parameters, layers, heads, channels} = film.model;
    fill("model-reading", {parameters: grouped(parameters), layers, heads, channels});
    setText(byId("model-colours"),
        taught ? say("A box is as dark as its gradient was long in the last step.", "颜色越深，刚才那一步的梯度越长。") :
                 say("A box is as dark as its weights have moved from where they began.", "颜色越深，权重离初始值越远。"));
}

/** The template once for each block; a part that this model has not is taken out. */
function buildTower() {
    const template = byId("block");
    for (let layer = 0; layer < film.model.layers; ++layer) {
        const block = template.content.cloneNode(true);
        for (const number of block.querySelectorAll("b")) number.textContent = layer;
        for (const box of block.querySelectorAll("[data-name]")) box.dataset.name = nameOf(layer, box.dataset.name);
        template.after(block);
    }
    for (const box of boxes()) {
        const {name} = box.dataset;
        box.onclick = () => {
            changed({parameter: name});
            aim.go(name.startsWith("embedding") ? "embeddings" : "weights");
        };
        if (!film.rowOfParameter.has(name)) box.remove();
    }
}

const rowsOfE = {
    title: () => say("every row of E by ‖dE‖, in the last step", "刚才那一步里 E 的每一行，按 ‖dE‖"),
    height: () => 210,
    columns: ["token", "‖dE‖", "read"],
    draw(pen) {
        if (!backward.told) return;
        const {rows, read} = backward.told;
        const byLength = (tokens) => tokens.sort((a, b) => rows[b] - rows[a]);
        const others = [...rows.keys()].filter((token) => !read.includes(token));
        const size = Math.min(26, pen.width / Math.max(1, Math.min(read.length, 16)));
        const top = 32 + size * Math.ceil(read.length / Math.floor(pen.width / size));
        const small = Math.min(16, Math.sqrt(pen.width * (pen.height - top - 40) / (1.1 * others.length)));
        pen.note(say("read: the gradient comes through the model", "读到的：梯度穿过整个模型传来"), 8, 12, "left", 12);
        this.drawDots(pen, byLength([...read]), 24, size, theme.accent);
        const word = say("only predicted: it comes from the output layer alone", "只被预测的：梯度只从输出层来");
        pen.note(word, 8, top + 22, "left", 12);
        this.drawDots(pen, byLength(others), top + 34, small, theme.muted);
    },
    drawDots(pen, tokens, top, size, fill) {
        const {rows, read} = backward.told;
        const most = Math.max(...rows);
        const across = Math.max(1, Math.floor(pen.width / size));
        tokens.forEach((token, i) => {
            const [cx, cy] = [(i % across + 0.5) * size, top + (Math.floor(i / across) + 0.5) * size];
            pen.circle(cx, cy, Math.max(0.5, 0.46 * size * Math.sqrt(rows[token] / most)), {fill});
            if (size > 20) pen.note(film.name(token), cx, cy + size * 0.72, "center");
            pen.touch(cx - size / 2, cy - size / 2, size, size, {
                tip: () => `${film.name(token)}\n‖dE‖ ${short(rows[token], 3)}`,
                row: () => [film.name(token), rows[token], Number(read.includes(token))],
            });
        });
    },
};

export function startModel() {
    buildTower();
    new Figure("backward", rowsOfE);
    panels.push(whenSeen("model", drawModel));
}
