// The text goes on: one character at a time, from the model as it was at step 0, in the middle and at the end, side
// by side; the bars say what else it might have been.

const continued = {
    columns: [],  // snapshots
    texts: [],    // of each column: [{token, top}] so far
    temperature: 0.8,
    topK: 20,
    seed: 1,

    /** What it goes on from: the chosen sentence. */
    prompt: () => film.sentences[state.sentence],
    key: () => [gpt.version, ...continued.prompt()].join(),
    restart() {
        const last = gpt.steps.length - 1;
        this.columns = [...new Set([0, Math.floor(last / 2) + (last > 1), last])];
        this.texts = this.columns.map(() => []);
        this.from = this.key();
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

function continuedColumn(snapshot, i) {
    const text = continued.texts[i];
    const name = (token) => film.name(token);
    const written = element("b", {textContent: text.map(({token}) => name(token)).join("")});
    const quote = element("blockquote", {}, gpt.text(continued.prompt()), written);
    const title = element("h3", {textContent: gpt.name(snapshot)});
    const last = text.at(-1);
    const bars = (last?.top ?? []).map(({token, probability}) => {
        const pick = choice(name(token), token === last.token, () => continued.instead(i, token));
        return shareLine(pick, probability);
    });
    return element("div", {}, title, quote, element("ol", {className: "shares large"}, ...bars));
}

function drawContinued() {
    if (gpt.difference === undefined) return;
    if (continued.from !== continued.key()) return continued.restart();
    const {from, columns, texts} = continued;
    fillAnew(byId("continue-columns"), [from, columns, texts], () => columns.map(continuedColumn));
}

export function startContinued() {
    const controls = byId("continue-controls");
    for (const press of controls.querySelectorAll("button"))
        press.onclick = () => press.value ? continued.more(Number(press.value)) : continued.restart();
    for (const input of controls.querySelectorAll("input"))
        input.onchange = () => {
            const value = Math.min(input.max, Math.max(input.min, input.value));
            input.value = continued[input.name] = Number.isFinite(value) ? value : continued[input.name];
            continued.restart();
        };
    controls.querySelector("[name=topK]").max = film.model.vocabulary;
    panels.push(whenSeen("yours", drawContinued));
}
