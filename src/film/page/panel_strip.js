// One character that looks: at every other one, at every frame, in every head at once.

export const attentionStrip = {
    title() {
        const name = quote(film.characters(state.sentence)[query()]);
        return say(`where ${name} (position ${query()}) looks over all frames; each box a head, each row a character looked at`,
            `${name}（位置 ${query()}）在每一帧看哪里：每格一个头，每行一个被看的字，从左到右是时间`);
    },
    layout(width) {
        const {layers, heads} = film.model;
        const rows = query() + 1;
        const [left, top, gap] = [64, 20, 8];
        const wide = (width - left - 6) / heads - gap;
        const tall = Math.max(44, rows * (rows > 24 ? 3 : 14));
        return {layers, left, top, gap, wide, tall, rows, height: top + layers * (tall + gap) + 16};
    },
    columns: ["step", "layer", "head", "query", "key", "key_token", "weight"],
    draw(pen) {
        const {layers, left, top, gap, wide, tall, rows} = this.layout(pen.width);
        const names = film.characters(state.sentence);
        const t = query();
        const {numbers, scale} = film.numbers(`sentence.${state.sentence}.attention`);
        for (const [layer, head] of film.heads) {
            const [x, y] = [left + head * (wide + gap), top + (layers - 1 - layer) * (tall + gap)];
            const weight = (frame, s) => film.weight(state.sentence, frame, layer, head, t, s);
            const start = (frame) => film.mapStart(state.sentence, frame, layer, head) + t * (t + 1) / 2;
            pen.overFrames(x, y, wide, tall, rows, {
                colour: (s, frame) => theme.share(numbers[start(frame) + s] * scale),
                kept: `strip ${state.sentence} ${t} ${layer} ${head}`,
                tip: (s, frame) => `${headName(layer, head)}\n${names[t]} → ${names[s]}   ${weight(frame, s).toFixed(4)}`,
                row: ({row: s, column}) => [film.steps[column], layer, head, t, s, names[s], weight(column, s)],
                click: () => changed({layer, head}),
            });
            pen.frame(x, y, wide, tall, isChosen(layer, head), 2.5);
            if (layer === layers - 1) pen.note(say(`head ${head}`, `头 ${head}`), x + wide / 2, 9, "center");
            if (head > 0) continue;
            pen.note(say(`b ${layer}`, `层${layer}`), 4, y + tall / 2);
            const every = Math.ceil(13 * rows / tall);
            for (let s = 0; s < rows; s += every)
                pen.name(names[s], 24, left - 6, y + (s + 0.5) * tall / rows, {align: "right", size: 11});
        }
        const ends = [film.steps[0], film.steps.at(-1)].map(grouped);
        const span = say(`from step ${ends[0]} to ${ends[1]}, frame by frame`, `从第 ${ends[0]} 步到第 ${ends[1]} 步，一列一帧`);
        pen.note(span, pen.width - 6, pen.height - 8, "right");
    },
    down: headGrid.down,
    right: headGrid.right,
};
