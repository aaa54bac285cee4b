// Backward, as ops/ has it: from the loss to the gradient of every weight. Forward is that of model.js, which names
// what backward needs. x (T, C) is a Float32Array, row after row; `d` before a name is the gradient of the
// loss by it. The gradient of the weights is a Gpt too, over numbers of its own, so that both have the same names.

/** y = x W + b: dx = dy Wᵀ, dW += xᵀ dy, db += Σ dy; dy (T, O) -> (T, I). */
function linearBack(dy, x, {W, b}, {W: dW, b: db}, O) {
    const I = W.length / O;
    const T = x.length / I;
    const dx = beside(W, T * I);
    for (let t = 0; b && t < T; ++t)
        for (let o = 0; o < O; ++o) db[o] += dy[t * O + o];
    addProduct(dx, dy, W, T, I, "b");
    addProduct(dW, x, dy, I, O, "a");
    return dx;
}

/** z = y Eᵀ: dy = dz E, dE += dzᵀ y; dz (T, V) -> (T, C). */
function unembeddingBack(dz, y, E, dE, C) {
    const V = E.length / C;
    const T = y.length / C;
    const dy = beside(E, T * C);
    addProduct(dy, dz, E, T, C);
    addProduct(dE, dz, y, V, C, "a");
    return dy;
}

/** y = γ n + β, n = (x - mean) r: with e = γ dy, dx = r (e - mean(e) - n mean(e n)), dγ += dy n, dβ += dy. */
function layerNormBack(dy, x, {gamma}, {gamma: dGamma, beta: dBeta}) {
    const C = gamma.length;
    const dx = beside(x, x.length);
    for (let from = 0; from < x.length; from += C) {
        const [mean, r] = meanAndScale(x, from, C);
        let [sum, along] = [0, 0];
        for (let c = 0; c < C; ++c) {
            const [n, d] = [(x[from + c] - mean) * r, dy[from + c]];
            dGamma[c] += d * n;
            dBeta[c] += d;
            sum += gamma[c] * d / C;
            along += gamma[c] * d * n / C;
        }
        for (let c = 0; c < C; ++c) dx[from + c] = r * (gamma[c] * dy[from + c] - sum - (x[from + c] - mean) * r * along);
    }
    return dx;
}

/**
 * mix = A V, A = softmax(S), S = Q Kᵀ / √D: dA = dmix Vᵀ, dV = Aᵀ dmix, dS = A (dA - Σ A dA), dQ = dS K / √D, dK =
 * dSᵀ Q / √D; all (T, C), heads side by side.
 */
function attentionBack(dmix, kept, C, H) {
    const [Q, K, V, weights] = ["Q", "K", "V", "weights"].map((name) => kept(`attention.${name}`));
    const [D, T] = [C / H, Q.length / C];
    const [dQ, dK, dV] = [Q, K, V].map((x) => beside(x, T * C));
    for (let h = 0; h < H; ++h) {
        const A = weights.subarray(h * T * T, (h + 1) * T * T);
        const [d, q, k, v] = [dmix, Q, K, V].map((x) => headOf(x, C, H, h));
        const dS = product(d, v, T, T, "b");  // first dA
        for (let t = 0; t < T; ++t) {
            const [from, end] = [t * T, t * T + t + 1];
            let mean = 0;
            for (let i = from; i < end; ++i) mean += A[i] * dS[i];
            for (let i = from; i < end; ++i) dS[i] = A[i] * (dS[i] - mean) / Math.sqrt(D);
            dS.fill(0, end, from + T);
        }
        setHead(dV, product(A, d, T, D, "a"), C, H, h);
        setHead(dQ, product(dS, k, T, D), C, H, h);
        setHead(dK, product(dS, q, T, D, "a"), C, H, h);
    }
    return {dQ, dK, dV};
}

/** The slopes of the two GELUs of model.js. */
const kGeluSlope = {
    gelu_new: (x) => {
        const h = halfTanh(x);
        return h + x * h * (1 - h) * 2 * Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
    },
    gelu: (x) => (1 + erf(x / Math.SQRT2)) / 2 + x * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI),
};

/** From the gradient by the block's output to that by its input x. */
function blockBack(gpt, dy, x, k, block, d) {
    const {channels: C, heads: H, ffn: F} = gpt;
    const kept = (name) => k.get(block.name + name);
    const [hidden, slope] = [kept("ffn.hidden"), kGeluSlope[gpt.activation]];
    const dh = linearBack(dy, kept("ffn.gelu"), block.W_2, d.W_2, C);
    for (let i = 0; i < dh.length; ++i) dh[i] *= slope(hidden[i]);
    const dn_2 = linearBack(dh, kept("norm_2"), block.W_1, d.W_1, F);
    const dx_1 = sum(dy, layerNormBack(dn_2, kept("residual.1"), block.norm_2, d.norm_2));
    const dmix = linearBack(dx_1, kept("attention.mix"), block.O, d.O, C);
    let {dQ, dK, dV} = attentionBack(dmix, kept, C, H);
    if (gpt.position === "rotary")  // a turn's derivative is the turn back
        [dQ, dK] = [dQ, dK].map((part) => rotary(part, C, H, 0, -1));
    const [q, key, v] =
        [[dQ, "Q"], [dK, "K"], [dV, "V"]].map(([part, name]) => linearBack(part, kept("norm_1"), block[name], d[name], C));
    return sum(dx_1, layerNormBack(sum(sum(q, key), v), x, block.norm_1, d.norm_1));
}

/**
 * The mean loss of what follows each position but the last, -ln p, whose gradient by the scores is (p - 1[answer]) /
 * count. Adds the gradient of the weights, as much of it as is this text's share, to d, a Gpt over numbers of its
 * own.
 */
export function gradient(gpt, d, ids, share = 1) {
    const {channels: C, vocabulary: V} = gpt;
    const [kept, count] = [new Map(), ids.length - 1];
    const inputs = [gpt.embedding(ids.slice(0, count), 0)];  // of each block; what follows the last is not known
    const keep = (name, values) => kept.set(name, values);
    for (const block of gpt.blocks) inputs.push(gpt.run(inputs.at(-1), block, kNoPast, [], keep));
    const x = inputs.at(-1);
    const y = layerNorm(x, gpt.finalNorm);
    const dz = gpt.scores(x);  // (T, V), in place: first the scores
    let loss = 0;
    for (let t = 0; t < count; ++t) {
        softmax(dz, t * V, V);
        const answer = t * V + ids[t + 1];
        loss -= Math.log(Math.max(dz[answer], 1e-38)) / count;
        dz[answer] -= 1;
        for (let v = t * V; v < (t + 1) * V; ++v) dz[v] *= share / count;
    }
    const dy = gpt.tied ? unembeddingBack(dz, y, gpt.E, d.E, C) : linearBack(dz, y, gpt.head, d.head, V);
    let dx = layerNormBack(dy, x, gpt.finalNorm, d.finalNorm);
    for (let l = gpt.layers - 1; l >= 0; --l) dx = blockBack(gpt, dx, inputs[l], kept, gpt.blocks[l], d.blocks[l]);
    const dP = gpt.rows.has("embedding.position") ? d.P : undefined;  // sinusoids are not learned
    for (let t = 0; t < count; ++t)
        for (let c = 0; c < C; ++c) {
            d.E[ids[t] * C + c] += dx[t * C + c];
            if (dP) dP[t * C + c] += dx[t * C + c];
        }
    return loss;
}
