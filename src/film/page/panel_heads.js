// What kind of head it is, over the steps: how much it looks at itself, how far back, how spread.

export const roles = {
    kept: new Map(),  // by sentence, frame and head

    /** {self, distance, entropy} of a head over a sentence; most: the position that gets most above even attention. */
    of(sentence, frame, layer, head) {
        const {layers, heads} = film.model;
        const key = ((sentence * film.count + frame) * layers + layer) * heads + head;
        if (!this.kept.has(key)) this.kept.set(key, this.measure(sentence, frame, layer, head));
        return this.kept.get(key);
    },
    measure(sentence, frame, layer, head) {
        const T = film.length(sentence);
        const {numbers, scale} = film.numbers(`sentence.${sentence}.attention`);
        let at = film.mapStart(sentence, frame, layer, head);
        let [self, distance, spread] = [0, 0, 0];
        const shares = Array.from({length: T}, (_, position) => ({position, share: 0, even: 0}));
        for (let t = 0; t < T; ++t) {
            let entropy = 0;
            for (let s = 0; s <= t; ++s) {
                const weight = numbers[at++] * scale;
                distance += weight * (t - s);
                if (weight > 0) entropy -= weight * Math.log(weight);
                if (s === t) self += weight;
                if (t > 0) shares[s].share += weight / (T - 1), shares[s].even += 1 / (t + 1) / (T - 1);
            }
            if (t > 0) spread += entropy / Math.log(t + 1);
        }
        const most = shares.reduce((a, b) => b.share - b.even > a.share - a.even ? b : a);
        return {self: self / T, distance: distance / T, entropy: T > 1 ? spread / (T - 1) : 0, most};
    },
    /** Spread in the mean over the recorded sentences. */
    spread(frame, layer,
        head) { return mean(film.sentences.slice(0, own.number).map((_, s) => this.of(s, frame, layer, head).entropy));},
    /** All heads, those that sharpened most first. */
    sharpened() {
        const fell = ([layer, head]) => this.spread(0, layer, head) - this.spread(film.count - 1, layer, head);
        return [...film.heads].sort((a, b) => fell(b) - fell(a));
    },
    at: (what, frame, layer, head) => roles.of(state.sentence, frame, layer, head)[what],
    series(what) {
        const points = (layer, head) => film.overSentence((frame) => this.at(what, frame, layer, head));
        const others = film.heads.filter(([l, h]) => l !== state.layer || h !== state.head);
        const series = others.map(([layer, head]) => {
            const colour = theme.series[layer % theme.series.length];
            const [name, legend] = [headName(layer, head), blockName(layer)];
            const pick = () => changed({layer, head});
            return {name, legend, pick, points: points(layer, head), faint: true, width: 1, colour};
        });
        const style = {width: 2.6, colour: theme.accent};
        series.push({name: headName(), points: points(state.layer, state.head), ...style});
        return {series};
    },
};

/** One sentence about a head at the frame. */
export function roleText(layer, head) {
    const at = (what) => roles.at(what, state.frame, layer, head);
    const [self, spread] = [percent(at("self")), percent(at("entropy"))];
    const distance = at("distance").toFixed(1);
    return say(`Over the whole sentence (mean of its rows) this head looks at the position itself ${self}, ${distance} back on ` +
            `average, spread ${spread}.`,
        `这个头在整句上（各行平均）：看自己 ${self}，平均回看 ${distance} 个字，分散程度 ${spread}。`);
}

export function startHeads() {
    const titles = {
        self: () => say("in this sentence: looks at itself", "这一句里：看自己"),
        distance: () => say("in this sentence: how far back, characters", "这一句里：平均回看几个字"),
        entropy: () => say("in this sentence: spread (entropy; 1 = even)", "这一句里：分散程度（熵；1 为均匀）"),
    };
    for (const [what, title] of Object.entries(titles)) new Chart(what, 190, title, () => roles.series(what));
}
