// The film: numbers as film/page_data.cpp packs them, unpacked when first asked for.

const kArrays = {
    i8: Int8Array,
    u8: Uint8Array,
    i16: Int16Array,
    u16: Uint16Array,
    i32: Int32Array,
    u32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
};

function decoded(type, base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new kArrays[type](bytes.buffer);
}

/** {type, scale, data} or {type, group, scales, data} -> {numbers, at(i)}; without data NaNs. */
function unpacked(array) {
    if (!array) return {numbers: [], at: () => NaN};
    const {scale, group} = array;
    const numbers = decoded(array.type, array.data);
    if (!group) return {numbers, at: (i) => numbers[i] * scale};
    const scales = decoded("f32", array.scales);
    return {numbers, at: (i) => numbers[i] * scales[Math.floor(i / group)]};
}

class Film {
    constructor(json) {
        Object.assign(this, json);
        this.count = this.steps.length;
        this.curve = this.unpackCurve(json.curve);
        if (json.other) this.other.curve = this.unpackCurve(json.other.curve);
        this.kept = new Map();
        const indices = (list) => new Map((list ?? []).map((item, index) => [item, index]));
        this.placeOfToken = indices(this.watched);
        this.componentRow = indices(this.components?.places);
        this.rowOfParameter = indices(this.parameters.map(({name}) => name));
        for (const row of this.parameters) row.shape = `[${row.shape.join(", ")}]`;
        this.recordedBlock = Number(/^block\.(\d+)/.exec(this.matrices.list[0]?.name)?.[1] ?? 0);
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
    now() { return stepName(this.steps[state.frame]); }
    name(token) {
        const name = this.names[token] ?? "";
        const signs = {"\\n": "↵", "\\s": "␣", "<|endoftext|>": "■"};
        return name.replace(/\\[\\ns]|^<\|endoftext\|>$/g, (sign) => signs[sign] ?? sign);
    }

    // ---- sentences

    length(sentence) { return this.sentences[sentence].length; }
    characters(sentence) { return this.sentences[sentence].map((token) => this.name(token)); }
    /** Weights of one head as (T, T), zeros above the diagonal. */
    map(sentence, frame, layer, head, into) {
        const T = this.length(sentence);
        const weights = this.numbers(`sentence.${sentence}.attention`);
        const map = into ?? new Float32Array(T * T);
        const {layers, heads} = this.model;
        let from = ((frame * layers + layer) * heads + head) * T * (T + 1) / 2;
        for (let t = 0; t < T; ++t)
            for (let s = 0; s <= t; ++s) map[t * T + s] = weights.at(from++);
        return map;
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

    // ---- watched characters

    of(part, frame, place) {
        return this.numbers(`watched.${part}`).at(frame * this.watched.length + place);
    }
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
    /** The embedding itself, or undefined where only its way on the map was kept. */
    embedding(frame, place) {
        const row = this.componentRow.get(place);
        if (row === undefined) return undefined;
        const C = this.model.channels;
        const start = this.numbers("components.start");
        const moved = this.numbers("components.moved");
        const at = (frame * this.componentRow.size + row) * C;
        return Float32Array.from({length: C}, (_, c) => start.at(row * C + c) + moved.at(at + c));
    }

    // ---- weights

    parameter(part, frame, row) {
        return this.numbers(`parameter.${part}`).at(frame * this.parameters.length + row);
    }
    /** The recorded moment of the matrices nearest before `frame` (or the first there is). */
    matrixMoment(frame) {
        return Math.max(0, this.matrices.frames.findLastIndex((recorded) => recorded <= frame));
    }
    matrix(index, moment, changeOnly) {
        const {rows, columns} = this.matrices.list[index];
        const start = this.numbers(`matrices.list.${index}.start`);
        const moved = this.numbers(`matrices.list.${index}.moved`);
        const W = new Float32Array(rows * columns);
        for (let i = 0; i < W.length; ++i)
            W[i] = (changeOnly ? 0 : start.at(i)) + moved.at(moment * W.length + i);
        return W;
    }
}
