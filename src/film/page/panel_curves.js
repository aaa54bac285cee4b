// Loss, learning rate, gradient norm, and the sample of the frame.

const pairs = (steps, values) => Array.from(steps, (step, i) => [step, values[i]]);

function lossSeries() {
    const {curve, other, guesses} = film;
    const [training, validation] = [say("training", "训练"), say("validation", "验证")];
    const lines = ({curve: c}) => [pairs(c.step, c.loss), pairs(c.evaluated, c.validation)];
    const [train, validate] = lines(film);
    const series = [
        {name: training, points: train, width: 1.2},
        {name: validation, points: validate, width: 2.4},
    ];
    if (other) {
        const [dash, [points, evaluated]] = [[6, 4], lines(other)];
        const [first, second] = theme.series.slice(2);
        series.push({name: `${other.run} · ${training}`, points, width: 1, dash, colour: first});
        series.push({
            name: `${other.run} · ${validation}`,
            points: evaluated,
            width: 2.2,
            dash,
            colour: second,
        });
    }
    const levels = [
        {y: guesses.uniform, name: say("all tokens as likely (ln V)", "均匀猜测 ln V")},
        {
            y: guesses.unigram,
            name: say("by frequency alone (unigram entropy)", "只知字频（一元熵）")
        },
    ].filter(({y}) => y > 0);  // a vocabulary from elsewhere has no counts
    const also = (nats) => {
        if (!film.per_character) return say(" nats per token", " 奈特/token");
        const bits = short(nats / Math.LN2, 4);
        return say(` nats = ${bits} bits per character`, ` 奈特 = ${bits} 比特/字符`);
    };
    const unit = film.per_character ? say("nats per character", "奈特/字符") :
                                      say("nats per token", "奈特/token");
    return {series, levels, unit, also, last: lastOfBoth()};
}

const lastOfBoth = () => Math.max(lastStep(), film.other?.curve.step.at(-1) ?? 0);

function oneCurve(part, log) {
    const points = ({curve}) => pairs(curve.step, curve[part]);
    const {other} = film;
    const series = [{name: other ? film.run : "", points: points(film), width: 1.4}];
    const style = {width: 1.2, dash: [6, 4], colour: theme.series[2]};
    if (other) series.push({name: other.run, points: points(other), ...style});
    return {series, log, from: log ? undefined : 0, last: lastOfBoth()};
}

function startCurves() {
    const norm = () => say("gradient norm, before clipping", "梯度范数（裁剪前）");
    new Chart("loss", (width) => width > 600 ? 330 : 260, () => say("loss", "损失"), lossSeries);
    new Chart("rate", 170, () => say("learning rate", "学习率"), () => oneCurve("rate", false));
    new Chart("gradient", 170, norm, () => oneCurve("gradient", true));
    panels.push(() => {
        const axes = [
            [true, say("beginning large", "放大前段")],
            [false, say("even", "均匀")],
        ];
        byId("sample").textContent = film.samples[state.frame];
        chooseFrom(byId("curve-choices"), say("steps", "横轴"), axes, state.logSteps,
            (logSteps) => changed({logSteps}));
    });
}
