// Products of matrices: by the one function of gemm.c, or in JavaScript where the browser has no WebAssembly. There,
// four rows of W at once: what stands beside them is read a quarter as often, and four sums do not wait for each
// other.

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

/** y[to + i] += x[at …] · W_i for each of the n rows of W (n, O). */
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
        y[to + i] += s0;
        y[to + i + 1] += s1;
        y[to + i + 2] += s2;
        y[to + i + 3] += s3;
    }
    for (let i = last; i < n; ++i) {
        let sum = 0;
        for (let o = 0; o < O; ++o) sum += x[at + o] * W[i * O + o];
        y[to + i] += sum;
    }
}

/** y (M, N) += a (M, K) · b (K, N). turned "a": a stands as (K, M); "b": b stands as (N, K). */
function addInJavaScript(y, a, b, M, N, turned = "") {
    const K = a.length / M;
    for (let m = 0; m < M; ++m)
        if (turned === "b")
            dotRows(y, m * N, K, b, N, a, m * K);
        else if (turned === "a")
            addRows(y, m * N, N, b, K, a, m, M);
        else
            addRows(y, m * N, N, b, K, a, m * K);
}

/** The function of gemm.c with its memory, or nothing where it cannot run. */
function startGemm() {
    try {
        const bytes = Uint8Array.from(atob(kGemm), (c) => c.charCodeAt(0));
        const {gemm, memory, __heap_base} = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
        return {gemm, memory, begin: __heap_base.value / 4};
    } catch {
        return undefined;  // no WebAssembly, or none with vectors
    }
}
const inWasm = startGemm();

/**
 * The same by gemm.c; of a y that is known to be symmetric half is enough. Its memory holds y, in whole tiles of 4 × 8,
 * then a, b and a panel.
 */
function addProduct(y, a, b, M, N, turned = "", symmetric = false) {
    if (!inWasm) return addInJavaScript(y, a, b, M, N, turned);
    const {gemm, memory, begin} = inWasm;
    const K = a.length / M;
    const [rows, columns] = [4 * Math.ceil(M / 4), 8 * Math.ceil(N / 8)];
    const atA = begin + rows * columns;
    const [atB, panel] = [atA + a.length, atA + a.length + b.length];
    const missing = 4 * (panel + 8 * K) - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    const all = new Float32Array(memory.buffer);
    const [parts, size] = columns === N ? [1, M * N] : [M, N];  // row after row where tiles are wider
    for (let m = 0; m < parts; ++m) all.set(y.subarray(m * size, (m + 1) * size), begin + m * columns);
    all.set(a, atA);
    all.set(b, atB);
    const [am, ak] = turned === "a" ? [1, M] : [K, 1];
    const [bk, bn] = turned === "b" ? [1, K] : [N, 1];
    gemm(4 * begin, 4 * atA, 4 * atB, 4 * panel, rows, columns, K, am, ak, bk, bn, Number(symmetric));
    for (let m = 0; m < parts; ++m) y.set(all.subarray(begin + m * columns, begin + m * columns + size), m * size);
}

/** a · b (M, N), turned as addProduct has it. */
function product(a, b, M, N, turned, symmetric, y = new Float32Array(M * N)) {
    addProduct(y, a, b, M, N, turned, symmetric);
    return y;
}

export {addInJavaScript, inWasm, addProduct, product};
