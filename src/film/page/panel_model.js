// The model's picture stands in index.html, from the tokens at its foot to the prediction: here its boxes get their colours.
// A box is as dark as its weights have moved from where they began. Where a sentence is taught it is as dark as its gradient is
// long, and while the step is made the light goes from the loss down to E. Below it are the rows of E that have moved
// furthest: those that were read, and those that were only predicted.

const kLasts = 1200;  // milliseconds from the loss to E
const kDot = 26;      // a row of E is so wide

const boxes = () => [...byId("tower").querySelectorAll("[data-name]")];

export const backward = {
    told: undefined,  // {lengths} of the last step's gradient: of each parameter

    start(told) {
        if (!this.told) byId("model").open = true;
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
    byId("figure-backward").hidden = !bench.here();
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
    for (const [id, shown] of [["colours-taught", taught], ["colours-moved", !taught]]) byId(id).hidden = !shown;
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

export const rowsOfE = {
    title: () => say("the rows of E that moved furthest, ‖ΔE‖ since you began to teach", "E 里走得最远的行，‖ΔE‖ 从开始教算起"),
    height: () => 290,
    columns: ["token", "‖ΔE‖", "read"],
    /** Tokens, those whose rows moved furthest first: [those that were read, the others]. */
    sorted() {
        const {rows, read} = bench.answer.parts[0];
        const order = [...rows.keys()].sort((a, b) => rows[b] - rows[a]);
        return [true, false].map((was) => order.filter((token) => read.includes(token) === was));
    },
    draw(pen) {
        if (!bench.answer.parts.length || !bench.here()) return;
        const [read, others] = this.sorted();
        const across = Math.floor(pen.width / kDot);
        const top = 60 + 32 * Math.ceil(read.length / across);
        pen.note(say("read: the gradient comes through the model", "读到的：梯度穿过整个模型传来"), 8, 12, "left", 12);
        this.drawDots(pen, read, 24, across, theme.accent);
        const word = say("only predicted: it comes from the output layer alone", "只被预测的：梯度只从输出层来");
        pen.note(word, 8, top - 12, "left", 12);
        this.drawDots(pen, others.slice(0, across * Math.floor((pen.height - top) / 32)), top, across, theme.muted);
    },
    drawDots(pen, tokens, top, across, fill) {
        const {rows, read} = bench.answer.parts[0];
        const most = Math.max(...rows, 1e-9);
        tokens.forEach((token, i) => {
            const [x, y] = [i % across * kDot, top + 32 * Math.floor(i / across)];
            pen.circle(x + kDot / 2, y + 11, Math.max(0.5, 11 * Math.sqrt(rows[token] / most)), {fill});
            pen.name(film.name(token), kDot, x + kDot / 2, y + 29, {align: "center", size: 11, fill: theme.muted});
            pen.touch(x, y, kDot, 32, {
                tip: () => `${film.name(token)}\n‖ΔE‖ ${short(rows[token], 3)}`,
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
