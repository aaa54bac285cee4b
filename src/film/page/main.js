// Everything is here: open where the reader was, and begin.

function drawFacts() {
    const {model, training, watched, recorded} = film;
    const kept = film.count < recorded ? say(`, ${film.count} of ${recorded} frames`, `，${recorded} 帧中的 ${film.count} 帧`) :
                                         say(`, ${film.count} frames`, `，${film.count} 帧`);
    const begins = film.steps[0] === 0 ? "" : say(`, from step ${film.steps[0]}`, `，从第 ${film.steps[0]} 步开始`);
    const frozen = training.freeze ? say(`; frozen: ${training.freeze}`, `；冻结：${training.freeze}`) : "";
    const tokens = `${training.batch * training.accumulate} × ${model.context}`;
    const [parameters, steps] = [grouped(model.parameters), grouped(training.steps)];
    setText(byId("run-name"), film.run);
    const facts = say(`${parameters} parameters learn from ${training.text}, ${steps} steps of ${tokens} tokens${
                          frozen}. The film follows ` +
                          `${own.number} sentences and ${watched.length} characters${kept}${begins}.`,
                      `模型有 ${parameters} 个参数，用 ${training.text} 训练 ${steps} 步，每步 ${tokens} 个 ` +
                          `token${frozen}。回放记录了 ${own.number} 个句子和 ${watched.length} 个字${kept}${begins}。`) +
        gpt.facts() + textFacts();
    setText(byId("run-facts"), facts);
}

/** Texts may be private: what the page has of them is said. */
function textFacts() {
    if (!film.texts) return "";
    const {count} = film.texts.train;
    const all = count >= film.corpus.tokens;
    const part = all ? say("the whole training text", "全部训练文本") :
                       say(`the first ${grouped(count)} tokens of its text`, `文本的前 ${grouped(count)} 个 token`);
    return say(
        ` The page holds ${part}: pass it on only if the text may be read.`, `网页里有${part}：文本不宜公开时，请不要转发。`);
}

function followScrolling() {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const nav = document.querySelector("nav");
    const follow = (entries) => {
        for (const {target, isIntersecting} of entries) {
            const link = links.get(target.id);
            link?.classList.toggle("here", isIntersecting);
            if (link && isIntersecting) nav.scrollLeft = link.offsetLeft - nav.clientWidth / 2;
        }
    };
    const watcher = new IntersectionObserver(follow, {rootMargin: "-45% 0px -50% 0px"});
    for (const section of document.querySelectorAll("main > section")) watcher.observe(section);
}

/**
 * A position is added to the embedding, or q and k are turned by it; Muon moves the matrices of blocks, or AdamW
 * moves all: only one of two is this run's.
 */
function showFormulas() {
    const turned = film.model.position === "rotary";
    for (const part of document.querySelectorAll(".added")) part.hidden = !film.model.added;
    for (const part of document.querySelectorAll(".turned")) part.hidden = !turned;
    const muon = film.training.optimizer === "muon";
    for (const part of document.querySelectorAll(".muon")) part.hidden = !muon;
    for (const part of document.querySelectorAll(".adamw-alone")) part.hidden = muon;
}

/** Names that are no characters are explained where they occur. */
function showSigns() {
    const names = Object.values(film.names);
    const byte = names.find((name) => /^⟨..⟩$/.test(name));
    const sign = names.find((name) => name.startsWith("\\u{"));
    const draw = () => {
        const told = [
            byte &&
                say(`${byte}: one byte of a character that the vocabulary lacks.`,
                    `${byte}：词表里没有的字按字节拆开，这是其中一个字节。`),
            sign &&
                say(`${sign}: a sign that cannot be seen, by its Unicode number.`,
                    `${sign}：看不见的符号，写出它的 Unicode 编号。`),
        ];
        setText(byId("sign-note"), told.filter((text) => text).join(" "));
    };
    panels.push(draw);
}

/** The panels that run the model; they wait until the page is there. */
function startTouching() {
    const there = film.snapshots && film.sentences.length;
    for (const section of document.querySelectorAll("section.model")) section.hidden = !there;
    byId("learn").hidden = !there || !learnable();
    for (const link of document.querySelectorAll("nav a"))
        if (byId(link.hash.slice(1)).hidden) link.remove();
    if (!there) return;
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
    }, 50);
}

function start() {
    if (film.corpus.tokens < film.corpus.characters) sayWords();
    state.token = firstToken();
    if (film.sentences.length) Object.assign(state, firstHead());
    setTheme(recall() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    measureZoom();
    showFormulas();
    showSigns();
    panels.push(drawFacts);
    startStory();
    startRules();
    startModel();
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
