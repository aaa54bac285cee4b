// One character that looks: at every other one, at every frame, in every head at once.

export const attentionStrip = {
    title() {
        const name = quote(film.characters(state.sentence)[query()]);
        return say(`where ${name} (position ${query()}) looks over all frames; each box a head, each row a character looked at`,
            `${name}（位置 ${query()}）在每一帧看哪里：每格一个头，每行一个被看的字，从左到右是时间`);
    },
    grid(width) {
        const {layers, heads} = film.model;
        const rows = query() + 1;
        const [left, top, gap] = [64, 20, 8];
        const wide = (width - left - 6) / heads - gap;
        const tall = Math.max(44, rows * (rows > 24 ? 3 : 12));
        return {layers, left, top, gap, wide, tall, rows, height: top + layers * (tall + gap) + 16};
    },
    height: (width) => attentionStrip.grid(width).height,
    draw(pen) {
        const {layers, left, top, gap, wide, tall, rows} = this.grid(pen.width);
        const names = film.characters(state.sentence);
        const t = query();
        const {numbers, scale} = film.numbers(`sentence.${state.sentence}.attention`);
        for (const [layer, head] of film.heads) {
            const [x, y] = [left + head * (wide + gap), top + (layers - 1 - layer) * (tall + gap)];
            const count = film.count;
            const start = (frame) => film.mapStart(state.sentence, frame, layer, head) + t * (t + 1) / 2;
            const colour = (i) => theme.share(numbers[start(i % count) + Math.floor(i / count)] * scale);
            const kept = `strip ${state.sentence} ${t} ${layer} ${head}`;
            pen.matrix(x, y, wide, tall, rows, count, colour, kept);
            const chosen = layer === state.layer && head === state.head;
            pen.frame(x, y, wide, tall, chosen, 2.5);
            const now = x + wide * (state.frame + 0.5) / film.count;
            pen.line([[now, y], [now, y + tall]], {stroke: theme.accent, width: 1.2});
            const places = {rows, columns: count};
            const tip = ({row, column}) => this.tip(layer, head, column, row);
            const click = ({column}) => (changed({layer, head}), show(column));
            pen.touch(x, y, wide, tall, {...places, tip, click});
            if (layer === layers - 1) pen.note(say(`head ${head}`, `头 ${head}`), x + wide / 2, 9, "center");
            if (head > 0) continue;
            pen.note(say(`b ${layer}`, `层${layer}`), 4, y + tall / 2);
            const every = Math.ceil(11 * rows / tall);
            for (let s = 0; s < rows; s += every)
                pen.name(names[s], 24, left - 6, y + (s + 0.5) * tall / rows, {align: "right", size: 11});
        }
        const ends = [film.steps[0], film.steps.at(-1)].map(grouped);
        const span = say(`from step ${ends[0]} to ${ends[1]}, frame by frame`, `从第 ${ends[0]} 步到第 ${ends[1]} 步，一列一帧`);
        pen.note(span, pen.width - 6, pen.height - 8, "right");
    },
    tip(layer, head, frame, s) {
        const names = film.characters(state.sentence);
        const weight = film.weight(state.sentence, frame, layer, head, query(), s);
        return `${headName(layer, head)}\n${stepName(film.steps[frame])}\n${names[query()]} → ${names[s]}   ${weight.toFixed(4)}`;
    },
    down: headGrid.down,
    right: headGrid.right,
    table() {
        const names = film.characters(state.sentence);
        const t = query();
        const rows = film.heads.flatMap(
            ([layer, head]) => film.steps.flatMap(
                (step, frame) => names.slice(0, t + 1).map(
                    (name, s) => [step, layer, head, t, s, name, film.weight(state.sentence, frame, layer, head, t, s)])));
        return {columns: ["step", "layer", "head", "query", "key", "key_token", "weight"], rows};
    },
};
