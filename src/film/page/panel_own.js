// A sentence of the reader's own. The model reads it at each snapshot; then it is one more sentence of the film, for
// all panels.

const kLongestOwn = 128;

export const own = {
    tokens: [],  // [{token, whole}] of what is typed, as far as it fits
    left: 0,     // tokens before them, which did not fit
    number: film.sentences.length,

    ids: () => own.tokens.map(({token}) => token),
    async type(text) {
        Object.assign(state, {text});
        const tokens = await ask("tokens", {text});
        if (!tokens || state.text !== text) return;
        const most = Math.min(kLongestOwn, film.model.context);
        this.tokens = tokens.slice(-most);
        this.left = tokens.length - this.tokens.length;
        drawOwn();
        if (!tokens.length) return this.forget();
        if (!await this.again()) return;
        chooseSentence(this.number);
    },
    /** The model reads it once more: it is new, or the model has learned. */
    async again() {
        const [ids, {text}] = [this.ids(), state];
        const read = ids.length && await ask("read", {ids});
        if (!read || state.text !== text) return false;
        this.show(ids, read);
        return true;
    },
    /** Every frame has what the snapshot nearest to it has. */
    show(ids, read) {
        const nearest = film.steps.map((_, frame) => read[gpt.at(frame)]);
        const best = ({next}, name) => next.flatMap(({top}) => top.map((guess) => guess[name]));
        const really = ({next}, name) => next.map(({answer}, t) => t + 1 < ids.length ? answer[name] : 0);
        const streams = {
            attention: nearest.map(({weights}) => weights),
            top: nearest.map((frame) => best(frame, "token")),
            probability: nearest.map((frame) => best(frame, "probability")),
            next: nearest.map((frame) => really(frame, "probability")),
            rank: nearest.map((frame) => really(frame, "rank")),
        };
        for (const [part, frames] of Object.entries(streams)) {
            const size = frames[0].length;
            const numbers = new Float64Array(size * frames.length);
            frames.forEach((values, frame) => numbers.set(values, frame * size));
            const stream = {numbers, scale: 1, at: (i) => numbers[i]};
            film.kept.set(`sentence.${this.number}.${part}`, stream);
        }
        film.sentences[this.number] = ids;
        roles.kept.clear();
    },
    /** The token that spells a character of the sentence; both count from 0. */
    tokenOf(character) {
        const ids = this.ids();
        const spelt = (i) => [...gpt.text(ids.slice(0, i + 1))].length;
        return ids.findIndex((_, i) => spelt(i) > character);
    },
    /** A text from elsewhere, at a head; query and keys are characters of it. */
    async open({text, layer, head, query, keys}) {
        byId("own-text").value = text;
        await this.type(text);
        if (state.text !== text) return;
        const [asker, looked] = [this.tokenOf(query), keys.map((key) => this.tokenOf(key))];
        changed({layer, head, query: asker, hover: -1, keys: new Set(looked)});
    },
    forget() {
        film.sentences.length = this.number;
        if (state.sentence === this.number) chooseSentence(0);
    },
};

/** Which sentence the panels show now, one's own or another. */
function shownNow() {
    // isolated, so that a text that runs from right to left turns nothing around it
    const text = quote(`\u2068${gpt.text(film.sentences[state.sentence])}\u2069`);
    return {text, whose: state.sentence === own.number ? say("yours", "你的") : say("recorded", "观察句"), model: gpt.said()};
}

/** Characters of one's own sentence that have no token; "" where all have one. */
export function unknownText() {
    const bytes = own.tokens.filter(({whole}) => !whole).map(({token}) => token);
    const name = quote(`\u2068${gpt.text(bytes)}\u2069`);
    return bytes.length &&
        say(`${name}: without a token of its own, spelt in ${bytes.length} bytes; the training text has it rarely or never`,
            `${name}没有自己的 token，拆成了 ${bytes.length} 个字节：训练文本里很少或没有`) ||
        "";
}

function ownReading() {
    const parts = [say(`${own.tokens.length} tokens`, `${own.tokens.length} 个 token`), unknownText()];
    if (own.left)
        parts.push(say(`too long for the model: the first ${own.left} are left out`, `太长，前面的 ${own.left} 个没有读`));
    return parts.filter((part) => part).join(say("; ", "；")) + say(".", "。");
}

function drawOwn() {
    const named = (token) => [film.name(token), element("small", {textContent: token})];
    const chips =
        own.tokens.map(({token, whole}) => element("span", {className: whole ? "token" : "token byte"}, ...named(token)));
    byId("own-tokens").replaceChildren(...chips);
    setText(byId("own-reading"), own.tokens.length ? ownReading() : "");
    fill("own-shown", shownNow());
}

export function startOwn() {
    const input = byId("own-text");
    input.value = state.text;
    whenTyped(input, (text) => own.type(text));
    const {sentence, later, text} = state;
    if (text) own.type(text).then(() => later ? changed(later) : chooseSentence(sentence));
    panels.push(whenSeen("yours", drawOwn));
}
