// The model, as model/gpt.cpp and model/block.cpp have it: tokens in, scores of the next token out. x (T, C) is a
// Float32Array, row after row. T new positions come after those that a past holds.

const kEpsilon = 1e-5;

/** y = x W + b; x (T, I), W (I, O), b (O) or nothing -> (T, O). */
export function linear(x, {W, b}, O) {
    const I = W.length / O;
    const T = x.length / I;
    const y = beside(W, T * O);
    for (let t = 0; b && t < T; ++t) y.set(b, t * O);
    addProduct(y, x, W, T, O);
    return y;
}

/** z = x Eᵀ; x (T, C), E (V, C) -> (T, V). */
function unembedding(x, E, C) {
    const [T, V] = [x.length / C, E.length / C];
    const z = beside(E, T * V);
    addProduct(z, x, E, T, V, "b");
    return z;
}

/** Mean, and r = 1 / √(variance + ε), of C numbers from x[from] on. */
export function meanAndScale(x, from, C) {
    let [mean, variance] = [0, 0];
    for (let c = 0; c < C; ++c) mean += x[from + c] / C;
    for (let c = 0; c < C; ++c) variance += (x[from + c] - mean) ** 2 / C;
    return [mean, 1 / Math.sqrt(variance + kEpsilon)];
}

/** γ (x - mean) r + β, each row on its own. */
export function layerNorm(x, {gamma, beta}) {
    const C = gamma.length;
    const y = beside(x, x.length);
    for (let from = 0; from < x.length; from += C) {
        const [mean, r] = meanAndScale(x, from, C);
        for (let c = 0; c < C; ++c) y[from + c] = gamma[c] * (x[from + c] - mean) * r + beta[c];
    }
    return y;
}

/** Abramowitz and Stegun 7.1.26: at most 1.5e-7 off. */
export function erf(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const a = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
    return Math.sign(x) * (1 - a.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x));
}

/** (1 + tanh u) / 2 with u = √(2/π) (x + 0.044715 x³), as 1 / (1 + e^-2u), which is faster. */
export function halfTanh(x) { return 1 / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x))); }

export const kGelu = {
    gelu_new: (x) => x * halfTanh(x),
    gelu: (x) => x / 2 * (1 + erf(x / Math.SQRT2)),
};

/**
 * Pairs [i], [i + D/2] of each head turn by t · 10000^(-2i/D), or back by as much (sign -1); x (T, C), from position
 * `first`.
 */
export function rotary(x, C, H, first, sign = 1) {
    const [D, y] = [C / H, beside(x, x.length)];
    for (let i = 0; i < D / 2; ++i) {
        const angle = sign / 10000 ** (2 * i / D);
        for (let from = 0, t = first; from < x.length; from += C, ++t) {
            const [cos, sin] = [Math.cos(t * angle), Math.sin(t * angle)];
            for (let a = from + i; a < from + C; a += D) {
                y[a] = x[a] * cos - x[a + D / 2] * sin;
                y[a + D / 2] = x[a] * sin + x[a + D / 2] * cos;
            }
        }
    }
    return y;
}

/** P[t, 2i] = sin(t / 10000^(2i/C)), P[t, 2i+1] = cos(…). */
function sinusoids(T, C) {
    const wave = (t, c) => t / 10000 ** ((c - c % 2) / C);
    return Float32Array.from({length: T * C}, (_, i) => {
        const [t, c] = [Math.floor(i / C), i % C];
        return c % 2 ? Math.cos(wave(t, c)) : Math.sin(wave(t, c));
    });
}

/** Of x (T, C) the columns of head h, (T, D). */
export function headOf(x, C, H, h) {
    const [D, T] = [C / H, x.length / C];
    const part = beside(x, T * D);
    for (let t = 0, from = h * D; t < T; ++t, from += C) part.set(x.subarray(from, from + D), t * D);
    return part;
}
/** Puts them into x. */
export function setHead(x, part, C, H, h) {
    const D = C / H;
    for (let t = 0, from = h * D; from < x.length; ++t, from += C) x.set(part.subarray(t * D, (t + 1) * D), from);
}

/** q · k / √D of the T queries with the S keys up to them; (H, T, S), -Infinity for later keys. */
export function scoresOf(Q, K, C, H) {
    const [T, S] = [Q.length / C, K.length / C];
    const scores = beside(Q, H * T * S);
    for (let h = 0; h < H; ++h) {
        const part = scores.subarray(h * T * S, (h + 1) * T * S);
        addProduct(part, headOf(Q, C, H, h), headOf(K, C, H, h), T, S, "b");
        for (let t = 0; t < T; ++t) {
            const known = t * S + S - T + t + 1;
            for (let i = t * S; i < known; ++i) part[i] /= Math.sqrt(C / H);
            part.fill(-Infinity, known, (t + 1) * S);
        }
    }
    return scores;
}

/** The n numbers from x[from] on, e^x over their sum, in place. */
export function softmax(x, from = 0, n = x.length) {
    let [largest, sum] = [-Infinity, 0];
    for (let i = from; i < from + n; ++i) largest = Math.max(largest, x[i]);
    for (let i = from; i < from + n; ++i) sum += x[i] = Math.exp(x[i] - largest);
    for (let i = from; i < from + n; ++i) x[i] /= sum;
    return x;
}

