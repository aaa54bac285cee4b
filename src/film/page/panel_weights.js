// Which matrices move, how much, and when; and those of one block themselves.

// The matrices of a block are those of which block 0 has two extents, as the table of parameters names them.
export const kMatrices = film.parameters.filter(({name, shape}) => name.startsWith("block.0.") && shape.includes(","))
                             .map(({name}) => name.slice("block.0.".length));
export const nameOf = (block, matrix) => `block.${block}.${matrix}`;
export const shortName = (matrix) => matrix.split(".").at(-1);
/** Has it rows and columns? (A bias has not.) */
export const isMatrix = (name) => film.parameters[film.rowOfParameter.get(name)].shape.includes(",");
export const chosenParameter = () =>
    film.rowOfParameter.has(state.parameter) ? state.parameter : nameOf(film.recordedBlock, kMatrices[0]);

// One of the two tables: each matrix of the model as a cell.
class WeightTable {
    constructor(id, part, title) {
        this.part = part;
        this.title = title;
        new Figure(id, this);
    }
    left = 62;
    top = 24;
    height() { return this.top + 4 + 34 * this.rows().length; }
    /** Rows of the table: the blocks, and below them what stands outside. */
    rows() {
        const rows = [];
        for (let block = film.model.layers - 1; block >= 0; --block) {
            const names = kMatrices.map((matrix) => nameOf(block, matrix));
            rows.push({label: say(`block ${block}`, `层 ${block}`), names});
        }
        const outside = Object.keys(kOutside).filter((name) => film.rowOfParameter.has(name));
        rows.push({label: say("outside", "层外"), names: outside});
        return rows;
    }
    cells({width, height}) {
        const rows = this.rows();
        const wide = (width - this.left - 6) / kMatrices.length;
        return {wide, tall: (height - this.top - 4) / rows.length, rows};
    }
    /** The shown frame; but updates at the end of a training, where η is 0, say nothing. */
    frame() { return this.part === "ratio" ? tellingFrame() : state.frame; }
    text(name, value) { return (name in kOutside ? `${kOutside[name]} ` : "") + weightText(this.part, value); }
    draw(pen) {
        const {wide, tall, rows} = this.cells(pen);
        const left = (i) => this.left + i * wide;
        kMatrices.forEach((matrix, i) => pen.note(shortName(matrix), left(i + 0.5), 12, "center", 12));
        rows.forEach(({label, names}, r) => {
            const y = this.top + r * tall;
            pen.note(label, this.left - 8, y + tall / 2, "right", 12);
            names.forEach((name, i) => {
                const value = weightValue(this.part, this.frame(), name);
                const fill = weightColour(this.part, value);
                const stroke = name === chosenParameter() ? theme.accent : undefined;
                const style = {align: "center", size: wide < 56 ? 9.5 : 12, fill: theme.inkOn(fill)};
                const cell = {fill: css(fill), stroke, width: 3, radius: 3};
                pen.rect(left(i) + 1, y + 1, wide - 2, tall - 2, cell);
                const click = () => changed({parameter: name});
                pen.touch(left(i), y, wide, tall, {tip: () => this.tip(name), click});
                pen.name(this.text(name, value), wide - 6, left(i + 0.5), y + tall / 2, style);
            });
        });
    }
    tip(name) {
        const row = film.rowOfParameter.get(name);
        const number = (part) => short(film.parameter(part, this.frame(), row), 4);
        return `${partName(name)} ${film.parameters[row].shape}\n‖Δw‖ / ‖w‖ = ${number("ratio")}\n‖w − w₀‖ = ` +
            `${number("from_start")},  ‖w‖ = ${number("norm")}\n${say("gradient norm", "梯度范数")} ${number("gradient")}`;
    }
    down(by) { weightMap.down(by); }
    table() {
        const parts = ["norm", "from_start", "ratio", "gradient"];
        const numbers = (frame, row) => parts.map((part) => film.parameter(part, frame, row));
        const rows =
            film.steps.flatMap((step, frame) => film.parameters.map(({name}, row) => [step, name, ...numbers(frame, row)]));
        const columns = ["step", "parameter", "norm", "from_start", "update_to_weight", "gradient_norm"];
        return {columns, rows};
    }
}

const kOutside = {
    "embedding.token": "E",
    "embedding.position": "P",
    "head.W": "W"
};

