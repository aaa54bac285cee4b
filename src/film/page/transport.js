// The transport at the foot: slider, step buttons, the marks of what happened when.

export const slider = byId("slider");
export const stepText = byId("step");
const kSpeeds = [0.5, 1, 2, 4];
export const playing = {
    timer: 0,
    speed: 1,
    loop: false
};

export function show(frame) {
    frame = Math.min(film.count - 1, Math.max(0, frame));
    changed({frame, atEnd: frame === film.count - 1});
}

/** The frame nearest to a step. */
export const frameAt = (step) => nearestIndex(film.steps, step);
export const showStep = (step) => show(frameAt(step));

export function play(on = !playing.timer) {
    const last = film.count - 1;
    const next = () => state.frame < last ? show(state.frame + 1) : playing.loop ? show(0) : play(false);
    clearInterval(playing.timer);
    playing.timer = 0;
    if (on) {
        if (state.frame === last) show(0);
        playing.timer = setInterval(next, 260 / playing.speed);
    }
    byId("play-shape").setAttribute("d", on ? "M5 4h4v12H5Z M11 4h4v12h-4Z" : "M6 4 L16 10 L6 16 Z");
    changed();
}
function otherSpeed() {
    playing.speed = kSpeeds[(kSpeeds.indexOf(playing.speed) + 1) % kSpeeds.length];
    if (playing.timer) play(true);
    changed();
}

/** A frame to compare with: the present one, or none again. */
export function pin() { changed({pinned: state.pinned === state.frame ? -1 : state.frame}); }

/** The curve's value nearest before a step, with its own step. */
function lastBefore(steps, values, step) {
    const i = steps.findLastIndex((recorded) => recorded <= step);
    return i < 0 ? undefined : {step: steps[i], value: values[i]};
}

export function drawTransport() {
    slider.max = film.count - 1;
    slider.value = state.frame;
    const step = film.steps[state.frame];
    const {curve} = film;
    slider.setAttribute("aria-valuetext", stepName(step));
    const taught = bench.here();
    const lines = [taught ? gpt.name() : `${stepName(step)} / ${grouped(film.training.steps)}`];
    const [train, evaluated] = taught ? [] : [[curve.step, curve.loss],
        [curve.evaluated, curve.validation]].map(([steps, values]) => lastBefore(steps, values, step));
    if (train) lines.push(`${say("training loss, its batch", "训练损失（当步批次）")} ${train.value.toFixed(3)}`);
    if (evaluated) {
        const at = stepName(evaluated.step);
        lines.push(`${say(`validation, ${at}:`, `验证损失（${at}）`)} ${evaluated.value.toFixed(3)}`);
    }
    if (taught) lines.push(...taughtLosses());
    setText(stepText, lines.join("\n"));
    stepText.dataset.step = step;
    byId("play").ariaLabel = playing.timer ? say("pause", "暂停") : say("play", "播放");
    setText(byId("speed").firstChild, `${playing.speed}×`);
    byId("loop").ariaPressed = playing.loop;
    byId("pin").ariaPressed = state.pinned >= 0;
    setText(byId("pin").lastChild, state.pinned >= 0 ? ` ${grouped(film.steps[state.pinned])}` : "");
}

// ---- marks

/** What happened when: [{step, text, colour}]. */
function events() {
    const known = (film.rules?.list ?? []).filter(({since}) => since !== null);
    const found = known.map(
        (rule) => ({step: rule.since, text: say(`known: ${ruleName(rule)}`, `懂得：${ruleName(rule)}`), colour: "var(--real)"}));
    const {evaluated, validation} = film.curve;
    if (!validation.length) return found;
    const lowest = validation.indexOf(Math.min(...validation));
    const text = say("lowest validation loss", "验证损失最低");
    return [...found, {step: evaluated[lowest], text: `${text} ${short(validation[lowest])}`, colour: "var(--accent)"}];
}

/** Below the slider some frames' steps, and above them a dot where something happened. */
function drawMarks() {
    const last = film.count - 1;
    const left = (frame) => `calc(8px + (100% - 16px) * ${frame / Math.max(1, last)})`;
    const labels = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * last)))].map((frame) => {
        const label = element("small", {textContent: grouped(film.steps[frame])});
        label.style.left = left(frame);
        return label;
    });
    const dots = events().map(({step, text, colour}) => {
        const dot = element("i", {title: `${stepName(step)}: ${text}`, onclick: () => showStep(step)});
        Object.assign(dot.style, {left: left(frameAt(step)), background: colour});
        return dot;
    });
    byId("marks").replaceChildren(...labels, ...dots);
}

export function startTransport() {
    slider.addEventListener("input", () => show(Number(slider.value)));
    const press = {
        play: () => play(),
        back: () => show(state.frame - 1),
        on: () => show(state.frame + 1),
        speed: otherSpeed,
        loop: () => changed((playing.loop = !playing.loop, {})),
        pin,
    };
    for (const [id, onclick] of Object.entries(press)) byId(id).onclick = onclick;
    panels.push(inLanguage(drawMarks));
}
