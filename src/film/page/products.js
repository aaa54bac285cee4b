// Products of matrices, forward and backward. Four rows of W at once: what stands beside them is
// read a quarter as often, and four sums do not wait for each other.

/** y[to …] += Σ a_i W_i over the n rows of W (n, O); a_i stands at a[at + i stride]. */
function addRows(y, to, O, W, n, a, at, stride = 1) {
    const last = n - n % 4;
    for (let i = 0; i < last; i += 4) {
        const [from, here] = [i * O, at + i * stride];
        const a0 = a[here];
        const a1 = a[here + stride];
        const a2 = a[here + 2 * stride];
        const a3 = a[here + 3 * stride];
        for (let o = 0; o < O; ++o) {
            const w = from + o;
            y[to + o] += a0 * W[w] + a1 * W[w + O] + a2 * W[w + 2 * O] + a3 * W[w + 3 * O];
        }
    }
    for (let i = last; i < n; ++i)
        for (let o = 0; o < O; ++o) y[to + o] += a[at + i * stride] * W[i * O + o];
}

/** y[to + i] = x[at …] · W_i for each of the n rows of W (n, O). */
function dotRows(y, to, O, W, n, x, at) {
    const last = n - n % 4;
    for (let i = 0; i < last; i += 4) {
        let [s0, s1, s2, s3] = [0, 0, 0, 0];
        for (let o = 0; o < O; ++o) {
            const [w, value] = [i * O + o, x[at + o]];
            s0 += value * W[w];
            s1 += value * W[w + O];
            s2 += value * W[w + 2 * O];
            s3 += value * W[w + 3 * O];
        }
        y[to + i] = s0;
        y[to + i + 1] = s1;
        y[to + i + 2] = s2;
        y[to + i + 3] = s3;
    }
    for (let i = last; i < n; ++i) {
        let sum = 0;
        for (let o = 0; o < O; ++o) sum += x[at + o] * W[i * O + o];
        y[to + i] = sum;
    }
}
