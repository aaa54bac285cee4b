// One matrix, and beside it what training changed in it.

export const matrixPicture = {
    left: 30,
    top: 22,
    kept: new Map(),
    now: () => film.matrix(chosenParameter()),
    there: () => Boolean(matrixPicture.now()),
    /** The one of its steps that is nearest to the frame's. */
    moment: () => nearestIndex(matrixPicture.now().steps, film.steps[state.frame]),
    title() {
        const matrix = this.now();
        if (!matrix) return partName(chosenParameter());
        const step = matrix.steps[this.moment()];
        const title = `${partName(matrix.name)} · ${stepName(step)}`;
        if (step === film.steps[state.frame]) return title;
        const count = matrix.steps.length;
        return title +
            say(` (not ${stepName(film.steps[state.frame])}: it is kept at ${count} steps)`,
                `（不是${stepName(film.steps[state.frame])}：它只保留了 ${count} 步）`);
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
            const why = say("no matrix: it is no matrix, or history_budget was too small for it",
                "没有图：它不是矩阵，或者 history_budget 太小没有记录");
            pen.note(why, pen.width / 2, 30, "center", 12);
            return;
        }
        const {rows, columns} = this.now();
        const first = stepName(this.now().steps[0]);
        const names = [say("itself", "矩阵本身"), say(`change since ${first}`, `与${first}之差`)];
        this.boxes(pen.width).forEach(({x, y, wide, tall}, change) => {
            const W = this.now().numbers(this.moment(), change === 1);
            const largest = this.largest(change === 1);
            const [out, into] = [say("out", "输出"), say("in", "输入")];
            pen.matrix(x, y, wide, tall, rows, columns, (i) => theme.signed(W[i] / largest));
            pen.rect(x, y, wide, tall, {stroke: theme.line});
            const tip = ({row, column}) => this.tip(row, column);
            pen.touch(x, y, wide, tall, {rows, columns, tip});
            const range = `±${short(largest, 2)}`;
            pen.note(`${names[change]}  ${range}  ${out} ${columns} →`, x, y - 11);
            const down = {size: 11, fill: theme.muted, turn: Math.PI / 2};
            pen.text(`${into} ${rows} →`, x - 12, y, down);
        });
    },
    /** One scale for all moments, so that a frame can be compared with the next. */
    largest(changeOnly) {
        const key = `${this.now().name} ${changeOnly}`;
        if (!this.kept.has(key)) {
            const W = this.now().numbers(this.now().steps.length - 1, changeOnly);
            this.kept.set(key, W.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9));
        }
        return this.kept.get(key);
    },
    tip(i, j) {
        const {columns, name} = this.now();
        const number = (changeOnly) => this.now().numbers(this.moment(), changeOnly)[i * columns + j].toFixed(4);
        return `${shortName(name)}[${i}, ${j}] = ${number(false)}\n${say("since step 0", "自第 0 步起")} ${number(true)}`;
    },
    table() {
        if (!this.there()) return {columns: [], rows: []};
        const {rows, columns} = this.now();
        const W = this.now().numbers(this.moment(), false);
        const row = (_, i) => [i, ...W.subarray(i * columns, (i + 1) * columns)];
        const names = Array.from({length: columns}, (_, j) => `out${j}`);
        return {columns: ["in", ...names], rows: Array.from({length: rows}, row)};
    },
};

/** Which block, and which of its matrices. */
export function drawMatrixChoices() {
    const chosen = chosenParameter();
    const inBlock = /^block\.(\d+)\.(.*)$/.exec(chosen);
    const blocks = [...Array(film.model.layers).keys()].filter((block) => film.matrix(nameOf(block, kMatrices[0])));
    const matrix = inBlock?.[2] ?? kMatrices[0];
    const block = inBlock ? Number(inBlock[1]) : film.recordedBlock;
    const choose = (parameter) => changed({parameter});
    chooseFrom(byId("matrix-blocks"), say("matrix of", "矩阵"), blocks.map((b) => [b, blockName(b)]), inBlock ? block : -1,
        (b) => choose(nameOf(b, matrix)));
    chooseFrom(byId("matrix-choices"), "", kMatrices.map((name) => [name, shortName(name)]), inBlock ? matrix : "",
        (name) => choose(nameOf(block, name)));
}