/** weights (H, T, S) · V (S, C) -> (T, C). */
export function mixOf(weights, V, C, H) {
    const S = V.length / C;
    const T = weights.length / (H * S);
    const mix = beside(V, T * C);
    for (let h = 0; h < H; ++h)
        setHead(mix, product(weights.subarray(h * T * S, (h + 1) * T * S), headOf(V, C, H, h), T, C / H), C, H, h);
    return mix;
}

export function sum(a, b) {
    const y = beside(a, a.length);
    for (let i = 0; i < y.length; ++i) y[i] = a[i] + b[i];
    return y;
}
export function joined(before, after) {
    const both = new Float32Array(before.length + after.length);
    both.set(before);
    both.set(after, before.length);
    return both;
}

export const kNoPast = Object.freeze({length: 0, blocks: []});

export class Gpt {
    /** config: the film's model with its activation; table: [{name, shape}]; weights: all rows. */
    constructor(config, table, weights) {
        Object.assign(this, config);
        this.rows = new Map();
        let from = 0;
        for (const {name, shape} of table) {
            const size = shape.reduce((product, extent) => product * extent, 1);
            this.rows.set(name, weights.subarray(from, from += size));
        }
        this.E = this.rows.get("embedding.token");
        this.P = this.position === "sinusoidal" ? sinusoids(this.context, this.channels) : this.rows.get("embedding.position");
        this.finalNorm = this.norm("final_norm");
        this.head = {W: this.rows.get("head.W")};
        this.blocks = Array.from({length: this.layers}, (_, l) => this.blockOf(`block.${l}.`));
    }
    norm(name) { return {gamma: this.rows.get(`${name}.gamma`), beta: this.rows.get(`${name}.beta`)}; }
    blockOf(name) {
        const get = (part) => this.rows.get(name + part);
        const affine = (part, i) => ({W: get(`${part}.W_${i}`), b: get(`${part}.b_${i}`)});
        const [Q, K, V, O] = ["Q", "K", "V", "O"].map((i) => affine("attention", i));
        const [W_1, W_2] = ["1", "2"].map((i) => affine("ffn", i));
        return {name, norm_1: this.norm(`${name}norm_1`), norm_2: this.norm(`${name}norm_2`), Q, K, V, O, W_1, W_2};
    }

    /** x = E[id] + P[t]; where the model has no P nothing is added. */
    embedding(ids, first) {
        const C = this.channels;
        const x = beside(this.E, ids.length * C);
        ids.forEach((id, t) => {
            for (let c = 0; c < C; ++c) x[t * C + c] = this.E[id * C + c] + (this.P ? this.P[(first + t) * C + c] : 0);
        });
        return x;
    }

    /** x plus its attention, then plus its FFN. Puts the keys and values so far into `kept`. */
    run(x, block, past, kept, watch) {
        const {channels: C, heads: H, ffn: F} = this;
        const named = (name, values) => (watch(block.name + name, values), values);
        const norm_1 = named("norm_1", layerNorm(x, block.norm_1));
        let [Q, K, V] = [block.Q, block.K, block.V].map((part) => linear(norm_1, part, C));
        if (this.position === "rotary") [Q, K] = [Q, K].map((part) => rotary(part, C, H, past.length));
        const before = past.blocks[kept.length];
        if (before) [K, V] = [joined(before.K, K), joined(before.V, V)];
        for (const [name, values] of Object.entries({Q, K, V})) named(`attention.${name}`, values);
        kept.push({K, V});
        const weights = named("attention.scores", scoresOf(Q, K, C, H));  // (H, T, S)
        for (let from = 0; from < weights.length; from += K.length / C) softmax(weights, from, K.length / C);
        const mix = named("attention.mix", mixOf(named("attention.weights", weights), V, C, H));
        x = named("residual.1", sum(x, named("attention.output", linear(mix, block.O, C))));
        const hidden = named("ffn.hidden", linear(named("norm_2", layerNorm(x, block.norm_2)), block.W_1, F));
        const [active, gelu] = [beside(hidden, hidden.length), kGelu[this.activation]];
        for (let i = 0; i < hidden.length; ++i) active[i] = gelu(hidden[i]);
        const output = linear(named("ffn.gelu", active), block.W_2, C);
        return named("residual.2", sum(x, named("ffn.output", output)));
    }

    /** The scores of what comes after x, (T, C) -> (T, V). */
    scores(x) {
        const y = layerNorm(x, this.finalNorm);
        return this.tied ? unembedding(y, this.E, this.channels) : linear(y, this.head, this.vocabulary);
    }

    /**
     * {logits (T, V), or (V) with lastOnly; past}. watch(name, values) sees each tensor that the C++ program names
     * so, and may change its numbers: what follows goes on with them.
     */
    pass(ids, {past = kNoPast, lastOnly = false, watch = () => {}} = {}) {
        let x = this.embedding(ids, past.length);
        watch("embedding", x);
        const kept = [];
        for (const block of this.blocks) x = this.run(x, block, past, kept, watch);
        const logits = this.scores(lastOnly ? x.slice(-this.channels) : x);
        return {logits, past: {length: past.length + ids.length, blocks: kept}};
    }
    /** The first `length` positions of a past. */
    upTo(past, length) {
        const cut = (values) => values.subarray(0, length * this.channels);
        return {length, blocks: past.blocks.map(({K, V}) => ({K: cut(K), V: cut(V)}))};
    }
}
