// The text goes on: one character at a time, from the model as it was at step 0, in the middle and at the end, side
// by side; the bars say what else it might have been.

const continued = {
    columns: [],  // snapshots
    texts: [],    // of each column: [{token, top}] so far
    temperature: 0.8,
    topK: 20,
    seed: 1,
    left: 0,  // tokens still to come, while it runs

    /** What it goes on from: the chosen sentence. */
    prompt: () => film.sentences[state.sentence],
    restart() {
        const last = gpt.steps.length - 1;
        this.columns = [...new Set([0, Math.floor(last / 2) + (last > 1), last])];
        this.texts = this.columns.map(() => []);
        this.from = this.prompt().join();
        this.left = 0;
        changed();
    },
    async more(count) {
        const {temperature, topK, seed, texts} = this;
        await Promise.all(this.columns.map((snapshot, i) => {
            const ids = [...this.prompt(), ...texts[i].map(({token}) => token)];
            const came = (value) => {
                if (texts !== this.texts) return;
                texts[i].push(value);
                changed();
            };
            const question = {ids, snapshot, count, seed, temperature, topK};
            return ask("goOn", question, came, `continue ${i}`);
        }));
    },
    /** Another character in the last one's stead. */
    instead(i, token) {
        this.texts[i].at(-1).token = token;
        changed();
    },
};

function continuedControls() {
    const number = (name, words, properties) => {
        const input = element("input", {type: "number", value: continued[name], ...properties});
        input.onchange = () => {
            const value = Math.min(Number(input.max), Math.max(Number(input.min), input.value));
            continued[name] = Number.isFinite(value) ? value : continued[name];
            input.value = continued[name];
            continued.restart();
        };
        return element("label", {className: "name"}, `${words} `, input);
    };
    const button = (words, onclick) => element("button", {type: "button", textContent: words, onclick});
    byId("continue-controls")
        .replaceChildren(button(say("next character", "下一个字"), () => continued.more(1)),
            button(say("30 more", "再写 30 个"), () => continued.more(30)),
            button(say("again", "重来"), () => continued.restart()),
            number("temperature", say("temperature", "温度"), {min: 0, max: 3, step: 0.1}),
            number("topK", "top-k", {min: 0, max: film.model.vocabulary, step: 1}),
            number("seed", say("seed", "随机种子"), {min: 0, max: 999999, step: 1}));
}

function continuedColumn(snapshot, i) {
    const text = continued.texts[i];
    const name = (token) => film.name(token);
    const written = element("b", {textContent: text.map(({token}) => name(token)).join("")});
    const quote = element("blockquote", {}, gpt.text(continued.prompt()), written);
    const title = element("h3", {textContent: gpt.stepName(snapshot)});
    const last = text.at(-1);
    const bars = (last?.top ?? []).map(({token, probability}) => {
        const bar = element("i");
        bar.style.width = `${100 * probability}%`;
        const onclick = () => continued.instead(i, token);
        const pick = element("button", {type: "button", textContent: name(token), onclick});
        pick.setAttribute("aria-pressed", String(token === last.token));
        return element("li", {}, pick, bar, element("span", {textContent: percent(probability)}));
    });
    return element("div", {}, title, quote, element("ol", {className: "neighbours"}, ...bars));
}

function drawContinued() {
    if (gpt.difference === undefined) return;
    if (continued.from !== continued.prompt().join()) return continued.restart();
    const key = JSON.stringify([root.lang, continued.from, continued.columns, continued.texts]);
    if (continued.drawn === key) return;
    continued.drawn = key;
    const focus = document.activeElement?.closest("#continue-columns") ? document.activeElement : 0;
    const place = byId("continue-columns");
    const at = focus && [...place.querySelectorAll("button")].indexOf(focus);
    place.replaceChildren(...continued.columns.map(continuedColumn));
    if (focus) place.querySelectorAll("button")[at]?.focus();
    if (continued.language !== root.lang) continuedControls();
    continued.language = root.lang;
}

export function startContinued() { panels.push(whenSeen("yours", drawContinued)); }
