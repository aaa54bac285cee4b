// SGD, AdamW and Muon, as train/ has them, from empty moments, without weight decay.

const kMuon = [
    // Polar Express: the three polynomials of kernels/orthogonal.h
    [7.8327090, -21.4357903, 15.1063201],
    [3.5821168, -2.5766242, 0.4872445],
    [2.7044521, -2.0123759, 0.4565303],
];

/** A (M, K) · B (K, N) -> (M, N). */
const product = (A, B, N) => linear(A, {W: B}, N);

function transposed(A, columns) {
    const rows = A.length / columns;
    const B = new Float32Array(A.length);
    for (let r = 0; r < rows; ++r)
        for (let c = 0; c < columns; ++c) B[c * rows + r] = A[r * columns + c];
    return B;
}

/**
 * O ≈ U Vᵀ of u = U Σ Vᵀ (rows, columns): X ← (a + b G + c G²) X with G = X Xᵀ, thrice, from a
 * length at most 1.
 */
function orthogonal(u, rows, columns) {
    if (rows > columns) return transposed(orthogonal(transposed(u, columns), columns, rows), rows);
    const most = u.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
    if (most === 0) return u;
    let X = u.map((x) => x / most);
    let G = product(X, transposed(X, columns), rows);
    const scale = 1 / Math.sqrt(1.02 * lengthOf(G));
    X = X.map((x) => x * scale);
    for (const [a, b, c] of kMuon) {
        G = product(X, transposed(X, columns), rows);
        const f = product(G, G, rows).map((square, i) => b * G[i] + c * square);
        for (let i = 0; i < rows; ++i) f[i * rows + i] += a;
        X = product(f, X, columns);
    }
    return X;
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
    /** One step on a text: {loss, norm} before it. A gradient longer than `clip` is cut. */
    step(ids, {optimizer, rate, clip = 1}) {
        this.gradients.fill(0);
        const loss = gradient(this.gpt, this.slopes, ids);
        const norm = lengthOf(this.gradients);
        const scale = norm > clip ? clip / norm : 1;
        for (let i = 0; i < this.gradients.length; ++i) this.gradients[i] *= scale;
        this.n += 1;
        let from = 0;
        for (const {name, shape} of this.table) {
            const end = from + shape.reduce((a, b) => a * b, 1);
            const part = (x) => x.subarray(from, end);
            const muon = optimizer === "muon" && /\.W_/.test(name);
            const by = optimizer === "sgd" ? this.sgd : muon ? this.muon : this.adamw;
            by.call(this, part(this.weights), part(this.gradients), rate, part, shape);
            from = end;
        }
        return {loss, norm};
    }
    sgd(w, g, rate) {
        for (let i = 0; i < w.length; ++i) w[i] -= rate * g[i];
    }
    moments(part) {
        this.first ??= new Float32Array(this.weights.length);
        this.second ??= new Float32Array(this.weights.length);
        return [part(this.first), part(this.second)];
    }
    /** Δw = -η m̂ / (√v̂ + ε). */
    adamw(w, g, rate, part) {
        const [m, v] = this.moments(part);
        const [b1, b2] = [0.9, 0.99];
        const [known1, known2] = [1 - b1 ** this.n, 1 - b2 ** this.n];
        for (let i = 0; i < w.length; ++i) {
            m[i] = b1 * m[i] + (1 - b1) * g[i];
            v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
            w[i] -= rate * m[i] / known1 / (Math.sqrt(v[i] / known2) + 1e-8);
        }
    }
    /** Δw = -η 0.2 √max(rows, columns) O(u), u = μ m + (1 - μ) g. */
    muon(w, g, rate, part, [rows, columns]) {
        const [m] = this.moments(part);
        const u = g.map((x, i) => {
            m[i] = 0.95 * m[i] + 0.05 * x;
            return 0.95 * m[i] + 0.05 * x;
        });
        const O = orthogonal(u, rows, columns);
        const far = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
        for (let i = 0; i < w.length; ++i) w[i] -= far * O[i];
    }

    // ---- undo, exact: what was there is put back

    remember() {
        const {weights, first, second, n} = this;
        this.undone.push({
            n,
            weights: weights.slice(),
            first: first?.slice(),
            second: second?.slice(),
        });
        if (this.undone.length > 12) this.undone.shift();
    }
    undo() {
        const {weights, first, second, n} = this.undone.pop() ?? this;
        this.weights.set(weights);
        Object.assign(this, {first, second, n});
    }
}
