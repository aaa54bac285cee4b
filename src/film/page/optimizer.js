// SGD, AdamW and Muon, as train/ has them, from empty moments.

const kMuon = [
    // Polar Express: the three polynomials of kernels/orthogonal.h
    [7.8327090, -21.4357903, 15.1063201],
    [3.5821168, -2.5766242, 0.4872445],
    [2.7044521, -2.0123759, 0.4565303],
];

/**
 * w = beta w + alpha O with O ≈ U Vᵀ of X = U Σ Vᵀ (rows, columns): X ← f(G) X with f(G) = a + b G + c G² and G = X Xᵀ,
 * thrice, from a length at most 1; where there are more rows than columns, X ← X f(G) with G = Xᵀ X. What a step makes of G
 * follows from G alone, f(G)² G: so X, which is long, is multiplied at the first and at the last only. All these matrices are
 * symmetric.
 */
function addOrthogonal(w, X, rows, columns, desk, {alpha, beta}) {
    const [wide, n] = [rows <= columns, Math.min(rows, columns)];
    const times = (a, b, alpha = 1) => product(a, b, n, n, "a", {symmetric: true, alpha}, desk.fresh(n * n));
    let G = product(X, X, n, n, wide ? "b" : "a", {symmetric: true}, desk.fresh(n * n));
    const shorter = 1 / Math.sqrt(1.02 * lengthOf(G));
    let squared = shorter * shorter;              // times this G is that of the shorter X
    let [step, before] = [undefined, undefined];  // f(G) of this step; of all so far
    for (const [a, b, c] of kMuon) {
        if (before) [G, squared] = [times(step, times(step, G, squared)), 1];
        step = desk.fresh(n * n);
        step.set(G);
        addProduct(step, G, G, n, n, "a", {symmetric: true, alpha: c * squared * squared, beta: b * squared});
        for (let i = 0; i < n; ++i) step[i * n + i] += a;
        before = before ? times(before, step) : step;
    }
    const [left, right, turned] = wide ? [before, X, "a"] : [X, before, ""];
    addProduct(w, left, right, rows, columns, turned, {alpha: alpha * shorter, beta});
}

export function lengthOf(x) {
    let [even, odd] = [0, 0];  // two sums that do not wait for each other
    for (let i = 1; i < x.length; i += 2) {
        even += x[i - 1] * x[i - 1];
        odd += x[i] * x[i];
    }
    return Math.sqrt(even + odd + (x.length % 2 ? x.at(-1) ** 2 : 0));
}

/** How a sentence is taught; a run has its own recipe. */
const kUsual = {
    clip: 1,
    decay: 0,
    momentum: 0.95,
    beta1: 0.9,
    beta2: 0.99,
    epsilon: 1e-8,
    frozen: [],  // names
};

const byMuon = (name) => /\.W_/.test(name);

