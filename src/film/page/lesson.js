// A sentence is taught: a copy of one snapshot's model learns it, and answers whatever the page
// asks. The snapshot itself stays, to compare with.

const lesson = {
    snapshot: -1,
    pupil: undefined
};

/** `count` steps on a sentence: the loss and gradient norm before each. how: {optimizer, rate}. */
function* teach({ids, snapshot, count, ...how}) {
    if (!lesson.pupil || lesson.snapshot !== snapshot) {
        const pupil = new Pupil(configOfFilm(), film.parameters, weightsAt(snapshot));
        Object.assign(lesson, {snapshot, pupil});
    }
    lesson.pupil.remember();
    meansOf.clear();
    for (let n = 0; n < count; ++n) {
        const begun = performance.now();
        const told = lesson.pupil.step(ids, how);
        yield {...told, took: performance.now() - begun};
    }
}

/** Undoes the last press, or all of them. */
function* unteach({all}) {
    meansOf.clear();
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
    const others = tokenizer.met().filter((token) => token !== ids[t]);
    const near = others.map((token) => ({token, cosine: cosine(row, rowOfE(gpt, token))}));
    near.sort((a, b) => b.cosine - a.cosine);
    return {loss, weights, near: near.slice(0, 4), ...guesses(rows[t], ids[t + 1] ?? 0)};
}

/** ‖Δ‖ / ‖W‖ of every matrix, those that moved furthest first. */
function distances(before, now) {
    const matrices = film.parameters.filter(({shape}) => shape.length > 1);
    const moved = matrices.map(({name}) => {
        const [a, b] = [before.rows.get(name), now.rows.get(name)];
        return {name, way: lengthOf(a.map((x, i) => b[i] - x)) / lengthOf(a)};
    });
    return moved.sort((a, b) => b.way - a.way);
}

/** What it costs: the film's sentences' mean loss, and of each rule whether its probe is right. */
function costOf(gpt, probes, untaught) {
    const losses = film.sentences.map((ids) => predicted(gpt, ids).loss);
    const first = (text) => tokenizer.encode(text)[0];
    const isRight = ({text, right, wrong}) => {
        const {logits} = gpt.pass(tokenizer.encode(text), {lastOnly: true});
        return wrong.every((other) => logits[first(right)] > logits[first(other)]);
    };
    const next = untaught.map((text) => {
        const {logits} = gpt.pass(tokenizer.encode(text), {lastOnly: true});
        return guesses(logits, 0, 2).top;
    });
    const loss = losses.reduce((a, b) => a + b, 0) / losses.length;
    return {loss, right: probes.filter(isRight).length, next};
}

/** Before and now: first {t, sides, moved}; then the cost. t -1: where it is most surprised. */
function* compare({ids, snapshot, t, layer, head, probes, untaught}) {
    const [before, now] = [snapshotAt(snapshot), modelAt(snapshot)];
    if (t < 0 || t >= ids.length) {
        const {rows} = predicted(before, ids);
        const known = ids.slice(1).map((id, at) => logProbability(rows[at], id));
        t = known.reduce((least, p, at) => p < known[least] ? at : least, 0);
    }
    const sides = [before, now].map((gpt) => cardsOf(gpt, ids, t, layer, head));
    yield {t, sides, moved: distances(before, now)};
    const costs = [];
    for (const gpt of [before, now]) {
        costs.push(costOf(gpt, probes, untaught));
        yield {};
    }
    return costs;
}
