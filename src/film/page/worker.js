// What the page asks of the model, answered in a worker so that nothing stutters. A question is answered bit by bit
// (generators), and dropped where a newer one of its kind has come.

export const film = {};    // {model, parameters, sentences, snapshots}, from the page; tokenizer
const models = new Map();  // by the index of their snapshot

const numbersOf = (array) => unpackedFrom(film.bytes, array).numbers;
export const configOfFilm = () => ({...film.model, activation: film.snapshots.activation});
export const weightsAt = (snapshot) => widened(numbersOf(film.snapshots.weights[snapshot]));
/** A snapshot as the training left it. */
export function snapshotAt(snapshot) {
    if (!models.has(snapshot)) models.set(snapshot, new Gpt(configOfFilm(), film.parameters, weightsAt(snapshot)));
    return models.get(snapshot);
}
/** The same, or what the reader has taught it. */
export function modelAt(snapshot) {
    const {pupil} = lesson;
    return pupil && lesson.snapshot === snapshot ? pupil.gpt : snapshotAt(snapshot);
}

// ---- parts switched off

/** off: [{block, part: "head", "attention" or "ffn", head}]: what they add becomes zeros. */
export function silencing(off) {
    const {channels: C, heads: H} = film.model;
    const tensors = {head: "attention.mix", attention: "attention.output", ffn: "ffn.output"};
    return (name, values) => {
        for (const {block, part, head} of off) {
            if (name !== `block.${block}.${tensors[part]}`) continue;
            const [first, end] = part === "head" ? [head * C / H, (head + 1) * C / H] : [0, C];
            for (let from = 0; from < values.length; from += C) values.fill(0, from + first, from + end);
        }
    };
}

/** What follows each position, and the loss over those that something follows. */
export function predicted(gpt, ids, watch) {
    const V = gpt.vocabulary;
    const {logits} = gpt.pass(ids, {watch});
    const rows = ids.map((_, t) => logits.subarray(t * V, (t + 1) * V));
    const loss = ids.slice(1).reduce((sum, id, t) => sum - logProbability(rows[t], id), 0);
    return {rows, loss: loss / Math.max(1, ids.length - 1)};
}

function drawn(logits, {temperature, topK}, uniform) {
    const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
    if (temperature === 0) return order[0];
    const kept = order.slice(0, topK || order.length);
    const p = softmax(Float64Array.from(kept, (token) => logits[token] / temperature));
    const at = p.findIndex((share) => (uniform -= share) < 0);
    return kept[at < 0 ? kept.length - 1 : at];
}

/** Loads the film's models, and compares their logits with those that the film has stored. */
export function* start(given) {
    Object.assign(film, given, {tokenizer: new Tokenizer(given.snapshots)});
    let difference = 0;
    for (let i = 0; i < film.snapshots.steps.length; ++i) {
        const gpt = modelAt(i);
        film.sentences.forEach((ids, s) => {
            const stored = numbersOf(film.snapshots.logits[i][s]);
            const {logits} = gpt.pass(ids, {lastOnly: true});
            logits.forEach((z, v) => difference = Math.max(difference, Math.abs(z - stored[v])));
        });
        yield;
    }
    return {difference};
}

function* tokens({text}) { return film.tokenizer.encode(text).map((token) => ({token, whole: film.tokenizer.whole(token)})); }

/** Of a sentence at each snapshot: attention (L, H, T (T + 1) / 2), and what may follow. */
function* read({ids}) {
    const found = [];
    for (let i = 0; i < film.snapshots.steps.length; ++i) {
        const gpt = modelAt(i);
        const weights = [];
        const keep = (name, values) => {
            if (!name.endsWith("attention.weights")) return;
            const T = ids.length;
            for (let row = 0; row < values.length / T; ++row) weights.push(...values.subarray(row * T, row * T + row % T + 1));
        };
        const {rows} = predicted(gpt, ids, keep);
        const next = rows.map((row, t) => guesses(row, ids[t + 1] ?? 0));
        found.push({weights: Float32Array.from(weights), next});
        yield;
    }
    return found;
}

