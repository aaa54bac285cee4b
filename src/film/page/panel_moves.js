// All matrices over all frames in one picture: how far each has gone by when.

export const weightMap = {
    part: "way",
    title() {
        const names = {
            way: say("‖w − w₀‖ / ‖w₀‖ of every matrix over the frames", "每个矩阵的 ‖w − w₀‖ / ‖w₀‖，一列一帧"),
            path: say("length of the path / ‖w₀‖ of every matrix over the frames", "每个矩阵走过的路长 / ‖w₀‖，一列一帧"),
            ratio: say("‖Δw‖ / ‖w‖ of every matrix over the frames", "每个矩阵的 ‖Δw‖ / ‖w‖，一列一帧"),
        };
        return names[this.part];
    },
    names: () => film.parameters.map(({name}) => name).filter(isMatrix).reverse(),
    left: (width) => width < 480 ? 96 : 130,
    height: () => 16 * weightMap.names().length + 26,
    draw(pen) {
        const [names, left] = [this.names(), this.left(pen.width)];
        const [wide, tall] = [pen.width - left - 56, pen.height - 26];
        const value = (frame, row) => weightValue(this.part, frame, names[row]);
        pen.matrix(left, 4, wide, tall, names.length, film.count,
            (i) => weightColour(this.part, value(i % film.count, Math.floor(i / film.count))));
        const choose = (row) => changed({parameter: names[row]});
        pen.touch(0, 4, left, tall, {rows: names.length, click: ({row}) => choose(row)});
        pen.touch(left, 4, wide, tall, {
            rows: names.length,
            columns: film.count,
            tip: ({row, column}) => this.tip(names[row], column),
            click: ({row, column}) => (choose(row), show(column)),
        });
        names.forEach((name, row) => {
            const y = 4 + (row + 0.5) * tall / names.length;
            const chosen = name === chosenParameter();
            const style = {align: "right", size: 11, fill: chosen ? theme.accent : theme.muted};
            pen.name(partName(name), left - 8, left - 6, y, {...style, weight: chosen ? 700 : 400});
            pen.note(weightText(this.part, value(state.frame, row)), pen.width - 4, y, "right");
        });
        const middle = (frame) => left + (frame + 0.5) * wide / film.count;
        pen.line([[middle(state.frame), 4], [middle(state.frame), 4 + tall]], {stroke: theme.accent, width: 1.5});
        for (const share of [0, 0.25, 0.5, 0.75, 1]) {
            const frame = Math.round(share * (film.count - 1));
            pen.note(grouped(film.steps[frame]), middle(frame), tall + 15, "center", 10.5);
        }
    },
    tip(name, frame) {
        const tell = (part) => weightText(part, weightValue(part, frame, name));
        return `${partName(name)}\n${stepName(film.steps[frame])}\n` +
            say(`distance ${tell("way")}, path ${tell("path")}, update ${tell("ratio")}`,
                `距离 ${tell("way")}，路长 ${tell("path")}，更新 ${tell("ratio")}`);
    },
    down(by) {
        const names = this.names();
        const at = names.indexOf(chosenParameter()) + by;
        changed({parameter: names[around(at, names.length)]});
    },
    table() {
        const parts = ["way", "path", "ratio"];
        const rows = film.steps.flatMap(
            (step, frame) => this.names().map((name) => [step, name, ...parts.map((part) => weightValue(part, frame, name))]));
        return {columns: ["step", "parameter", "distance", "path", "update"], rows};
    },
};