/** A model that is taught: a snapshot's weights, copied, and what its optimizer remembers. */
export class Pupil {
    constructor(config, table, weights) {
        const largest = (rows) => Math.max(...rows.map(({shape}) => shape.reduce((a, b) => a * b)));
        const {context, vocabulary, ffn, channels, layers, heads} = config;
        const inBlock = 40 * channels + 4 * ffn + 2 * heads * context;  // what a position leaves there, forward and back
        const passing =
            context * (layers * inBlock + 6 * vocabulary) + largest(table) + 20 * largest(table.filter(({name}) => byMuon(name)));
        const desk = new Desk(2 * weights.length + passing);
        Object.assign(this, {table, desk, n: 0, undone: [], read: new Set(), weights: desk.fresh(weights.length)});
        this.weights.set(weights);
        this.gradients = desk.fresh(weights.length);
        this.gpt = new Gpt(config, table, this.weights);
        this.slopes = new Gpt(config, table, this.gradients);
    }
    /**
     * One step on the mean over some texts: {loss of the first, mean of all, norm} before it. A gradient longer than
     * `clip` is cut. Between two texts a newer question may come in.
     */
    * step(texts, wish) {
        const how = {...kUsual, ...wish};
        const g = this.gradients.fill(0);
        const losses = [];
        this.read = new Set([...this.read, ...texts.flatMap((ids) => ids.slice(0, -1))]);
        for (const ids of texts) {
            if (losses.length) yield;
            losses.push(this.desk.lend(() => gradient(this.gpt, this.slopes, ids, 1 / texts.length)));
        }
        for (const name of how.frozen) this.slopes.rows.get(name).fill(0);
        const norm = lengthOf(g);
        how.scale = how.clip > 0 && norm > how.clip ? how.clip / norm : 1;
        this.n += 1;
        let from = 0;
        for (const {name, shape} of this.table) {
            const end = from + shape.reduce((a, b) => a * b, 1);
            const part = (x) => x.subarray(from, end);
            const muon = how.optimizer === "muon" && byMuon(name);
            const by = how.optimizer === "sgd" ? this.sgd : muon ? this.muon : this.adamw;
            const decay = shape.length > 1 ? how.decay : 0;
            if (!how.frozen.includes(name)) by.call(this, part(this.weights), part(g), {...how, decay}, part, shape);
            from = end;
        }
        return {loss: losses[0], mean: losses.reduce((a, b) => a + b, 0) / losses.length, norm};
    }
    sgd(w, g, {rate, scale}) {
        for (let i = 0; i < w.length; ++i) w[i] -= rate * scale * g[i];
    }
    moments(part) {
        this.first ??= new Float32Array(this.weights.length);
        this.second ??= new Float32Array(this.weights.length);
        return [part(this.first), part(this.second)];
    }
    /** Δw = -η m̂ / (√v̂ + ε) - η λ w. */
    adamw(w, g, {rate, scale, decay, beta1: b1, beta2: b2, epsilon}, part) {
        const [m, v] = this.moments(part);
        const [far, known, stays] = [rate / (1 - b1 ** this.n), 1 / (1 - b2 ** this.n), 1 - rate * decay];
        for (let i = 0; i < w.length; ++i) {
            const slope = scale * g[i];
            const first = b1 * m[i] + (1 - b1) * slope;
            const second = b2 * v[i] + (1 - b2) * slope * slope;
            m[i] = first;
            v[i] = second;
            w[i] = stays * w[i] - far * first / (Math.sqrt(known * second) + epsilon);
        }
    }
    /** Δw = -η 0.2 √max(rows, columns) O(u) - η λ w, u = μ m + (1 - μ) g. */
    muon(w, g, {rate, scale, decay, momentum}, part, [rows, columns]) {
        const [m] = this.moments(part);
        const {at} = this.desk;
        const u = this.desk.fresh(g.length);
        let most = 0;
        const share = (1 - momentum) * scale;
        for (let i = 0; i < g.length; ++i) {
            const slope = share * g[i];
            const moment = momentum * m[i] + slope;
            const x = momentum * moment + slope;
            m[i] = moment;
            u[i] = x;
            most = Math.max(most, Math.abs(x));
        }
        for (let i = 0; most < 1e-12 && i < u.length; ++i) u[i] /= most || 1;  // else their squares vanish
        const [far, beta] = [rate * 0.2 * Math.sqrt(Math.max(rows, columns)), 1 - rate * decay];
        if (most)
            addOrthogonal(w, u, rows, columns, this.desk, {alpha: -far, beta});
        else
            for (let i = 0; i < w.length; ++i) w[i] *= beta;
        this.desk.at = at;
    }

    // ---- undo, exact: what was there is put back

    remember() {
        const {weights, first, second, n, read} = this;
        this.undone.push({n, read, weights: weights.slice(), first: first?.slice(), second: second?.slice()});
        if (this.undone.length > 12) this.undone.shift();
    }
    undo() {
        const {weights, first, second, n, read} = this.undone.pop() ?? this;
        this.weights.set(weights);
        Object.assign(this, {first, second, n, read});
    }
}
