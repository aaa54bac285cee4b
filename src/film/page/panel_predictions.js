// What may follow each position of the sentence, and how that changed for one of them.

export const predictions = {
    title: () => `${film.characters(state.sentence).join("")} · ${film.shown()}`,
    columns: ["step", "position", "token", "rank", "next", "probability"],
    everyFrame: true,
    layout: (width) => flow(width, film.length(state.sentence), {least: 76, most: 110, tall: 168}),
    next: (t) => film.sentences[state.sentence][t + 1],
    draw(pen) {
        const {wide, tall, place} = this.layout(pen.width);
        const names = film.characters(state.sentence);
        const T = names.length;
        const chosen = {stroke: theme.accent, width: 2, radius: 6};
        const [position, rows] = [chosenPosition(), []];
        const open = guess.hides("next") ? position : T;  // from there on nothing is shown
        for (let t = 0; t <= Math.min(open, T - 1); ++t) {
            const [x, y] = place(t);
            if (t === position) pen.rect(x + 2, y + 1, wide - 4, tall - 6, chosen);
            const letters = {align: "center", size: 18, weight: 600};
            pen.name(names[t], wide - 8, x + wide / 2, y + 17, letters);
            pen.line([[x + 10, y + 31], [x + wide - 10, y + 31]], {stroke: theme.line});
            if (t === open) {
                pen.text("?", x + wide / 2, y + 90, {align: "center", size: 40, weight: 700});
                continue;
            }
            const five = film.expected(state.sentence, state.frame, t);
            five.forEach((found, k) => {
                const real = found.token === this.next(t);
                rows.push({...found, real, x: x + 8, y: y + 43 + 20 * k, w: wide - 16});
            });
            this.drawTruth(pen, t, x, y + 146, wide);
            const row =
                ({row: k}) => [film.steps[state.frame], t, names[t], k + 1, film.name(five[k].token), five[k].probability];
            pen.touch(x, y, wide, tall, {rows: five.length, tip: () => this.tip(t), click: () => choosePosition(t), row});
        }
        // letters of one size after the other: to change the font takes time
        for (const row of rows) this.drawBar(pen, row);
        for (const {token, x, y} of rows) pen.name(film.name(token), 20, x + 10, y, {align: "center", size: 14});
        for (const {probability, x, y, w} of rows) pen.text(percent(probability), x + w - 4, y, {align: "right", size: 10.5});
    },
    drawBar(pen, {probability, real, x, y, w}) {
        const bar = (wide, fill, opacity) => pen.rect(x + 22, y - 6, wide, 12, {fill, opacity, radius: 2});
        bar(w - 24, theme.line, 0.45);
        bar(Math.max(1, (w - 26) * probability), real ? theme.real : theme.accent, 0.5);
        if (real) pen.rect(x - 1, y - 9.5, w + 2, 19, {stroke: theme.real, width: 1.8, radius: 4});
    },
    /** The real next character, where it is not among the five: its rank and probability. */
    drawTruth(pen, t, x, y, wide) {
        const truth = film.truth(state.sentence, state.frame, t);
        if (!truth || truth.rank <= 5) return;
        const told = `${film.name(this.next(t))} #${truth.rank} ${percent(truth.probability)}`;
        const style = {align: "center", size: 10.5, fill: theme.real};
        pen.name(told, wide - 8, x + wide / 2, y, style);
    },
    tip(t) {
        const lines = film.expected(state.sentence, state.frame, t)
                          .map((found) => `${film.name(found.token)}  ${found.probability.toFixed(4)}`);
        const next = this.next(t) === undefined ? "" : film.name(this.next(t));
        const before = film.characters(state.sentence).slice(Math.max(0, t - 7), t + 1).join("");
        const truth = film.truth(state.sentence, state.frame, t);
        const [rank, share] = truth ? [truth.rank, truth.probability.toFixed(4)] : [];
        const real = truth && say(`really ${next}: rank ${rank}, ${share}`, `真正的 ${next}：第 ${rank} 名，${share}`);
        return [`${before} → ?`, ...lines, real].join("\n").trimEnd();
    },
    down: (by) => choosePosition(around(chosenPosition() + by, film.length(state.sentence))),
    probability(frame, t, token) {
        const truth = token === this.next(t) && film.truth(state.sentence, frame, t);
        return truth ? truth.probability : film.probability(state.sentence, frame, t, token);
    },
    /** When the last frame's likeliest character first was the likeliest, and since when it always was. */
    settled() {
        const [t, frames] = [chosenPosition(), film.framesOf(state.sentence)];
        const names = frames.map((frame) => quote(film.name(film.expected(state.sentence, frame, t)[0].token)));
        const [name, at] = [names.at(-1), (i) => stepName(film.steps[frames[i]])];
        const [first, since] = [at(names.indexOf(name)), at(alwaysSince(names.length, (i) => names[i] === name))];
        if (guess.hides("next")) return "";
        if (first === since) return say(`; ${name} leads since ${since}`, `；${since}起${name}一直最可能`);
        return say(`; ${name} leads first at ${first}, always since ${since}`, `；${name}在${first}首次最可能，${since}起一直是`);
    },
    /** The characters that were ever likeliest at the chosen position, and the real one. */
    series() {
        const t = chosenPosition();
        const [next, highest] = [this.next(t), new Map()];
        film.steps.forEach((_, frame) => {
            for (const {token, probability} of film.expected(state.sentence, frame, t))
                highest.set(token, Math.max(highest.get(token) ?? 0, probability));
        });
        highest.delete(next);
        const best = [...highest.keys()].sort((a, b) => highest.get(b) - highest.get(a));
        const points = (token) => film.overSentence((frame) => this.probability(frame, t, token));
        const line = (token, i) =>
            ({name: film.name(token), points: points(token), width: 1.6, colour: theme.series[i + (i > 0)]});
        const series = best.slice(0, next === undefined ? 6 : 5).map(line);
        if (next !== undefined) {
            const name = film.name(next) + say(" (really next)", "（真正的下一个）");
            series.push({name, points: points(next), width: 3, colour: theme.real});
        }
        return {series, from: 0, alwaysNames: true};
    },
};

export function startPredictions() {
    const title = () => {
        const names = film.characters(state.sentence).slice(0, chosenPosition() + 1).join("");
        return say(`probability of what follows “${names}” (no line: not recorded)`,
                   `“${names}”之后各字的概率（没有线：没有记录）`) +
            predictions.settled();
    };
    new Figure("predictions", predictions);
    new Chart("position", 230, title, () => predictions.series());
}
