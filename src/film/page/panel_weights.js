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

/** The middle one of all matrices' updates: at which frame it was largest, and now. */
function readRatios() {
    const names = film.parameters.map(({name}) => name).filter(isMatrix);
    const middle = (frame) => names.map((name) => weightValue("ratio", frame, name)).sort((a, b) => a - b)[names.length >> 1];
    largestUpdate ??= [...film.steps.keys()].reduce((a, b) => middle(b) > middle(a) ? b : a);
    const [most, now] = [largestUpdate, state.frame].map((frame) => weightText("ratio", middle(frame)));
    fill("ratio-reading", {step: stepName(film.steps[largestUpdate]), most, now});
}
let largestUpdate;

export function startWeights() {
    new Figure("moves", weightMap);
    new Chart("parameter", 220, () => partName(chosenParameter()), parameterSeries);
    new Figure("matrix", matrixPicture);
    panels.push(whenSeen("weights", readRatios));
    byId("moves-choices").querySelector("[value=path]").hidden = !film.streams["parameter.path"];
    chooseIn("moves-choices", weightMap, "part");
    panels.push(drawMatrixChoices);
}
