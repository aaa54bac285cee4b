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
export function addInJavaScript(y, a, b, M, N, turned = "") {
    const K = a.length / M;
    for (let m = 0; m < M; ++m)
        if (turned === "b")
            dotRows(y, m * N, K, b, N, a, m * K);
        else if (turned === "a")
            addRows(y, m * N, N, b, K, a, m, M);
        else
            addRows(y, m * N, N, b, K, a, m * K);
}

/** The first of gemm.c's modules that the browser takes; nothing where it has no WebAssembly, or none with vectors. */
function compiledGemm() {
    for (const text of kGemm) try {
            return new WebAssembly.Module(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
        } catch {
            continue;
        }
    return undefined;
}
export const inWasm = compiledGemm();

const desks = new WeakMap();  // by the memory of their numbers

/** Numbers in the memory of a gemm.c of their own: what lies there a product need not copy. */
export class Desk {
    at = 0;  // the first place that is free
    constructor(numbers) {
        if (!inWasm) return;
        const {gemm, memory, __heap_base} = new WebAssembly.Instance(inWasm).exports;
        Object.assign(this, {gemm, memory, at: __heap_base.value / 4});
        this.hasRoom(numbers, true);
    }
    /** For so many more; what lies on a desk that grows is lost. */
    hasRoom(numbers, grow) {
        const missing = 4 * (this.at + numbers) - this.memory.buffer.byteLength;
        if (missing > 0 && grow) this.memory.grow(Math.ceil(missing / 65536));
        desks.set(this.memory.buffer, this);
        return missing <= 0 || grow;
    }
    /** Zeros. */
    fresh(size) {
        if (!inWasm) return new Float32Array(size);
        this.at += size;
        return new Float32Array(this.memory.buffer, 4 * (this.at - size), size).fill(0);
    }
    /** What `work` makes beside numbers that lie on this desk lies there, too, and is lost when it is done. */
    lend(work) {
        const {at} = this;
        this.lent = true;
        const answer = work();
        Object.assign(this, {at, lent: false});
        return answer;
    }
    /** Where numbers lie on it; they are copied unless they do already. */
    place(numbers) {
        if (numbers.buffer === this.memory.buffer) return numbers.byteOffset;
        const copy = this.fresh(numbers.length);
        copy.set(numbers);
        return copy.byteOffset;
    }
}
const passing = new Desk(0);  // for what lies on no desk

/** Zeros: on the desk of x while that is lent, or in a memory of their own. */
export function beside(x, size) {
    const desk = desks.get(x.buffer);
    return desk?.lent && desk.hasRoom(size) ? desk.fresh(size) : new Float32Array(size);
}

/**
 * y = beta y + alpha a · b, by gemm.c, whose y stands in whole tiles of 4 × 8; of a y that is known to be symmetric half is
 * enough.
 */
export function addProduct(y, a, b, M, N, turned = "", {symmetric = false, alpha = 1, beta = 1} = {}) {
    const desk = desks.get(y.buffer) ?? desks.get(a.buffer) ?? desks.get(b.buffer) ?? passing;
    const K = a.length / M;
    const [rows, columns] = [4 * Math.ceil(M / 4), 8 * Math.ceil(N / 8)];
    const needed = rows * columns + a.length + b.length + 8 * K;
    if (!inWasm || !desk.hasRoom(needed, desk === passing)) {
        for (let i = 0; beta !== alpha && i < y.length; ++i) y[i] *= beta / alpha;
        addInJavaScript(y, a, b, M, N, turned);
        for (let i = 0; alpha !== 1 && i < y.length; ++i) y[i] *= alpha;
        return;
    }
    const {at} = desk;
    const inTiles = desks.get(y.buffer) === desk && rows === M && columns === N ? y : desk.fresh(rows * columns);
    const [parts, size] = columns === N ? [1, M * N] : [M, N];  // row after row where tiles are wider
    if (inTiles !== y)
        for (let m = 0; m < parts; ++m) inTiles.set(y.subarray(m * size, (m + 1) * size), m * columns);
    const [atA, atB] = [desk.place(a), desk.place(b)];
    const [am, ak] = turned === "a" ? [1, M] : [K, 1];
    const [bk, bn] = turned === "b" ? [1, K] : [N, 1];
    const strides = [am, ak, bk, bn];
    desk.gemm(inTiles.byteOffset, atA, atB, 4 * desk.at, rows, columns, K, ...strides, Number(symmetric), alpha, beta);
    if (inTiles !== y)
        for (let m = 0; m < parts; ++m) y.set(inTiles.subarray(m * columns, m * columns + size), m * size);
    desk.at = at;
}

/** alpha a · b (M, N), turned as addProduct has it. */
export function product(a, b, M, N, turned, how, y = beside(a, M * N)) {
    addProduct(y, a, b, M, N, turned, how);
    return y;
}
