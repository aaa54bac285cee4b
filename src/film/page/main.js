// Everything is here: open where the reader was, and begin.

function drawFacts() {
    const {model, training, watched, recorded} = film;
    const kept = film.count < recorded ?
        say(`, ${film.count} of ${recorded} frames`, `，${recorded} 帧中的 ${film.count} 帧`) :
        say(`, ${film.count} frames`, `，${film.count} 帧`);
    const begins = film.steps[0] === 0 ?
        "" :
        say(`, from step ${film.steps[0]}`, `，从第 ${film.steps[0]} 步开始`);
    const frozen =
        training.freeze ? say(`; frozen: ${training.freeze}`, `；冻结：${training.freeze}`) : "";
    const tokens = `${training.batch * training.accumulate} × ${model.context}`;
    const [parameters, steps] = [grouped(model.parameters), grouped(training.steps)];
    byId("run-name").textContent = film.run;
    byId("run-facts").textContent = say(
        `${parameters} parameters learn from ${training.text}, ${steps} steps of ${tokens} tokens` +
            `${frozen}. The film follows ${film.sentences.length} sentences and ` +
            `${watched.length} characters${kept}${begins}.`,
        `模型有 ${parameters} 个参数，用 ${training.text} 训练 ${steps} 步，` +
            `每步 ${tokens} 个 token${frozen}。回放记录了 ${film.sentences.length} 个句子和 ` +
            `${watched.length} 个字${kept}${begins}。`);
}

/** Marks under the slider: where frames stand close, training was young. */
function drawTicks() {
    const canvas = byId("ticks");
    const width = canvas.clientWidth;
    const scale = devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = 8 * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = theme.muted;
    for (let frame = 0; frame < film.count; ++frame)
        pen.fillRect(8 + (width - 16) * frame / Math.max(1, film.count - 1), 2, 1, 3);
}

function followScrolling() {
    const links =
        new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const follow = (entries) => {
        for (const {target, isIntersecting} of entries)
            links.get(target.id)?.classList.toggle("here", isIntersecting);
    };
    const watcher = new IntersectionObserver(follow, {rootMargin: "-45% 0px -50% 0px"});
    for (const section of document.querySelectorAll("main > section")) watcher.observe(section);
}

/** A sentence of the course is best to begin with: 小, where it is watched. */
function firstToken() {
    const first = (film.sentences[0] ?? []).map((token) => film.names[token]);
    for (const name of ["小", ...first]) {
        const token = film.watched.find((t) => film.names[t] === name);
        if (token !== undefined) return token;
    }
    return film.watched[0];
}

/** And of the heads the one that sharpened most. */
function firstHead() {
    const entropy = ([layer, head]) => roles.at("entropy", film.count - 1, layer, head);
    const [layer, head] = film.heads.reduce((a, b) => entropy(b) < entropy(a) ? b : a);
    return {layer, head};
}

/**
 * A position is added to the embedding, or q and k are turned by it; Muon moves the matrices of
 * blocks, or AdamW moves all: only one of two is this run's.
 */
function showFormulas() {
    const turned = film.model.position === "rotary";
    for (const part of document.querySelectorAll(".added")) part.hidden = turned;
    for (const part of document.querySelectorAll(".turned")) part.hidden = !turned;
    const muon = film.training.optimizer === "muon";
    for (const part of document.querySelectorAll(".muon")) part.hidden = !muon;
    for (const part of document.querySelectorAll(".adamw-alone")) part.hidden = muon;
}

function start() {
    state.token = firstToken();
    if (film.sentences.length) Object.assign(state, firstHead());
    setTheme(recall() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    measureZoom();
    showFormulas();
    panels.push(drawFacts, drawTicks);
    startModel();
    startCurves();
    if (film.sentences.length) startAttention(), startHeads(), startPredictions();
    if (film.watched.length) startMap(), startTokens();
    startWeights();
    startTransport();
    startKeys();
    followScrolling();
    drawNow();
}

start();

// The page's one global name, for a console and for tests.
window.zhuyi = {
    film,
    state,
    figures,
    attention,
    root,
    slider,
    stepText,
    changed,
    show,
    drawNow,
    setTheme,
    chooseToken,
    chosenPlace,
    percent,
};
