// The film: numbers as film/page_data.cpp packs them, unpacked when first asked for.

export const packedBytes = bytesOf(byId("bytes").textContent);
export const unpacked = (array) => unpackedFrom(packedBytes, array);

export class Film {
    constructor(json) {
        Object.assign(this, json);
        this.count = this.steps.length;
        this.curve = this.unpackCurve(json.curve);
        this.others = (json.others ?? []).map((other) => {
            const [norm, ways] = [other.norm, other.from_start].map((array) => unpacked(array).numbers);
            return {...other, norm, from_start: ways, curve: this.unpackCurve(other.curve)};
        });
        this.kept = new Map();
        const indices = (list) => new Map((list ?? []).map((item, index) => [item, index]));
        this.placeOfToken = indices(this.watched);
        this.rowOfParameter = indices(this.parameters.map(({name}) => name));
        for (const row of this.parameters) [row.extents, row.shape] = [row.shape, `[${row.shape.join(", ")}]`];
        this.heads = [];  // [layer, head] of each
        for (let layer = 0; layer < this.model.layers; ++layer)
            for (let head = 0; head < this.model.heads; ++head) this.heads.push([layer, head]);
    }

    unpackCurve(curve) {
        const unpack = ([name, array]) => [name, unpacked(array).numbers];
        return Object.fromEntries(Object.entries(curve).map(unpack));
    }

    /** A stream by its name, or another array of the document by its path, unpacked once. */
    numbers(name) {
        if (!this.kept.has(name)) {
            const part = name.split(".").reduce((whole, key) => whole?.[key], this);
            this.kept.set(name, unpacked(this.streams[name] ?? part));
        }
        return this.kept.get(name);
    }

    /** [[step, of(frame)]] for a chart. */
    overSteps(of) { return this.steps.map((step, frame) => [step, of(frame)]); }
    /** The frames at which a sentence is known: all, or the snapshots' where it is one's own. */
    framesOf(sentence) {
        const frames = [...this.steps.keys()];
        return sentence === own.number ? gpt.steps.map(frameAt) : frames;
    }
    /** [[step, of(frame)]] for a chart about the chosen sentence. */
    overSentence(of) { return this.framesOf(state.sentence).map((frame) => [this.steps[frame], of(frame)]); }
    now() { return stepName(this.steps[state.frame]); }
    /** The model that a sentence is shown with: a sentence of the reader's own has snapshots. */
    shown() { return state.sentence === own.number ? gpt.said() : this.now(); }
    name(token) {
        const name = this.names[token] ?? "";
        const signs = {"\\n": "↵", "\\s": "␣", "<|endoftext|>": "■"};
        return name.replace(/\\[\\ns]|^<\|endoftext\|>$/g, (sign) => signs[sign] ?? sign);
    }

    // ---- sentences

    length(sentence) { return this.sentences[sentence].length; }
    characters(sentence) { return this.sentences[sentence].map((token) => this.name(token)); }
    /** Where a head's weights begin, row after row, each as long as its position + 1. */
    mapStart(sentence, frame, layer, head) {
        const T = this.length(sentence);
        const {layers, heads} = this.model;
        return ((frame * layers + layer) * heads + head) * T * (T + 1) / 2;
    }
    /** Weights of one head as (T, T), zeros above the diagonal. */
    map(sentence, frame, layer, head, into) {
        const T = this.length(sentence);
        const {numbers, scale} = this.numbers(`sentence.${sentence}.attention`);
        const map = into ?? new Float32Array(T * T);
        let from = this.mapStart(sentence, frame, layer, head);
        for (let t = 0; t < T; ++t)
            for (let s = 0; s <= t; ++s) map[t * T + s] = numbers[from++] * scale;
        return map;
    }
    weight(sentence, frame, layer, head, t, s) {
        const {numbers, scale} = this.numbers(`sentence.${sentence}.attention`);
        return numbers[this.mapStart(sentence, frame, layer, head) + t * (t + 1) / 2 + s] * scale;
    }
    /** `count` pairs of a token and a number, without those that are not there (-1). */
    pairs(tokens, numbers, name, count, row) {
        const found = [];
        const all = this.numbers(tokens).numbers;
        for (let k = row * count; k < (row + 1) * count; ++k)
            if (all[k] >= 0) found.push({token: all[k], [name]: this.numbers(numbers).at(k)});
        return found;
    }
    /** What may follow position t: [{token, probability}], likeliest first. */
    expected(sentence, frame, t) {
        const from = `sentence.${sentence}`;
        const row = frame * this.length(sentence) + t;
        return this.pairs(`${from}.top`, `${from}.probability`, "probability", 5, row);
    }

    /** How likely the true next character is, and its rank (1: likeliest); or undefined. */
    truth(sentence, frame, t) {
        const {numbers} = this.numbers(`sentence.${sentence}.rank`);
        const i = frame * this.length(sentence) + t;
        if (!(numbers[i] > 0)) return undefined;
        return {probability: this.numbers(`sentence.${sentence}.next`).at(i), rank: numbers[i]};
    }
    /** As far as it was recorded; a film of an earlier program has the five likeliest alone. */
    probability(sentence, frame, t, token) {
        const from = `sentence.${sentence}`;
        const {numbers} = this.numbers(`${from}.followed`);
        const row = frame * this.length(sentence) + t;
        const count = numbers.length / (this.count * this.length(sentence));
        for (let k = row * count; k < (row + 1) * count; ++k)
            if (numbers[k] === token) return this.numbers(`${from}.followed_probability`).at(k);
        const found = this.expected(sentence, frame, t).find((e) => e.token === token);
        return found?.probability ?? NaN;
    }

    // ---- watched characters

    of(part, frame, place) { return this.numbers(`watched.${part}`).at(frame * this.watched.length + place); }
    place(frame, place) {
        const {numbers} = this.numbers("plane.places");
        const i = 2 * (frame * this.watched.length + place);
        return [numbers[i], numbers[i + 1]];
    }
    /** [{token, cosine}], nearest first. */
    neighbours(frame, place) {
        const row = frame * this.watched.length + place;
        return this.pairs("watched.neighbours", "watched.cosine", "cosine", 8, row);
    }

    // ---- weights

    parameter(part, frame, row) { return this.numbers(`parameter.${part}`).at(frame * this.parameters.length + row); }
    /** A parameter's numbers in a snapshot. */
    weights(snapshot, name) {
        const sizes = this.parameters.map(({extents}) => extents.reduce((a, b) => a * b));
        const row = this.rowOfParameter.get(name);
        const begin = sizes.slice(0, row).reduce((a, b) => a + b, 0);
        return widened(this.numbers(`snapshots.weights.${snapshot}`).numbers.subarray(begin, begin + sizes[row]));
    }
}
