// Which matrices move, how much, and when; and those of one block themselves.

// The matrices of a block are those of which block 0 has two extents, as the table of parameters
// names them.
const kMatrices =
    film.parameters.filter(({name, shape}) => name.startsWith("block.0.") && shape.includes(","))
        .map(({name}) => name.slice("block.0.".length));
const nameOf = (block, matrix) => `block.${block}.${matrix}`;
const shortName = (matrix) => matrix.split(".").at(-1);
const chosenParameter = () => film.rowOfParameter.has(state.parameter) ?
    state.parameter :
    nameOf(film.recordedBlock, kMatrices[0]);

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
    /** Ratios by their logarithm from 10⁻⁵ to 10⁻¹, distances as they are. */
    colour(value) {
        const power = (Math.log10(Math.max(value, 1e-5)) + 5) / 4;
        return theme.way(this.part === "ratio" ? Math.max(0, power) : value);
    }
    text(name, value) {
        const before = name in kOutside ? `${kOutside[name]} ` : "";
        if (this.part !== "ratio") return before + percent(value);
        return before + (value === 0 ? "0" : value.toExponential(1).replace("e-", "e−"));
    }
    draw(pen) {
        const {wide, tall, rows} = this.cells(pen);
        const left = (i) => this.left + i * wide;
        kMatrices.forEach(
            (matrix, i) => pen.note(shortName(matrix), left(i + 0.5), 12, "center", 12));
        rows.forEach(({label, names}, r) => {
            const y = this.top + r * tall;
            pen.note(label, this.left - 8, y + tall / 2, "right", 12);
            names.forEach((name, i) => {
                const value = weightValue(this.part, state.frame, name);
                const fill = this.colour(value);
                const stroke = name === chosenParameter() ? theme.accent : undefined;
                const style = {
                    align: "center",
                    size: wide < 56 ? 9.5 : 12,
                    fill: theme.inkOn(fill)
                };
                const cell = {fill: css(fill), stroke, width: 3, radius: 3};
                pen.rect(left(i) + 1, y + 1, wide - 2, tall - 2, cell);
                pen.text(this.text(name, value), left(i + 0.5), y + tall / 2, style);
            });
        });
    }
    nameAt(x, y, size) {
        const {wide, tall, rows} = this.cells(size);
        return rows[Math.floor((y - this.top) / tall)]?.names[Math.floor((x - this.left) / wide)];
    }
    at(x, y, size) {
        const row = film.rowOfParameter.get(this.nameAt(x, y, size));
        if (row === undefined) return "";
        const {name, shape} = film.parameters[row];
        const number = (part) => short(film.parameter(part, state.frame, row), 4);
        return `${partName(name)} ${shape}\n‖Δw‖ / ‖w‖ = ${number("ratio")}\n` +
            `‖w − w₀‖ = ${number("from_start")},  ‖w‖ = ${number("norm")}\n` +
            `${say("gradient norm", "梯度范数")} ${number("gradient")}`;
    }
    click(x, y, size) {
        const parameter = this.nameAt(x, y, size);
        if (!parameter) return;
        const matrix = film.matrices.list.findIndex((m) => m.name === parameter);
        changed(matrix < 0 ? {parameter} : {parameter, matrix});
    }
    table() {
        const parts = ["norm", "from_start", "ratio", "gradient"];
        const numbers = (frame, row) => parts.map((part) => film.parameter(part, frame, row));
        const rows = film.steps.flatMap((step, frame) => film.parameters.map(
                                            ({name}, row) => [step, name, ...numbers(frame, row)]));
        const columns =
            ["step", "parameter", "norm", "from_start", "update_to_weight", "gradient_norm"];
        return {columns, rows};
    }
}

const kOutside = {
    "embedding.token": "E",
    "embedding.position": "P",
    "head.W": "W"
};

/** "ratio", or "distance": ‖w − w₀‖ / ‖w‖. */
function weightValue(part, frame, name) {
    const row = film.rowOfParameter.get(name);
    if (part === "ratio") return film.parameter("ratio", frame, row);
    return film.parameter("from_start", frame, row) / (film.parameter("norm", frame, row) || 1);
}

