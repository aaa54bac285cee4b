// All matrices over all frames in one picture: how far each has gone by when.

export const weightMap = {
    part: "way",
    parts: ["way", "path", "ratio"],
    columns: ["step", "parameter", "distance", "path", "update"],
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
    height: () => 12 * weightMap.names().length + 26,
    draw(pen) {
        const [names, left] = [this.names(), this.left(pen.width)];
        const [wide, tall] = [pen.width - left - 56, pen.height - 26];
        const value = (frame, row) => weightValue(this.part, frame, names[row]);
        const choose = (row) => changed({parameter: names[row]});
        pen.touch(0, 4, left, tall, {rows: names.length, click: ({row}) => choose(row)});
        pen.overFrames(left, 4, wide, tall, names.length, {
            colour: (row, frame) => weightColour(this.part, value(frame, row)),
            tip: (row, frame) => this.tip(names[row], frame),
            row: ({row,
                column}) => [film.steps[column], names[row], ...this.parts.map((part) => weightValue(part, column, names[row]))],
            click: choose,
            steps: true,
        });
        names.forEach((name, row) => {
            const y = 4 + (row + 0.5) * tall / names.length;
            const chosen = name === chosenParameter();
            const style = {align: "right", size: 11, fill: chosen ? theme.accent : theme.muted};
            pen.name(partName(name), left - 8, left - 6, y, {...style, weight: chosen ? 700 : 400});
            pen.note(weightText(this.part, value(state.frame, row)), pen.width - 4, y, "right");
        });
    },
    tip(name, frame) {
        const tell = (part) => weightText(part, weightValue(part, frame, name));
        return `${partName(name)}\n` +
            say(`distance ${tell("way")}, path ${tell("path")}, update ${tell("ratio")}`,
                `距离 ${tell("way")}，路长 ${tell("path")}，更新 ${tell("ratio")}`);
    },
    down(by) {
        const names = this.names();
        const at = names.indexOf(chosenParameter()) + by;
        changed({parameter: names[around(at, names.length)]});
    },
};
