// Loss, learning rate, gradient norm, and the sample of the frame.

export const pairs = (steps, values) => Array.from(steps, (step, i) => [step, values[i]]);

/** Other runs in broken lines, each in a colour of its own. */
export const otherStyle = (index) => ({dash: [6, 4], colour: theme.series[(2 + index) % theme.series.length]});

function lossSeries() {
    const training = say("training (batches)", "训练（当步批次）");
    const validation = say("validation", "验证");
    const lines = ({curve: c}) => [pairs(c.step, c.loss), pairs(c.evaluated, c.validation)];
    const [train, validate] = lines(film);
    const series = [
        {name: training, points: train, width: 1.2},
        {name: validation, points: validate, width: 2.4, dots: true},
    ];
    const {documents_step: at, documents} = film.curve;
    const name = say("validation documents, from their beginning", "验证文档（每篇从头读）");
    const dot = {dots: true, colour: theme.series[3]};
    if (documents?.length) series.push({name, points: pairs(at, documents), ...dot});
    film.others.forEach((other, index) => {
        const [points, evaluated] = lines(other);
        const style = otherStyle(index);
        series.push({name: `${other.run} · ${training}`, legend: "", points, width: 0.8, ...style});
        const name = `${other.run} · ${validation}`;
        series.push({name, points: evaluated, width: 2.2, dots: true, ...style});
    });
    const {floor} = film.guesses;
    const lowest = say("floor: no model is lower on documents", "理论下界（文本的熵率）：任何模型读文档都不能更低");
    const levels = [...lossLevels(), ...floor > 0 ? [{y: floor, name: lowest}] : []];
    return {series, levels, unit: lossUnit(), also: alsoLoss, last: lastOfAll()};
}

/** The same loss in other words: as many choices, bits, and for tokens that are no characters. */
function alsoLoss(nats, name) {
    const many = say(`: as unsure as among ${choices(nats)} choices`, `，好比 ${choices(nats)} 个同样可能的选择`);
    if (!film.per_character) return say(" nats per token", " 奈特/token") + many;
    const validates = /validation|验证/.test(name);
    const perToken = short(nats / film.tokens_per_character[validates ? 1 : 0], 4);
    return say(` nats per character (${perToken} per token)`, ` 奈特/字符（${perToken} 奈特/token）`) + many;
}

export const lastOfAll = () => Math.max(lastStep(), ...film.others.map(({curve}) => curve.step.at(-1) ?? 0));

function oneCurve(part, log) {
    const points = ({curve}) => pairs(curve.step, curve[part]);
    const series = [{name: film.others.length ? film.run : "", points: points(film), width: 1.4}];
    film.others.forEach((other, index) => {
        series.push({name: other.run, points: points(other), width: 1.2, ...otherStyle(index)});
    });
    return {series, log, from: log ? undefined : 0, last: lastOfAll()};
}

export function startCurves() {
    const norm = () => say("gradient norm, before clipping", "梯度范数（裁剪前）");
    new Chart("loss", 240, () => say("loss", "损失"), lossSeries);
    new Chart("rate", 170, () => say("learning rate", "学习率"), () => oneCurve("rate", false));
    new Chart("gradient", 170, norm, () => oneCurve("gradient", true));
    chooseIn("curve-choices", state, "logSteps");
    panels.push(() => {
        setText(byId("sample"), film.samples[state.frame]);
        const pinned = film.samples[state.pinned];
        const beside = pinned ? `${stepName(film.steps[state.pinned])}  ${pinned}` : "";
        setText(byId("pinned-sample"), beside);
    });
}
