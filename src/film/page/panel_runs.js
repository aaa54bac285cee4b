// Two runs or more: their rules, their losses, and how far a matrix has gone in each.

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

/** ‖w − w₀‖ / ‖w₀‖ of another run's parameter over its frames; NaN where it has none. */
function waysOf({parameters, steps, norm, from_start: ways}, name) {
    const row = parameters.indexOf(name);
    return steps.map((step, frame) => [step, row < 0 ? NaN : ways[frame * parameters.length + row] / norm[row]]);
}

function runWays() {
    const name = chosenParameter();
    const series = [{name: film.run, points: film.overSteps((frame) => weightWay(frame, name)), width: 2.4}];
    film.others.forEach(
        (other, index) => series.push({name: other.run, points: waysOf(other, name), width: 1.8, ...otherStyle(index)}));
    return {series, from: 0, last: lastOfAll(), alwaysNames: true};
}

export function startRuns() {
    if (!film.others.length) return;
    panels.push(whenSeen("runs", drawRunRules));
    new Chart("run-ways", 230, () => `${partName(chosenParameter())} · ‖w − w₀‖ / ‖w₀‖`, runWays);
}
