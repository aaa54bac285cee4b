// The model itself, in a worker that is made from the page: questions go there, answers come back.

const asked = {
    waiting: new Map(),  // id -> {part, done}
    next: 0,

    start() {
        const program = new Blob([byId("worker").textContent], {type: "text/javascript"});
        const address = URL.createObjectURL(program);
        this.worker = new Worker(address);
        URL.revokeObjectURL(address);
        this.worker.onmessage = ({data}) => this.answered(data);
    },
    answered({id, value, done, error}) {
        const question = this.waiting.get(id);
        if (error) console.error(error);
        if (!done) return question.part?.(value);
        this.waiting.delete(id);
        question.done(value);
    },
};

/**
 * The answer, or undefined where a newer question of the same kind came meanwhile; what is known sooner goes to
 * part(value).
 */
export function ask(job, question, part, kind = job) {
    const id = ++asked.next;
    return new Promise((done) => {
        asked.waiting.set(id, {part, done});
        asked.worker.postMessage({id, job, kind, question});
    });
}

/** The answer to what panels ask at the present state; drawn when it comes. */
export class Answer {
    constructor(job) {
        this.job = job;
        this.parts = [];  // what has come so far, of jobs that answer bit by bit
    }
    /** What is there answers an older question, or not all of it has come. */
    get open() { return this.key !== undefined && this.answered !== this.key; }
    /** The last answer to come; it may be that to an older question while the new one is open. */
    to(question) {
        const key = JSON.stringify([question, gpt.version]);
        if (key === this.key || gpt.difference === undefined) return this;
        this.key = key;
        const parts = [];
        const came = (value, done) => {
            if (this.key !== key) return;
            if (value !== undefined && !done) parts.push(value);
            if (done) this.answered = key;
            [this.parts, this.question, this.final] = [parts, question, done ? value : undefined];
            changed();
        };
        ask(this.job, question, came).then((value) => came(value, true));
        return this;
    }
}

export const gpt = {
    steps: film.snapshots?.steps ?? [],
    version: 0,  // another one whenever the reader has taught a model
    taught: {snapshot: -1, steps: 0},
    difference: undefined,  // of the worker's logits from the recorded ones, once it has compared

    /** The text that tokens spell. */
    text(ids) {
        const digits = ids.map((token) => film.snapshots.bytes[token]).join("");
        const bytes = Uint8Array.from(digits.match(/../g) ?? [], (two) => parseInt(two, 16));
        return new TextDecoder().decode(bytes);
    },
    /** The snapshot nearest to a frame. */
    at: (frame = state.frame) => nearestIndex(gpt.steps, film.steps[frame]),
    stepName: (snapshot = gpt.at()) => stepName(gpt.steps[snapshot]),
    /** The model that answers: its step, and the reader's own. */
    name(snapshot = this.at()) {
        const more = say(` + ${this.taught.steps} of yours`, ` + 你教的 ${this.taught.steps} 步`);
        return this.stepName(snapshot) + (this.taught.steps && snapshot === this.taught.snapshot ? more : "");
    },
    /** What is shown is the model of another step than the slider's: said. */
    said() {
        const [step, name] = [this.steps[this.at()], this.name()];
        return step === film.steps[state.frame] ? name :
                                                  say(`${name}, the snapshot nearest to step ${grouped(film.steps[state.frame])}`,
                                                      `${name}（离第 ${grouped(film.steps[state.frame])} 步最近的快照）`);
    },
    async start() {
        film.snapshots.names.forEach((name, token) => film.names[token] ??= name);
        asked.start();
        const {model: sizes, parameters, sentences, snapshots, rules, training} = film;
        const table = parameters.map(({name, extents}) => ({name, shape: extents}));
        const given = {model: sizes, parameters: table, sentences, snapshots, training, bytes: packedBytes};
        given.probes = (rules?.list ?? []).flatMap(({probes}) => probes?.length ? [probes] : []);
        if (film.texts) {
            const tokens = (part) => film.numbers(`texts.${part}`).numbers;
            given.texts = {train: tokens("train"), heldOut: tokens("held_out")};
        }
        const {difference} = await ask("start", given);
        changed((this.difference = difference, {}));
    },
};