/** One token after the other: {token, top}, the likeliest. The same seed draws the same text. */
function* goOn({snapshot, ...how}) { yield* written(modelAt(snapshot), how); }
export function* written(gpt, {ids, count, seed, temperature, topK}) {
    let {logits, past} = gpt.pass(ids, {lastOnly: true});
    for (let n = 0; n < count && past.length < gpt.context; ++n) {
        const uniform = below(seed, 4, past.length, 0)(2 ** 53, 0) / 2 ** 53;  // 4: sampling
        const token = drawn(logits, {temperature, topK}, uniform);
        yield {token, ...guesses(logits, token, 8)};
        if (token === film.tokenizer.end) return;
        ({logits, past} = gpt.pass([token], {past, lastOnly: true}));
    }
}

/** Predictions and loss with everything, and without the parts that are switched off. */
function* switches({ids, snapshot, off}) {
    const gpt = modelAt(snapshot);
    const side = (watch) => {
        const {rows, loss} = predicted(gpt, ids, watch);
        return {loss, next: rows.map((row, t) => guesses(row, ids[t + 1] ?? 0))};
    };
    return {before: side(), after: side(silencing(off))};
}

function* cell({snapshot, ...place}) { return cellOfHead(modelAt(snapshot), place); }

/** ids end at the position; answer -1: the likeliest. First all but the effects, then these. */
function* why({ids, snapshot, answer}) {
    const gpt = modelAt(snapshot);
    const {seen, logits} = traced(gpt, ids);
    const token = answer < 0 ? guesses(logits, 0, 1).top[0].token : answer;
    const parts = attribution(gpt, seen, token);
    yield {token, ...guesses(logits, token), lens: lens(gpt, seen, token), parts};
    yield* effects(gpt, ids, token, (id) => film.tokenizer.neutral(id));
}

/** Of two texts' characters: their vectors after each block, at each snapshot. */
function* journeys({texts}) {
    const candidates = film.tokenizer.met();
    const start = texts.map(({ids, t}) => rowOfE(modelAt(0), ids[t]));
    for (let i = 0; i < film.snapshots.steps.length; ++i) {
        const gpt = modelAt(i);
        const sides = texts.map(({ids, t}) => journey(gpt, ids, t, candidates));
        const stages = sides[0].map((_, stage) => {
            const [a, b] = sides.map((side) => side[stage]);
            return {sides: [a, b], between: cosine(a.vector, b.vector)};
        });
        const moved = texts.map(({ids, t}, side) => cosine(start[side], rowOfE(gpt, ids[t])));
        yield {stages, moved};
    }
}

const answering = [start, tokens, read, goOn, switches, why, cell, journeys, teach, unteach, compare, learn, halt, adopt];
export const jobs = Object.fromEntries(answering.map((job) => [job.name, job]));

// Timers wait 4 ms where they are many; messages to oneself do not.
const [{port1: back, port2: forth}, waiting] = [new MessageChannel(), []];
back.onmessage = () => waiting.shift()();
const pause = () => new Promise((next) => {
    waiting.push(next);
    forth.postMessage(0);
});

const newest = new Map();  // by kind
let open = 0;              // questions, without the training from step 0: it lets them go first
self.onmessage = async ({data: {id, job, kind, question}}) => {
    newest.set(kind, id);
    const first = kind !== "learn";
    open += first;
    try {
        const answer = jobs[job](question);
        for (;;) {
            const {value, done} = answer.next();
            if (done || value !== undefined) postMessage({id, value, done});
            if (done) break;
            do await pause();  // newer questions come in here
            while (!first && open);
            if (newest.get(kind) === id) continue;
            postMessage({id, done: true});
            break;
        }
    } catch (error) {
        postMessage({id, done: true, error: String(error)});
    }
    open -= first;
};
