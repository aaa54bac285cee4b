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
    const [train, evaluated] = [lastBefore(curve.step, curve.loss, step), lastBefore(curve.evaluated, curve.validation, step)];
    const lines = [`${stepName(step)} / ${grouped(film.training.steps)}`];
    if (train) {
        const batch = say("training loss, its batch", "训练损失（当步批次）");
        lines.push(`${batch} ${train.value.toFixed(3)}`);
    }
    if (evaluated) {
        const [value, at] = [evaluated.value, stepName(evaluated.step)];
        const where = say(`validation, ${at}:`, `验证损失（${at}）`);
        lines.push(`${where} ${value.toFixed(3)}`);
    }
    stepText.textContent = lines.join("\n");
    stepText.dataset.step = step;
    const named = {
        play: playing.timer ? say("pause", "暂停") : say("play", "播放"),
        back: say("frame before", "前一帧"),
        on: say("frame after", "后一帧"),
        slider: say("step", "训练步"),
        speed: say(`speed ${playing.speed}`, `速度 ${playing.speed}`),
        loop: say("again from the beginning after the end", "放完从头再放"),
    };
    for (const [id, name] of Object.entries(named))
        if (byId(id).ariaLabel !== name) byId(id).ariaLabel = name;
    const dots = say("dots: a rule becomes known, or the lowest validation loss", "圆点：懂得了一条规则，或验证损失最低");
    if (byId("ticks").title !== dots) byId("ticks").title = dots;
    setText(byId("speed"), `${playing.speed}×`);
    byId("loop").setAttribute("aria-pressed", String(playing.loop));
    const pinned = byId("pin");
    pinned.setAttribute("aria-pressed", String(state.pinned >= 0));
    const frame = state.pinned >= 0 ? ` ${grouped(film.steps[state.pinned])}` : "";
    setText(pinned.lastChild, frame);
}

// ---- marks

/** What happened when: [{step, text, colour}]. */
function events() {
    const found = [];
    for (const rule of film.rules?.list ?? []) {
        if (rule.since === null) continue;
        const text = say(`known: ${ruleName(rule)}`, `懂得：${ruleName(rule)}`);
        found.push({step: rule.since, text, colour: theme.real});
    }
    const {evaluated, validation} = film.curve;
    if (validation.length) {
        const least = validation.indexOf(validation.reduce((a, b) => Math.min(a, b)));
        const loss = validation[least].toFixed(3);
        const text = say(`lowest validation loss, ${loss}`, `验证损失最低，${loss}`);
        found.push({step: evaluated[least], text, colour: theme.accent});
    }
    return found.sort((a, b) => a.step - b.step);
}

const tickAt = (width, frame) => 8 + (width - 16) * frame / Math.max(1, film.count - 1);

/** One short line a frame, a step's number where there is room, and above a dot an event. */
function drawTicks() {
    const canvas = byId("ticks");
    const [width, height, scale] = [canvas.clientWidth, 26, devicePixelRatio || 1];
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = `10px ${kFont}`;
    pen.textAlign = "center";
    const last = film.count - 1;
    let free = width - widthOf(grouped(film.steps[last]), 10) - 10;
    let from = 0;
    for (let frame = 0; frame <= last; ++frame) {
        const at = tickAt(width, frame);
        pen.fillStyle = theme.muted;
        pen.fillRect(at, 8, 1, 4);
        const label = grouped(film.steps[frame]);
        const half = widthOf(label, 10) / 2;
        if (frame < last && (at - half < from || at + half > free)) continue;
        pen.fillText(label, Math.min(Math.max(at, half), width - half), 22);
        from = at + half + 12;
    }
    for (const {step, colour} of events()) {
        pen.fillStyle = colour;
        pen.beginPath();
        pen.arc(tickAt(width, frameAt(step)), 4, 3, 0, 2 * Math.PI);
        pen.fill();
    }
}

function eventText(x, width) {
    const near = events().filter(({step}) => Math.abs(tickAt(width, frameAt(step)) - x) < 6);
    return near.map(({step, text}) => `${stepName(step)}: ${text}`).join("\n");
}

export function startTransport() {
    slider.addEventListener("input", () => show(Number(slider.value)));
    byId("play").addEventListener("click", () => play());
    byId("back").addEventListener("click", () => show(state.frame - 1));
    byId("on").addEventListener("click", () => show(state.frame + 1));
    byId("pin").addEventListener("click", pin);
    byId("speed").onclick = otherSpeed;
    byId("loop").onclick = () => changed((playing.loop = !playing.loop, {}));
    const canvas = byId("ticks");
    canvas.onpointermove = ({clientX, clientY}) => {
        const box = canvas.getBoundingClientRect();
        showTip(eventText(clientX - box.left, box.width), clientX, clientY, box);
    };
    canvas.onpointerleave = () => showTip();
    canvas.onclick = ({clientX}) => {
        const box = canvas.getBoundingClientRect();
        const share = (clientX - box.left - 8) / (box.width - 16);
        show(Math.round(share * (film.count - 1)));
    };
    addEventListener("resize", drawTicks);
    let drawn = "";
    panels.push(() => {
        const now = `${root.lang} ${theme.kind}`;
        if (now !== drawn) drawTicks();
        drawn = now;
    });
}
