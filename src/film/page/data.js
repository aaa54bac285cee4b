"use strict";
// The film: numbers as film/page_data.h packs them, unpacked when first asked for.

const kArrays = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array,
};

/** {type, scale, data} -> {numbers, scale, at(i)} */
function unpacked(array) {
  const text = atob(array.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  const numbers = new kArrays[array.type](bytes.buffer);
  const scale = array.scale;
  return { numbers, scale, at: (i) => numbers[i] * scale };
}

class Film {
  constructor(json) {
    Object.assign(this, json);
    this.count = this.steps.length;
    this.curve = this.unpackCurve(json.curve);
    if (json.other) this.other.curve = this.unpackCurve(json.other.curve);
    this.kept = new Map();
    this.placeOfToken = new Map(this.watched.tokens.map((token, place) => [token, place]));
    this.componentRow = new Map(this.watched.components.places.map((place, row) => [place, row]));
    this.rowOfParameter = new Map(this.parameters.rows.map((row, index) => [row.name, index]));
  }

  unpackCurve(curve) {
    const unpack = ([name, array]) => [name, unpacked(array).numbers];
    return Object.fromEntries(Object.entries(curve).map(unpack));
  }

  /** An array of the document, unpacked once: film.numbers("watched", "met"). */
  numbers(...path) {
    const key = path.join(".");
    if (!this.kept.has(key)) this.kept.set(key, unpacked(path.reduce((part, name) => part[name], this)));
    return this.kept.get(key);
  }

  name(token) {
    const name = this.names[token];
    if (name === undefined) return "";
    return { "\\n": "↵", "\\s": "␣", "<|endoftext|>": "■" }[name] ?? name;
  }

  // ---- probes

  length(probe) {
    return this.probes[probe].tokens.length;
  }
  characters(probe) {
    return this.probes[probe].tokens.map((token) => this.name(token));
  }
  /** Weights of one head as (T, T), zeros above the diagonal. */
  map(probe, frame, layer, head, into) {
    const T = this.length(probe), { numbers, scale } = this.numbers("probes", probe, "attention");
    const size = (T * (T + 1)) / 2, { layers, heads } = this.model;
    const map = into ?? new Float32Array(T * T);
    let from = ((frame * layers + layer) * heads + head) * size;
    for (let t = 0; t < T; ++t) for (let s = 0; s <= t; ++s) map[t * T + s] = numbers[from++] * scale;
    return map;
  }
  /** What may follow position t: [{token, probability}], likeliest first. */
  expected(probe, frame, t) {
    const at = (frame * this.length(probe) + t) * 5, found = [];
    const top = this.numbers("probes", probe, "top"), probability = this.numbers("probes", probe, "probability");
    for (let k = at; k < at + 5; ++k)
      if (top.numbers[k] >= 0) found.push({ token: top.numbers[k], probability: probability.numbers[k] });
    return found;
  }

  // ---- watched characters

  of(part, frame, place) {
    return this.numbers("watched", part).at(frame * this.watched.tokens.length + place);
  }
  place(frame, place) {
    const { numbers } = this.numbers("watched", "places"), i = 2 * (frame * this.watched.tokens.length + place);
    return [numbers[i], numbers[i + 1]];
  }
  neighbours(frame, place) {
    const at = (frame * this.watched.tokens.length + place) * 8, found = [];
    const tokens = this.numbers("watched", "neighbours").numbers, cosine = this.numbers("watched", "cosine");
    for (let k = at; k < at + 8; ++k) if (tokens[k] >= 0) found.push({ token: tokens[k], cosine: cosine.at(k) });
    return found;
  }
  /** The embedding itself, or undefined where only its way on the map was kept. */
  embedding(frame, place, changeOnly = false) {
    const row = this.componentRow.get(place), C = this.model.channels;
    if (row === undefined) return undefined;
    const start = this.numbers("watched", "components", "start").numbers;
    const scale = this.numbers("watched", "components", "scales").numbers;
    const moved = this.numbers("watched", "components", "moved").numbers;
    const at = frame * this.componentRow.size + row, E = new Float32Array(C);
    for (let c = 0; c < C; ++c) E[c] = (changeOnly ? 0 : start[row * C + c]) + scale[at] * moved[at * C + c];
    return E;
  }

  // ---- weights

  parameter(part, frame, row) {
    return this.numbers("parameters", part).at(frame * this.parameters.rows.length + row);
  }
  /** The recorded moment of the matrices nearest before `frame` (or the first there is): its place in matrices.frames. */
  matrixMoment(frame) {
    let moment = 0;
    while (moment + 1 < this.matrices.frames.length && this.matrices.frames[moment + 1] <= frame) ++moment;
    return moment;
  }
  matrix(index, moment, changeOnly) {
    const { rows, columns } = this.matrices.list[index], size = rows * columns;
    const start = this.numbers("matrices", "list", index, "start"), W = new Float32Array(size);
    const scale = this.numbers("matrices", "list", index, "scales").numbers[moment];
    const moved = this.numbers("matrices", "list", index, "moved").numbers;
    for (let i = 0; i < size; ++i) W[i] = (changeOnly ? 0 : start.at(i)) + scale * moved[moment * size + i];
    return W;
  }
}
