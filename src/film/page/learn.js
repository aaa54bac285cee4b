// A model learns from step 0, in the page: rates, batches and the update are those of the run, as train/ and text/ have
// them. Its first weights are the film's own, rounded to bf16; nothing is dropped out.

const learner = {
    pupil: undefined,
    asked: 0,  // the step at which its rules were asked last
    begins: [],
    reading: -1,  // where the windows begin in one reading of the text, and its number
};

// base/random.h: numbers from a counter, of 64 bits
const kGolden = 0x9e3779b97f4a7c15n;
const whole = (z) => BigInt.asUintN(64, z);
function mix(z) {
    z = whole(z + kGolden);
    z = whole((z ^ z >> 30n) * 0xbf58476d1ce4e5b9n);
    z = whole((z ^ z >> 27n) * 0x94d049bb133111ebn);
    return z ^ z >> 31n;
}

/** (bound, element) => a number below bound, of a stream at a place. */
export function below(seed, ...place) {
    const key = place.reduce((z, x) => mix(z ^ BigInt(x)), mix(whole(BigInt(seed))));
    return (bound, element) => Number(mix(key + BigInt(element) * kGolden) * BigInt(bound) >> 64n);
}

/** Where the windows begin in one reading of the text: Batches::shuffle of text/batches.cpp. */
function shuffled(beginnings, T, seed, reading) {
    const random = below(seed, 5, reading, 0), begins = [];  // 5: order
    const shift = random(beginnings, 0);
    for (let i = 0; i < Math.max(1, Math.floor(beginnings / T)); ++i) {
        const place = i && random(i + 1, i);
        begins[i] = begins[place];
        begins[place] = (shift + i * T) % beginnings;
    }
    return begins;
}

/** The batch of a step, T tokens and one more in each window, as Batches of text/batches.cpp has it. */
export function drawnBatch(text, T, {seed, batch, accumulate, order}, step) {
    const beginnings = text.length - T, windows = Math.max(1, Math.floor(beginnings / T));
    return Array.from({length: batch * accumulate}, (_, i) => {
        const n = step * batch * accumulate + i, reading = Math.floor(n / windows);
        if (order === "shuffled" && learner.reading !== reading)
            Object.assign(learner, {reading, begins: shuffled(beginnings, T, seed, reading)});
        const begin = order === "shuffled" ? learner.begins[n % windows] :
                                             below(seed, 2, step, Math.floor(i / batch))(beginnings, i % batch);  // 2: batches
        return Array.from(text.subarray(begin, begin + T + 1));
    });
}

/** The learning rate of update number step + 1, as train/config.cpp has it. */
export function rateAt(step, steps, {peak, last, warmup, schedule}) {
    if (step < warmup) return peak * (step + 1) / (warmup + 1);
    const done = (step - warmup) / (steps - warmup);
    const left = {
        cosine: 0.5 * (1 + Math.cos(Math.PI * done)),
        linear: 1 - done,
        wsd: Math.min(1, (steps - step) / (0.25 * steps)),
    };
    return last + (peak - last) * left[schedule];
}

/** What it writes after the run's prompt. */
function sampleOf(gpt, seed) {
    const {encode, end} = film.tokenizer;
    const prompt = encode.call(film.tokenizer, film.training.prompt).slice(0, gpt.context / 2);
    const ids = prompt.length ? prompt : [end];
    const told = [...written(gpt, {ids, count: 40, seed, temperature: 0.7, topK: 0})];
    return [...prompt, ...told.map(({token}) => token)];
}

/**
 * On to `steps` from where it stands, or from step 0: {step, loss} after each; and now and then {step, rules, sample},
 * the share of right answers to each rule's probes, and tokens.
 */
export function* learn({steps, again}) {
    if (again || !learner.pupil)
        Object.assign(learner, {pupil: new Pupil(configOfFilm(), film.parameters, weightsAt(0)), asked: 0});
    const {pupil} = learner;
    for (;;) {
        const due = pupil.n === 1 || pupil.n % 50 === 0 || pupil.n === steps;
        if (due && learner.asked < pupil.n) {
            const rules = yield* rulesRight(pupil.gpt);
            yield {step: pupil.n, rules, sample: sampleOf(pupil.gpt, pupil.n)};
            learner.asked = pupil.n;
        }
        if (pupil.n >= steps) return;
        const texts = drawnBatch(film.texts.train, film.model.context, film.training, pupil.n);
        const rate = rateAt(pupil.n, steps, film.training);
        const {mean} = yield* pupil.step(texts, {...film.training, rate});
        yield {step: pupil.n, loss: mean};
    }
}

/** Asked as a newer question of learning, it ends the older one. */
export function* halt() {}

/** What it has learned is the taught model of step 0: all panels can show it, and undo leads back to step 0. */
export function* adopt() {
    const pupil = new Pupil(configOfFilm(), film.parameters, weightsAt(0));
    pupil.remember();
    pupil.weights.set(learner.pupil.weights);
    pupil.read = learner.pupil.read;
    Object.assign(lesson, {snapshot: 0, pupil});
}
