// Everything is here: open where the reader was, and begin.

function drawFacts() {
    const {model, training, watched, recorded, steps, texts} = film;
    const all = texts?.train.count >= film.corpus.tokens;
    setText(byId("run-name"), film.run);
    fill("run-facts", {
        parameters: grouped(model.parameters),
        text: training.text,
        steps: grouped(training.steps),
        tokens: `${training.batch * training.accumulate} × ${model.context}`,
        frozen: training.freeze ? say(`; frozen: ${training.freeze}`, `；冻结：${training.freeze}`) : "",
        sentences: own.number,
        watched: watched.length,
        frames: film.count,
        of: film.count < recorded ? say(` of ${recorded}`, `（共 ${recorded} 帧）`) : "",
        begins: steps[0] ? say(`, from step ${steps[0]}`, `，从第 ${steps[0]} 步开始`) : "",
    });
    const {steps: snapshots, difference} = gpt;
    fill("model-facts", difference !== undefined && {count: snapshots.length, difference: difference.toFixed(3)});
    byId("no-model").hidden = snapshots.length > 0;
    fill("text-facts", texts && {
        part: all ?
            say("the whole training text", "全部训练文本") :
            say(`the first ${grouped(texts.train.count)} tokens of its text`, `文本的前 ${grouped(texts.train.count)} 个 token`),
    });
}

function followScrolling() {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const nav = document.querySelector("nav");
    const follow = (entries) => {
        const link = links.get(entries.findLast(({isIntersecting}) => isIntersecting)?.target.id);
        if (!link) return;
        for (const other of links.values()) other.classList.toggle("here", other === link);
        nav.scrollLeft = link.offsetLeft - nav.clientWidth / 2;
    };
    const watcher = new IntersectionObserver(follow, {rootMargin: "-45% 0px -55% 0px"});
    for (const section of document.querySelectorAll("main > section")) watcher.observe(section);
}

/** Elements of these classes are for some runs only. */
function showWhatIsThere() {
    const {snapshots, sentences, rules, others, model, training} = film;
    const there = {
        "model": snapshots && sentences.length,
        "with-text": snapshots && sentences.length && learnable(),
        "with-rules": rules,
        "with-runs": others.length,
        "with-roles": headRoles.there(),
        "added": model.added,
        "turned": model.position === "rotary",
        "tied": model.tied,
        "muon": training.optimizer === "muon",
        "adamw-alone": training.optimizer !== "muon",
    };
    for (const [name, holds] of Object.entries(there))
        for (const part of document.getElementsByClassName(name)) part.hidden ||= !holds;
    for (const link of document.querySelectorAll("nav a"))
        if (byId(link.hash.slice(1)).hidden) link.remove();
}

/** The panels that run the model; they wait until the page is there. */
function startTouching() {
    if (!film.snapshots || !film.sentences.length) return;
    startContinued();
    startSwitches();
    startReasons();
    startCell();
    setTimeout(async () => {
        await gpt.start();
        startOwn();
        startVectors();
        await startBench();
        startLearning();
        drawAll();  // so that paper has the answers, too
    }, 50);
}

function start() {
    if (film.corpus.tokens < film.corpus.characters) sayWords();
    state.token = firstToken();
    if (film.sentences.length) Object.assign(state, firstHead());
    setTheme(recall() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    measureZoom();
    startModel();
    showWhatIsThere();
    panels.push(drawFacts);
    startStory();
    startRules();
    startCurves();
    if (film.sentences.length) startAttention(), startHeads(), startPredictions();
    startRoles();
    if (film.watched.length) startMap(), startTokens();
    startWeights();
    if (film.sentences.length) startGuess();
    startRuns();
    startTouching();
    startTransport();
    startKeys();
    startTour();
    followScrolling();
    drawNow();
    startAiming();
}

start();
