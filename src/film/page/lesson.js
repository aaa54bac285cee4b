// A sentence is taught: a copy of one snapshot's model learns it, and answers whatever the page asks. The snapshot
// itself stays, to compare with.

export const lesson = {
    snapshot: -1,
    pupil: undefined
};

/** Documents of the text, from their packed tokens. */
function documentsOf(tokens) {
    const documents = [[]];
    for (const token of tokens ?? [])
        if (token === film.tokenizer.end)
            documents.push([]);
        else
            documents.at(-1).push(token);
    return documents.filter((ids) => ids.length > 1).map((ids) => ids.slice(0, film.model.context));
}

/** `some` of the text's documents; others at each step. */
function drawnDocuments(some, step) {
    film.documents ??= documentsOf(film.texts?.train);
    const one = (k) => film.documents[below(k, step)(film.documents.length, 0)].slice(0, 64);
    return film.documents.length ? Array.from({length: some}, (_, k) => one(k)) : [];
}

/**
 * `count` steps on a sentence, beside it `documents` of the text: the sentence's loss before each, the gradient's norm, and
 * how long each parameter's gradient is. how: {optimizer, rate}.
 */
export function* teach({ids, snapshot, count, documents = 0, ...how}) {
    if (!lesson.pupil || lesson.snapshot !== snapshot) {
        const pupil = new Pupil(configOfFilm(), film.parameters, weightsAt(snapshot));
        Object.assign(lesson, {snapshot, pupil});
    }
    lesson.pupil.remember();
    for (let n = 0; n < count; ++n) {
        const begun = performance.now();
        const beside = drawnDocuments(documents, lesson.pupil.n);
        const told = yield* lesson.pupil.step([ids, ...beside], how);
        const lengths = film.parameters.map(({name}) => lengthOf(lesson.pupil.slopes.rows.get(name)));
        yield {...told, took: performance.now() - begun, lengths};
    }
}

/** Undoes the last press, or all of them. */
export function* unteach({all}) {
    if (all)
        lesson.pupil = undefined;
    else
        lesson.pupil?.undo();
}

/** What one model says: predictions and attention at t, neighbours of the character there. */
function cardsOf(gpt, ids, t, layer, head) {
    let weights = [];
    const T = ids.length;
    const keep = (name, values) => {
        if (name !== `block.${layer}.attention.weights`) return;
        const from = (head * T + t) * T;
        weights = Array.from(values.subarray(from, from + t + 1));
    };
    const {rows, loss} = predicted(gpt, ids, keep);
    const row = rowOfE(gpt, ids[t]);
    const others = film.tokenizer.met().filter((token) => token !== ids[t]);
    const near = others.map((token) => ({token, cosine: cosine(row, rowOfE(gpt, token))}));
    near.sort((a, b) => b.cosine - a.cosine);
    return {loss, weights, near: near.slice(0, 4), ...guesses(rows[t], ids[t + 1] ?? 0)};
}

const distance = (a, b) => lengthOf(a.map((x, i) => b[i] - x));

/** How far each row of E has moved, and which tokens were read meanwhile. */
function rowsMoved(before, now) {
    const rows = Array.from({length: now.vocabulary}, (_, id) => distance(rowOfE(before, id), rowOfE(now, id)));
    return {rows, read: now === lesson.pupil?.gpt ? [...lesson.pupil.read] : []};
}

/** ‖Δ‖ / ‖W‖ of every matrix, those that moved furthest first. */
function distances(before, now) {
    const matrices = film.parameters.filter(({shape}) => shape.length > 1);
    const moved = matrices.map(({name}) => {
        const [a, b] = [before.rows.get(name), now.rows.get(name)];
        return {name, way: distance(a, b) / lengthOf(a)};
    });
    return moved.sort((a, b) => b.way - a.way);
}

/** The mean loss of held-out documents, or of the film's sentences where the page has none. */
function* heldOutLoss(gpt) {
    const held = documentsOf(film.texts?.heldOut);
    const texts = held.length ? held : film.sentences;
    let sum = 0;
    for (const [i, ids] of texts.entries()) {
        sum += predicted(gpt, ids).loss;
        if (i % 8 === 7) yield;  // a newer question may come in
    }
    return sum / texts.length;
}

/** Of each rule the share of its probes that are right. */
export function* rulesRight(gpt) {
    const first = (text) => film.tokenizer.encode(text)[0];
    const isRight = ({text, right, wrong}) => {
        const {logits} = gpt.pass(film.tokenizer.encode(text), {lastOnly: true});
        return wrong.every((other) => logits[first(right)] > logits[first(other)]);
    };
    const shares = [];
    for (const probes of film.probes) {
        shares.push(probes.filter(isRight).length / probes.length);
        yield;
    }
    return shares;
}

const costs = new Map();  // of the snapshots themselves
function* costOf(gpt) {
    if (!costs.has(gpt)) {
        const loss = yield* heldOutLoss(gpt);
        const cost = {loss, right: yield* rulesRight(gpt)};
        if (gpt === lesson.pupil?.gpt) return cost;
        costs.set(gpt, cost);
    }
    return costs.get(gpt);
}

/** Of a text not taught: its likeliest next token before, and now: [{token, before, now}]. */
function nextOf(text, before, now) {
    const ids = film.tokenizer.encode(text).slice(-film.model.context);
    const [a, b] = [before, now].map((gpt) => softmax(Float64Array.from(gpt.pass(ids, {lastOnly: true}).logits)));
    const likeliest = (p) => p.reduce((best, x, token) => x > p[best] ? token : best, 0);
    const tokens = new Set([likeliest(a), likeliest(b)]);
    return [...tokens].map((token) => ({token, before: a[token], now: b[token]}));
}

/**
 * Before and now: first {t, sides, moved, rows, read, next}; then the two costs. t -1: where the snapshot is most surprised.
 * untaught: texts.
 */
export function* compare({ids, snapshot, t, layer, head, untaught}) {
    const [before, now] = [snapshotAt(snapshot), modelAt(snapshot)];
    if (t < 0 || t >= ids.length) {
        const {rows} = predicted(before, ids);
        const known = ids.slice(1).map((id, at) => logProbability(rows[at], id));
        t = known.reduce((least, p, at) => p < known[least] ? at : least, 0);
    }
    const sides = [before, now].map((gpt) => cardsOf(gpt, ids, t, layer, head));
    const next = untaught.map((text) => nextOf(text, before, now));
    yield {t, sides, moved: distances(before, now), ...rowsMoved(before, now), next};
    return [yield* costOf(before), yield* costOf(now)];
}
