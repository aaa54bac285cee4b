// SGD, AdamW and Muon, as train/ has them, from empty moments, without weight decay.

const kMuon = [
    // Polar Express: the three polynomials of kernels/orthogonal.h
    [7.8327090, -21.4357903, 15.1063201],
    [3.5821168, -2.5766242, 0.4872445],
    [2.7044521, -2.0123759, 0.4565303],
];

/** a · b (M, N), turned as addProduct has it. */
function product(a, b, M, N, turned) {
    const y = new Float32Array(M * N);
    addProduct(y, a, b, M, N, turned);
    return y;
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
    const times = (a, b) => product(a, b, n, n);
    const X = scaled(u, 1 / most);
    let G = product(X, X, n, n, wide ? "b" : "a");
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
    return wide ? product(before, X, rows, columns) : product(X, before, rows, columns);
}

function scaled(x, by) {
    const y = new Float32Array(x.length);
    for (let i = 0; i < x.length; ++i) y[i] = by * x[i];
    return y;
}

function lengthOf(x) {
    let squares = 0;
    for (let i = 0; i < x.length; ++i) squares += x[i] * x[i];
    return Math.sqrt(squares);
}

/** A model that is taught: a snapshot's weights, copied, and what its optimizer remembers. */
class Pupil {
    constructor(config, table, weights) {
        Object.assign(this, {table, weights: Float32Array.from(weights), n: 0, undone: []});
        this.gradients = new Float32Array(weights.length);
        this.gpt = new Gpt(config, table, this.weights);
        this.slopes = new Gpt(config, table, this.gradients);
    }
    /** One step on the mean over some texts: {loss of the first, norm} before it. A gradient longer than `clip` is cut. */
    step(texts, {optimizer, rate, clip = 1}) {
        const g = this.gradients.fill(0);
        const [loss] = texts.map((ids) => gradient(this.gpt, this.slopes, ids, 1 / texts.length));
        const norm = lengthOf(g);
        const how = {rate, scale: norm > clip ? clip / norm : 1};
        this.n += 1;
        let from = 0;
        for (const {name, shape} of this.table) {
            const end = from + shape.reduce((a, b) => a * b, 1);
            const part = (x) => x.subarray(from, end);
            const muon = optimizer === "muon" && /\.W_/.test(name);
            const by = optimizer === "sgd" ? this.sgd : muon ? this.muon : this.adamw;
            by.call(this, part(this.weights), part(g), how, part, shape);
            from = end;
        }
        return {loss, norm};
    }
    sgd(w, g, {rate, scale}) {
        for (let i = 0; i < w.length; ++i) w[i] -= rate * scale * g[i];
    }
    moments(part) {
        this.first ??= new Float32Array(this.weights.length);
        this.second ??= new Float32Array(this.weights.length);
        return [part(this.first), part(this.second)];
    }
    /** Δw = -η m̂ / (√v̂ + ε). */
    adamw(w, g, {rate, scale}, part) {
        const [m, v] = this.moments(part);
        const [b1, b2] = [0.9, 0.99];
        const [known1, known2] = [1 - b1 ** this.n, 1 - b2 ** this.n];
        for (let i = 0; i < w.length; ++i) {
            const slope = scale * g[i];
            m[i] = b1 * m[i] + (1 - b1) * slope;
            v[i] = b2 * v[i] + (1 - b2) * slope * slope;
            w[i] -= rate * m[i] / known1 / (Math.sqrt(v[i] / known2) + 1e-8);
        }
    }
    /** Δw = -η 0.2 √max(rows, columns) O(u), u = μ m + (1 - μ) g. */
    muon(w, g, {rate, scale}, part, [rows, columns]) {
        const [m] = this.moments(part);
        const u = new Float32Array(g.length);
        for (let i = 0; i < g.length; ++i) {
            m[i] = 0.95 * m[i] + 0.05 * scale * g[i];
            u[i] = 0.95 * m[i] + 0.05 * scale * g[i];
        }
        const O = orthogonal(u, rows, columns);
        const far = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
        for (let i = 0; i < w.length; ++i) w[i] -= far * O[i];
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