// A matrix of the recorded block, and beside it what training changed in it.
const matrixPicture = {
    left: 30,
    top: 22,
    kept: new Map(),
    there: () => film.matrices.list.length > 0,
    index: () => Math.min(state.matrix, film.matrices.list.length - 1),
    now() { return film.matrices.list[this.index()]; },
    moment: () => film.matrixMoment(state.frame),
    title() {
        if (!this.there()) return "";
        const step = film.steps[film.matrices.frames[this.moment()]];
        return `${partName(this.now().name)} · ${stepName(step)}`;
    },
    /** Two boxes: side by side where that fits, otherwise one below the other. */
    boxes(width) {
        const {rows, columns} = this.now();
        const beside = width > 520 && columns <= 2 * rows;
        const room = (beside ? width / 2 : width) - this.left - 10;
        const wide = Math.min(room, 600 * columns / rows);
        const tall = wide * rows / columns;
        const first = {x: this.left, y: this.top, wide, tall};
        if (beside) return [first, {...first, x: width / 2 + this.left}];
        return [first, {...first, y: 2 * this.top + tall + 10}];
    },
    height(width) {
        if (!this.there()) return 60;
        const last = this.boxes(width)[1];
        return last.y + last.tall + 8;
    },
    draw(pen) {
        if (!this.there()) {
            const why = say("history_budget is too small: no matrices were recorded",
                "history_budget 太小，没有记录矩阵");
            pen.note(why, pen.width / 2, 30, "center", 12);
            return;
        }
        const {rows, columns} = this.now();
        const names = [say("itself", "矩阵本身"), say("change since step 0", "与第 0 步之差")];
        this.boxes(pen.width).forEach(({x, y, wide, tall}, change) => {
            const W = film.matrix(this.index(), this.moment(), change === 1);
            const largest = this.largest(change === 1);
            const [out, into] = [say("out", "输出"), say("in", "输入")];
            pen.matrix(x, y, wide, tall, rows, columns, (i) => theme.signed(W[i] / largest));
            pen.rect(x, y, wide, tall, {stroke: theme.line});
            pen.note(`${names[change]}   ${out} ${columns} →`, x, y - 11);
            pen.note(`±${short(largest, 2)}`, x + wide, y - 11, "right");
            const down = {size: 11, fill: theme.muted, turn: Math.PI / 2};
            pen.text(`${into} ${rows} →`, x - 12, y, down);
        });
    },
    /** One scale for all moments, so that a frame can be compared with the next. */
    largest(changeOnly) {
        const key = `${this.index()} ${changeOnly}`;
        if (!this.kept.has(key)) {
            const W = film.matrix(this.index(), film.matrices.frames.length - 1, changeOnly);
            this.kept.set(key, W.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9));
        }
        return this.kept.get(key);
    },
    at(x, y, {width}) {
        if (!this.there()) return "";
        const {rows, columns, name} = this.now();
        for (const box of this.boxes(width)) {
            const i = Math.floor((y - box.y) / box.tall * rows);
            const j = Math.floor((x - box.x) / box.wide * columns);
            if (i < 0 || j < 0 || i >= rows || j >= columns) continue;
            const number = (changeOnly) =>
                film.matrix(this.index(), this.moment(), changeOnly)[i * columns + j].toFixed(4);
            return `${shortName(name)}[${i}, ${j}] = ${number(false)}\n` +
                `${say("since step 0", "自第 0 步起")} ${number(true)}`;
        }
        return "";
    },
    table() {
        if (!this.there()) return {columns: [], rows: []};
        const {rows, columns} = this.now();
        const W = film.matrix(this.index(), this.moment(), false);
        const row = (_, i) => [i, ...W.subarray(i * columns, (i + 1) * columns)];
        const names = Array.from({length: columns}, (_, j) => `out${j}`);
        return {columns: ["in", ...names], rows: Array.from({length: rows}, row)};
    },
};

function parameterSeries() {
    const name = chosenParameter();
    const row = film.rowOfParameter.get(name);
    const part = (which) => film.overSteps((frame) => film.parameter(which, frame, row));
    const distance = film.overSteps((frame) => weightValue("distance", frame, name));
    const series = [
        {name: say("update / weights", "更新 / 权重"), points: part("ratio"), width: 2.4},
        {name: say("distance from step 0 / weights", "与第 0 步的距离 / 权重"), points: distance},
        {name: say("gradient norm", "梯度范数"), points: part("gradient")},
    ];
    return {series, log: true};
}

function startWeights() {
    new WeightTable("ratios", "ratio", () => say("‖Δw‖ / ‖w‖ of this step", "这一步的 ‖Δw‖ / ‖w‖"));
    new WeightTable("distances", "distance",
        () => say("‖w − w₀‖ / ‖w‖: distance from step 0", "‖w − w₀‖ / ‖w‖：与第 0 步的距离"));
    new Chart("parameter", 220, () => partName(chosenParameter()), parameterSeries);
    new Figure("matrix", matrixPicture);
    panels.push(() => {
        if (!matrixPicture.there()) return;
        const {list} = film.matrices;
        const names = list.map(({name}, index) => [index, shortName(name)]);
        chooseFrom(byId("matrix-choices"), blockName(film.recordedBlock), names,
            matrixPicture.index(), (matrix) => changed({matrix, parameter: list[matrix].name}));
    });
}
