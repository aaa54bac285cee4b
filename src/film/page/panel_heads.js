// What kind of head it is, over the steps: how much it looks at itself, how far back, how spread.

export const roles = {
    kept: new Map(),  // by sentence, frame and head

    /** {self, distance, entropy} of a head over a sentence; look: where one position is furthest above even attention. */
    of(sentence, frame, layer, head) {
        const {layers, heads} = film.model;
        const key = ((sentence * film.count + frame) * layers + layer) * heads + head;
        if (!this.kept.has(key)) this.kept.set(key, this.measure(sentence, frame, layer, head));
        return this.kept.get(key);
    },
    measure(sentence, frame, layer, head) {
        const [T, names] = [film.length(sentence), film.characters(sentence)];
        const {numbers, scale} = film.numbers(`sentence.${sentence}.attention`);
        let at = film.mapStart(sentence, frame, layer, head);
        let [self, distance, spread, look] = [0, 0, 0, {above: -1}];
        for (let t = 0; t < T; ++t) {
            let entropy = 0;
            for (let s = 0; s <= t; ++s) {
                const weight = numbers[at++] * scale;
                distance += weight * (t - s);
                if (weight > 0) entropy -= weight * Math.log(weight);
                if (s === t) self += weight;
                const above = weight - 1 / (t + 1);
                if (above > look.above) look = {above, text: `${names[t]}\u2060→\u2060${names[s]}\u00a0${percent(weight)}`};
            }
            if (t > 0) spread += entropy / Math.log(t + 1);
        }
        const rows = Math.max(1, T - 1);  // the first one can look nowhere else
        return {self: (self - 1) / rows, distance: distance / rows, entropy: spread / rows, look};
    },
    /** Of each recorded sentence. */
    recorded: (...at) => film.sentences.slice(0, own.number).map((_, sentence) => roles.of(sentence, ...at)),
    spread: (...at) => mean(roles.recorded(...at).map(({entropy}) => entropy)),
    /** Where it looks furthest above even attention, once in a recorded sentence, at most three: "他→明 98%; …". */
    looks(...at) {
        const furthest = roles.recorded(...at).map(({look}) => look).sort((a, b) => b.above - a.above).slice(0, 3);
        return furthest.map(({text}) => text).join(say("; ", "；"));
    },
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
    const told = (sentences) => {
        const [self, distance, spread] = ["self", "distance", "entropy"].map((what) => mean(sentences.map((s) => s[what])));
        return say(`at the position itself ${percent(self)}, ${distance.toFixed(1)} back on average, spread ${spread.toFixed(2)}`,
            `看自己 ${percent(self)}，平均回看 ${distance.toFixed(1)} 个字，分散程度 ${spread.toFixed(2)}`);
    };
    const at = [state.frame, layer, head];
    const [here, all] = [[roles.of(state.sentence, ...at)], roles.recorded(...at)].map(told);
    return say(
        `This head looks (mean of the rows but the first) in this sentence ${here}; in all ${own.number} recorded ones ${all}.`,
        `这个头（除第一行外各行平均）在这一句里${here}；在全部 ${own.number} 个观察句里${all}。`);
}

export function startHeads() {
    const titles = {
        self: () => say("in this sentence: looks at itself", "这一句里：看自己"),
        distance: () => say("in this sentence: how far back, characters", "这一句里：平均回看几个字"),
        entropy: () => say("in this sentence: spread (entropy; 1 = even)", "这一句里：分散程度（熵；1 为均匀）"),
    };
    for (const [what, title] of Object.entries(titles)) new Chart(what, 190, title, () => roles.series(what));
}
