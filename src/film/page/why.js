// Why this prediction: what each earlier character, each block and each part of the model does to the answer at the
// last position of a text. `zhuyi explain --why` computes the same.

export const cosine = (a, b) => dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1);
function dot(a, b) {
    let sum = 0;
    for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];
    return sum;
}
export function rowOfE(gpt, token) { return gpt.E.subarray(token * gpt.channels, (token + 1) * gpt.channels); }
function lastRow(x, C) { return x.slice(x.length - C); }

/** ln p of a token by its row of logits. */
export function logProbability(logits, token) {
    const largest = logits.reduce((a, b) => Math.max(a, b));
    const sum = logits.reduce((all, z) => all + Math.exp(z - largest), 0);
    return logits[token] - largest - Math.log(sum);
}

/** The likeliest tokens of a row of logits, [{token, probability}], and the answer's own. */
export function guesses(logits, answer, count = 5) {
    const p = softmax(Float64Array.from(logits));
    const order = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b);
    const named = (token) => ({token, probability: p[token], logit: logits[token]});
    return {top: order.slice(0, count).map(named), answer: {...named(answer), rank: order.indexOf(answer) + 1}};
}

/** A pass with copies of what it named, by name. */
export function traced(gpt, ids, watch = () => {}) {
    const seen = new Map();
    const keep = (name, values) => {
        watch(name, values);
        seen.set(name, values.slice());
    };
    const {logits} = gpt.pass(ids, {watch: keep});
    return {seen, logits: lastRow(logits, gpt.vocabulary)};
}

/** A watch under which none of T later positions looks at position s. */
function cutting(gpt, s, T) {
    return (name, scores) => {  // (H, T, S)
        if (!name.endsWith("attention.scores")) return;
        const S = scores.length / (gpt.heads * T);
        for (let i = s; i < scores.length; i += S) scores[i] = -Infinity;
    };
}

/**
 * How much ln p(answer) falls when the character at s is another, neutral one, and when no later position looks at s:
 * two passes for each s, that begin where they differ from the first.
 */
export function* effects(gpt, ids, answer, neutral) {
    const {logits, past} = gpt.pass(ids, {lastOnly: true});
    const whole = logProbability(logits, answer);
    const fall = (rest, kept, watch) => {
        const options = {past: gpt.upTo(past, kept), lastOnly: true, watch};
        return whole - logProbability(gpt.pass(rest, options).logits, answer);
    };
    for (let s = ids.length - 1; s >= 0; --s) {
        const rest = ids.slice(s + 1);
        const replaced = fall([neutral(ids[s]), ...rest], s);
        const cut = rest.length ? fall(rest, s + 1, cutting(gpt, s, rest.length)) : NaN;
        yield {position: s, replaced, cut};
    }
}

/** After each block: what the model would say if it ended there ("logit lens"). */
export function lens(gpt, seen, answer) {
    const names = ["embedding", ...gpt.blocks.map(({name}) => `${name}residual.2`)];
    return names.map((name, stage) => {
        const x = lastRow(seen.get(name), gpt.channels);
        return {block: stage - 1, ...guesses(gpt.scores(x), answer)};
    });
}

/** The row of the output layer that gives the answer's logit: E[answer], or of head.W a column. */
function outputRow(gpt, answer) {
    const [C, V] = [gpt.channels, gpt.vocabulary];
    if (gpt.tied) return rowOfE(gpt, answer);
    return Float32Array.from({length: C}, (_, c) => gpt.head.W[c * V + answer]);
}

/**
 * The logit as a sum: x before the last LayerNorm is a sum of what the embedding, each head and each FFN added, and
 * the norm takes each part times the same γ r, less its own mean. [{part: "embedding" | "head" | "bias" | "ffn" |
 * "beta", block, head, logit}]
 */
export function attribution(gpt, seen, answer) {
    const {channels: C, heads: H} = gpt;
    const D = C / H;
    const {gamma, beta} = gpt.finalNorm;
    const e = outputRow(gpt, answer);
    const x = lastRow(seen.get(`${gpt.blocks.at(-1).name}residual.2`), C);
    const [, r] = meanAndScale(x, 0, C);
    const direction = e.map((value, c) => value * gamma[c] * r);
    const balance = direction.reduce((all, d) => all + d, 0) / C;  // of each part's mean
    const logit = (part) => part.reduce((all, value, c) => all + value * (direction[c] - balance), 0);
    const parts = [{part: "embedding", logit: logit(lastRow(seen.get("embedding"), C))}];
    gpt.blocks.forEach(({name, O}, block) => {
        const mix = lastRow(seen.get(`${name}attention.mix`), C);
        for (let head = 0; head < H; ++head) {
            const own = mix.map((value, c) => Math.floor(c / D) === head ? value : 0);
            parts.push({part: "head", block, head, logit: logit(linear(own, {W: O.W}, C))});
        }
        parts.push({part: "bias", block, logit: logit(O.b)});
        const ffn = lastRow(seen.get(`${name}ffn.output`), C);
        parts.push({part: "ffn", block, logit: logit(ffn)});
    });
    parts.push({part: "beta", logit: dot(beta, e)});
    return parts;
}

/** A vector after each block: its length, cosine to where it began, and the nearest rows of E. */
export function journey(gpt, ids, t, candidates, count = 5) {
    const C = gpt.channels;
    const {seen} = traced(gpt, ids);
    const stages = ["embedding", ...gpt.blocks.map(({name}) => `${name}residual.2`)];
    const vectors = stages.map((name) => seen.get(name).subarray(t * C, (t + 1) * C));
    return [rowOfE(gpt, ids[t]), ...vectors].map((x) => {
        const near = candidates.map((token) => ({token, cosine: cosine(x, rowOfE(gpt, token))}));
        near.sort((a, b) => b.cosine - a.cosine || a.token - b.token);
        return {
            vector: x.slice(),
            length: Math.sqrt(dot(x, x)),
            cosine: cosine(x, rowOfE(gpt, ids[t])),
            near: near.slice(0, count),
        };
    });
}

/** Of a head's weight at (t, s): q, k and v (D), and the row's scores and weights. */
export function cellOfHead(gpt, {ids, layer, head, t, s}) {
    const {seen} = traced(gpt, ids);
    const [C, T, D] = [gpt.channels, ids.length, gpt.channels / gpt.heads];
    const get = (name) => seen.get(`block.${layer}.attention.${name}`);
    const part = (name, at) => [...get(name).subarray(at * C + head * D).subarray(0, D)];
    const row = (name) => [...get(name).subarray((head * T + t) * T).subarray(0, t + 1)];
    const [q, k, v] = [part("Q", t), part("K", s), part("V", s)];
    return {q, k, v, scores: row("scores"), weights: row("weights")};
}
