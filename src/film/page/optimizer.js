// SGD, AdamW and Muon, as train/ has them, from empty moments.

const kMuon = [
    // Polar Express: the three polynomials of kernels/orthogonal.h
    [7.8327090, -21.4357903, 15.1063201],
    [3.5821168, -2.5766242, 0.4872445],
    [2.7044521, -2.0123759, 0.4565303],
];

/** Zeros to work with, until scratch.at is 0 again: a browser takes longer to make new ones than to multiply. */
const scratch = {
    all: new Float32Array(0),
    at: 0
};
function fresh(size) {
    if (scratch.at + size > scratch.all.length) Object.assign(scratch, {all: new Float32Array(2 * (scratch.at + size)), at: 0});
    return scratch.all.subarray(scratch.at, scratch.at += size).fill(0);
}

/**
 * O ≈ U Vᵀ of u = U Σ Vᵀ (rows, columns): X ← f(G) X with f(G) = a + b G + c G² and G = X Xᵀ, thrice, from a length at most 1;
 * where there are more rows than columns, X ← X f(G) with G = Xᵀ X. What a step makes of G follows from G alone, f(G)² G: so X,
 * which is long, is multiplied at the first and at the last only.
 */
function orthogonal(u, rows, columns) {
    let most = 0;
    for (let i = 0; i < u.length; ++i) most = Math.max(most, Math.abs(u[i]));
    if (most === 0) return u;
    const [wide, n] = [rows <= columns, Math.min(rows, columns)];
    const times = (a, b) => product(a, b, n, n, "", true, fresh(n * n));  // of G all are symmetric
    const X = scaled(u, 1 / most);
    let G = product(X, X, n, n, wide ? "b" : "a", true, fresh(n * n));
    const shorter = 1 / Math.sqrt(1.02 * lengthOf(G));
    G = scaled(G, shorter * shorter);
    let [step, before] = [undefined, undefined];  // f(G) of this step; of all so far, times `shorter`
    for (const [a, b, c] of kMuon) {
        if (before) G = times(step, times(step, G));
        step = times(G, G);
        for (let i = 0; i < n * n; ++i) step[i] = b * G[i] + c * step[i];
        for (let i = 0; i < n; ++i) step[i * n + i] += a;
        before = before ? times(before, step) : scaled(step, shorter);
    }
    const O = fresh(rows * columns);
    return wide ? product(before, X, rows, columns, "", false, O) : product(X, before, rows, columns, "", false, O);
}

function scaled(x, by) {
    const y = fresh(x.length);
    for (let i = 0; i < x.length; ++i) y[i] = by * x[i];
    return y;
}

function lengthOf(x) {
    let squares = 0;
    for (let i = 0; i < x.length; ++i) squares += x[i] * x[i];
    return Math.sqrt(squares);
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

/** A model that is taught: a snapshot's weights, copied, and what its optimizer remembers. */
class Pupil {
    constructor(config, table, weights) {
        Object.assign(this, {table, weights: Float32Array.from(weights), n: 0, undone: []});
        this.gradients = new Float32Array(weights.length);
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
        for (const ids of texts) {
            if (losses.length) yield;
            losses.push(gradient(this.gpt, this.slopes, ids, 1 / texts.length));
        }
        for (const name of how.frozen) this.slopes.rows.get(name).fill(0);
        const norm = lengthOf(g);
        how.scale = how.clip > 0 && norm > how.clip ? how.clip / norm : 1;
        this.n += 1;
        let from = 0;
        for (const {name, shape} of this.table) {
            const end = from + shape.reduce((a, b) => a * b, 1);
            const part = (x) => x.subarray(from, end);
            const muon = how.optimizer === "muon" && /\.W_/.test(name);
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
        const [known1, known2] = [1 - b1 ** this.n, 1 - b2 ** this.n];
        for (let i = 0; i < w.length; ++i) {
            const slope = scale * g[i];
            m[i] = b1 * m[i] + (1 - b1) * slope;
            v[i] = b2 * v[i] + (1 - b2) * slope * slope;
            w[i] -= rate * (decay * w[i] + m[i] / known1 / (Math.sqrt(v[i] / known2) + epsilon));
        }
    }
    /** Δw = -η 0.2 √max(rows, columns) O(u) - η λ w, u = μ m + (1 - μ) g. */
    muon(w, g, {rate, scale, decay, momentum}, part, [rows, columns]) {
        const [m] = this.moments(part);
        scratch.at = 0;
        const u = fresh(g.length);
        for (let i = 0; i < g.length; ++i) {
            const slope = (1 - momentum) * scale * g[i];
            m[i] = momentum * m[i] + slope;
            u[i] = momentum * m[i] + slope;
        }
        const O = orthogonal(u, rows, columns);
        const far = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
        for (let i = 0; i < w.length; ++i) w[i] -= far * O[i] + rate * decay * w[i];
    }

    // ---- undo, exact: what was there is put back

    remember() {
        const {weights, first, second, n} = this;
        this.undone.push({n, weights: weights.slice(), first: first?.slice(), second: second?.slice()});
        if (this.undone.length > 12) this.undone.shift();
    }
    undo() {
        const {weights, first, second, n} = this.undone.pop() ?? this;
        this.weights.set(weights);
        Object.assign(this, {first, second, n});
    }
}

export {lengthOf, Pupil};
