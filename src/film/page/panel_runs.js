// Two runs or more: their rules, one head of both and the difference, the ways of a matrix.

const chosenOther = () => film.others[Math.min(Math.max(0, state.other), film.others.length - 1)];

/** The rules of all runs by their Chinese names, in the order of the first run that has them. */
function rulesOfAll() {
    const all = [film, ...film.others];
    const names = [...new Set(all.flatMap(({rules}) => (rules?.list ?? []).map(({name}) => name)))];
    const of = (run, name) => run.rules?.list.find((rule) => rule.name === name);
    return names.map((name) => ({name, runs: all.map((run) => of(run, name))}));
}

/** Since when each rule is known, in each run. */
function drawRunRules() {
    const all = [film, ...film.others];
    const told = (rule) => {
        if (!rule) return say("not asked", "没有测");
        const share = percent(rule.new.at(-1) ?? NaN);
        const since = rule.since === null ? say("not known", "没懂") : stepName(rule.since);
        return say(`${since}; new ${share}`, `${since}；新组合 ${share}`);
    };
    const rows = rulesOfAll().map(({runs}) => namedRow(ruleName(runs.find((rule) => rule)), runs.map(told)));
    const loss = say("validation loss at the end", "最后的验证损失");
    const last = namedRow(loss, all.map(({curve}) => short(curve.validation.at(-1) ?? NaN)));
    const label = say("options that differ: first, here", "不同的选项：第一次，这一次");
    const options = namedRow(label, all.map(({differs: words}) => words ? say(words.en, words.zh) : ""));
    const head = rowOf(["", ...all.map(({run}) => run)], "th");
    byId("run-table").replaceChildren(head, options, last, ...rows);
}

// The same head of both runs over the same sentence, and the difference.
const runHeads = {
    columns: [...attention.columns, "weight_of_other"],
    both() {
        const {sentence, layer, head, frame} = state;
        const other = chosenOther().map(sentence, film.steps[frame], layer, head);
        return other && {ours: film.map(sentence, frame, layer, head), other};
    },
    title() {
        const both = this.both();
        if (!both) return say("the other run has no such sentence or head", "另一次训练没有这个句子或这个头");
        const step = stepName(both.other.step);
        return say(`${headName()}: ${film.run} at ${film.now()}, ${chosenOther().run} at ${step}, difference`,
            `${headName()}：${film.run}（${film.now()}）、${chosenOther().run}（${step}）、两者之差`);
    },
    layout(width) {
        const T = film.length(state.sentence);
        const beside = width > 620;
        const cell = Math.min(beside ? width / 3 - 50 : width - 60, 330) / T;
        const step = T * cell + 48;
        const places = [0, 1, 2].map((i) => beside ? [40 + i * step, 40] : [40, 40 + i * step]);
        return {T, cell, places, height: places[2][1] + step - 40};
    },
    draw(pen) {
        const both = this.both();
        if (!both) return;
        const {T, cell, places} = this.layout(pen.width);
        const {ours, other: {map}} = both;
        const names = film.characters(state.sentence);
        const share = (weight) => theme.share(weight);
        const shown = [
            [film.run, ours, share],
            [chosenOther().run, map, share],
            [say("difference", "之差"), ours.map((weight, i) => weight - map[i]), (weight) => theme.change(weight)],
        ];
        shown.forEach(([title, weights, colour], i) => {
            const [x, y] = places[i];
            drawHead(pen, x, y, cell, weights, colour);
            pen.name(title, T * cell, x, y - 28, {size: 12, weight: 600});
            pen.touch(x, y, T * cell, T * cell, {
                rows: T,
                columns: T,
                row: ({row: t, column: s}) =>
                    i < 1 && s <= t && [...attention.row(state.layer, state.head, t, s), map[t * T + s]],
                tip: ({row: t, column: s}) => {
                    const told = shown.map(([name, numbers]) => `${name} ${numbers[t * T + s].toFixed(3)}`);
                    return s > t ? "" : [`${names[t]} → ${names[s]}`, ...told].join("\n");
                },
            });
        });
    },
};

function runWays() {
    const name = chosenParameter();
    const own = film.overSteps((frame) => weightValue("way", frame, name));
    const series = [{name: film.run, points: own, width: 2.4}];
    film.others.forEach((other, index) => {
        const points = other.steps.map((step, frame) => [step, other.way(frame, name)]);
        series.push({name: other.run, points, width: 1.8, ...otherStyle(index)});
    });
    return {series, from: 0, last: lastOfAll(), alwaysNames: true};
}

function drawRunChoices() {
    const runs = film.others.map(({run}, index) => [index, run]);
    chooseFrom(byId("run-choices"), say("beside", "并排"), runs, film.others.indexOf(chosenOther()), (other) => changed({other}));
}

export function startRuns() {
    for (const part of document.querySelectorAll(".with-runs")) part.hidden = !film.others.length;
    if (!film.others.length) return;
    panels.push(drawRunChoices, whenSeen("runs", drawRunRules));
    if (film.sentences.length) new Figure("run-heads", runHeads);
    const title = () => `${partName(chosenParameter())} · ‖w − w₀‖ / ‖w₀‖`;
    new Chart("run-ways", 230, title, runWays);
}
