// Which matrices move, how much, and when.

export const nameOf = (block, matrix) => `block.${block}.${matrix}`;
/** Has it rows and columns? (A bias has not.) */
const isMatrix = (name) => film.parameters[film.rowOfParameter.get(name)].extents.length > 1;
export const matrixNames = () => film.parameters.map(({name}) => name).filter(isMatrix);
export const chosenParameter = () =>
    film.rowOfParameter.has(state.parameter) ? state.parameter : matrixNames().find((name) => name.startsWith("block."));

/** Of a parameter at a frame: "ratio" of the last update; or "from_start" or "path", as a share of its initial length. */
function weightValue(part, frame, name) {
    const row = film.rowOfParameter.get(name);
    if (part === "ratio") return film.parameter("ratio", frame, row);
    const first = film.parameter("norm", 0, row) || film.parameter("norm", frame, row) || 1;
    return film.parameter(part, frame, row) / first;
}
/** ‖w − w₀‖ / ‖w₀‖ */
export const weightWay = (frame, name) => weightValue("from_start", frame, name);
/** The first frame from which on it has gone half of its way. */
export const halfWay = (name) => alwaysSince(film.count, (f) => weightWay(f, name) >= weightWay(film.count - 1, name) / 2);

let longestWay = 0;  // of all matrices at the last frame
export function weightColour(way) {
    longestWay ||= Math.max(1e-9, ...matrixNames().map((name) => weightWay(film.count - 1, name)));
    return theme.way(way / longestWay);
}
/** Small ones as per cent, large ones as a multiple. */
export const wayText = (way) => way < 1 ? percent(way) : `${short(way, 2)}×`;

// All matrices over all frames in one picture.
const weightMap = {
    columns: ["step", "parameter", "distance", "path", "update"],
    title: () =>
        say("‖w − w₀‖ / ‖w₀‖ of every matrix over the frames; right: now, and from which step on it has gone half of its way",
            "每个矩阵的 ‖w − w₀‖ / ‖w₀‖，一列一帧；右边：这一帧的数值，以及从第几步起已走完一半的路"),
    names: () => matrixNames().reverse(),
    left: (width) => width < 480 ? 96 : 130,
    height: () => 12 * weightMap.names().length + 26,
    draw(pen) {
        const [names, left] = [this.names(), this.left(pen.width)];
        const [wide, tall] = [pen.width - left - 96, pen.height - 26];
        const choose = (row) => changed({parameter: names[row]});
        pen.touch(0, 4, left, tall, {rows: names.length, click: ({row}) => choose(row)});
        pen.overFrames(left, 4, wide, tall, names.length, {
            colour: (row, frame) => weightColour(weightWay(frame, names[row])),
            tip: (row, frame) => `${partName(names[row])}\n${wayText(weightWay(frame, names[row]))}`,
            row: ({row, column}) => [film.steps[column], names[row],
                ...["from_start", "path", "ratio"].map((part) => weightValue(part, column, names[row]))],
            click: choose,
            steps: true,
        });
        names.forEach((name, row) => {
            const y = 4 + (row + 0.5) * tall / names.length;
            const chosen = name === chosenParameter();
            const style = {align: "right", size: 11, fill: chosen ? theme.accent : theme.muted};
            pen.name(partName(name), left - 8, left - 6, y, {...style, weight: chosen ? 700 : 400});
            pen.note(wayText(weightWay(state.frame, name)), pen.width - 50, y, "right");
            pen.note(`½ ${grouped(film.steps[halfWay(name)])}`, pen.width - 4, y, "right");
        });
    },
    down(by) {
        const names = this.names();
        changed({parameter: names[around(names.indexOf(chosenParameter()) + by, names.length)]});
    },
};

function parameterSeries() {
    const name = chosenParameter();
    const over = (part) => film.overSteps((frame) => weightValue(part, frame, name));
    const gradient = film.overSteps((frame) => film.parameter("gradient", frame, film.rowOfParameter.get(name)));
    const series = [
        {name: say("update / weights", "更新 / 权重"), points: over("ratio"), width: 2.4},
        {name: say("distance / initial length", "与初始值的距离 / 初始长度"), points: over("from_start")},
        {name: say("length of the path / initial length", "走过的路长 / 初始长度"), points: over("path")},
        {name: say("gradient norm", "梯度范数"), points: gradient},
    ];
    return {series: series.filter(({points}) => points.some(([, y]) => y > 0)), log: true};
}

/** The chosen matrix at the nearest snapshot, and beside it what training changed in it. */
const matrixPicture = {
    columns: ["in", "out", "number", "change"],
    title: () => `${partName(chosenParameter())} · ${gpt.stepName()}`,
    layout(width) {
        const [rows, columns = 1] = film.parameters[film.rowOfParameter.get(chosenParameter())].extents;
        const beside = width > 520 && columns <= 2 * rows;
        const wide = Math.min((beside ? width / 2 : width) - 40, 320 * columns / rows);
        const tall = wide * rows / columns;
        const second = beside ? [width / 2 + 30, 22] : [30, tall + 54];
        return {rows, columns, wide, tall, places: [[30, 22], second], height: second[1] + tall + 8};
    },
    draw(pen) {
        const {rows, columns, wide, tall, places} = this.layout(pen.width);
        const [now, first] = [gpt.at(), 0].map((snapshot) => film.weights(snapshot, chosenParameter()));
        const shown = [now, now.map((w, i) => w - first[i])];
        const names = [say("itself", "矩阵本身"), say(`change since ${gpt.stepName(0)}`, `与${gpt.stepName(0)}之差`)];
        shown.forEach((W, change) => {
            const [x, y] = places[change];
            const largest = W.reduce((most, w) => Math.max(most, Math.abs(w)), 1e-9);
            pen.matrix(x, y, wide, tall, rows, columns, (i) => theme.signed(W[i] / largest));
            pen.rect(x, y, wide, tall, {stroke: theme.line});
            pen.touch(x, y, wide, tall, {
                rows,
                columns,
                tip: ({row, column}) =>
                    `[${row}, ${column}] ${shown.map((W) => W[row * columns + column].toFixed(4)).join("   ")}`,
                row: ({row, column}) => !change && [row, column, ...shown.map((W) => W[row * columns + column])],
            });
            pen.note(`${names[change]}  ±${short(largest, 2)}  ${say("out", "输出")} ${columns} →`, x, y - 11);
            pen.text(`${say("in", "输入")} ${rows} →`, x - 12, y, {size: 11, fill: theme.muted, turn: Math.PI / 2});
        });
    },
};

export function startWeights() {
    new Figure("moves", weightMap);
    new Chart("parameter", 220, () => partName(chosenParameter()), parameterSeries);
    if (film.snapshots) new Figure("matrix", matrixPicture);
}