/** "ratio": of the last update; "way": ‖w − w₀‖ / ‖w₀‖; "path": length of all updates / ‖w₀‖. */
export function weightValue(part, frame, name) {
    const row = film.rowOfParameter.get(name);
    if (part === "ratio") return film.parameter("ratio", frame, row);
    const first = film.parameter("norm", 0, row) || film.parameter("norm", frame, row) || 1;
    return film.parameter(part === "way" ? "from_start" : "path", frame, row) / first;
}

const largestWeights = new Map();
/** Of all matrices at the last frame. */
function largestWeight(part) {
    if (!largestWeights.has(part)) {
        const names = film.parameters.map(({name}) => name).filter(isMatrix);
        const all = names.map((name) => weightValue(part, film.count - 1, name));
        largestWeights.set(part, Math.max(1e-9, ...all));
    }
    return largestWeights.get(part);
}

/** Ratios by their logarithm from 10⁻⁵ to 10⁻¹; lengths as shares of the largest. */
export function weightColour(part, value) {
    const power = (Math.log10(Math.max(value, 1e-5)) + 5) / 4;
    return theme.way(part === "ratio" ? Math.max(0, power) : value / largestWeight(part));
}
/** Small ones as per cent, large ones as a multiple. */
export function weightText(part, value) {
    if (part === "ratio" && value > 0) return value < 1e-4 ? "<0.01%" : `${short(100 * value, 2)}%`;
    return value < 1 ? percent(value) : `${short(value, 2)}×`;
}

function parameterSeries() {
    const name = chosenParameter();
    const row = film.rowOfParameter.get(name);
    const over = (part) => film.overSteps((frame) => weightValue(part, frame, name));
    const gradient = film.overSteps((frame) => film.parameter("gradient", frame, row));
    const series = [
        {name: say("update / weights", "更新 / 权重"), points: over("ratio"), width: 2.4},
        {name: say("distance / initial length", "与初始值的距离 / 初始长度"), points: over("way")},
        {name: say("length of the path / initial length", "走过的路长 / 初始长度"), points: over("path")},
        {name: say("gradient norm", "梯度范数"), points: gradient},
    ];
    return {series: series.filter(({points}) => points.some(([, y]) => y > 0)), log: true};
}

/** Of the left table's numbers the middle one, at each frame. */
let middles;
function middleRatios() {
    if (middles) return middles;
    const names = film.parameters.map(({name}) => name).filter(isMatrix);
    middles = film.steps.map((_, frame) => {
        const all = names.map((name) => weightValue("ratio", frame, name)).sort((a, b) => a - b);
        return all[all.length >> 1];
    });
    return middles;
}
/** Where the updates were largest, if at the last frame there are hardly any; the shown frame. */
function tellingFrame() {
    const middle = middleRatios();
    const largest = middle.indexOf(Math.max(...middle));
    const over = state.frame === film.count - 1 && middle[state.frame] < middle[largest] / 100;
    return over ? largest : state.frame;
}

/** What they were over all frames: at their largest, and now. */
function readRatios() {
    const middle = middleRatios();
    const largest = middle.indexOf(Math.max(...middle));
    const [most, now] = [middle[largest], middle[state.frame]].map((x) => weightText("ratio", x));
    fill("ratio-reading", {step: stepName(film.steps[largest]), most, now});
}

export function startWeights() {
    new WeightTable("ratios", "ratio", () => {
        const step = stepName(film.steps[tellingFrame()]);
        return tellingFrame() === state.frame ? say("‖Δw‖ / ‖w‖ of this step", "这一步的 ‖Δw‖ / ‖w‖") :
                                                say(`‖Δw‖ / ‖w‖ of ${step}, where it was largest: now η is almost 0`,
                                                    `${step}的 ‖Δw‖ / ‖w‖，那时最大：现在 η 几乎为 0`);
    });
    new WeightTable(
        "distances", "way", () => say("‖w − w₀‖ / ‖w₀‖: distance from the initial values", "‖w − w₀‖ / ‖w₀‖：与初始值的距离"));
    new Figure("moves", weightMap);
    new Chart("parameter", 220, () => partName(chosenParameter()), parameterSeries);
    new Figure("matrix", matrixPicture);
    panels.push(whenSeen("weights", readRatios));
    byId("moves-choices").querySelector("[value=path]").hidden = !film.streams["parameter.path"];
    chooseIn("moves-choices", weightMap, "part");
    panels.push(drawMatrixChoices);
}
