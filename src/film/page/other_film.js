// Another training, as film/page.cpp packs it.

export class OtherFilm {
    constructor(json, film) {
        Object.assign(this, json);
        this.curve = film.unpackCurve(json.curve);
        this.rowOfParameter = new Map(this.parameters.map((name, row) => [name, row]));
        this.norms = unpacked(json.norm).numbers;
        this.ways = unpacked(json.from_start).numbers;
        for (const sentence of this.sentences) sentence.weights = unpacked(sentence.attention);
    }
    /** ‖w − w₀‖ / ‖w₀‖ at a frame, or NaN where it has no such parameter. */
    way(frame, name) {
        const row = this.rowOfParameter.get(name) ?? NaN;
        return this.ways[frame * this.parameters.length + row] / (this.norms[row] || NaN);
    }
    /** {step, map} of a head over our sentence at the frame nearest to a step; or nothing. */
    map(ours, step, layer, head) {
        const {layers, heads} = this.model;
        const found = this.sentences.find((sentence) => sentence.ours === ours);
        if (!found || layer >= layers || head >= heads) return undefined;
        const {frames, weights: {numbers, scale}} = found;
        const at = nearestIndex(frames.map((frame) => this.steps[frame]), step);
        const size = numbers.length / (frames.length * layers * heads);
        const T = Math.round((Math.sqrt(8 * size + 1) - 1) / 2);
        const map = new Float32Array(T * T);
        let from = ((at * layers + layer) * heads + head) * size;
        for (let t = 0; t < T; ++t)
            for (let s = 0; s <= t; ++s) map[t * T + s] = numbers[from++] * scale;
        return {step: this.steps[frames[at]], map};
    }
}
