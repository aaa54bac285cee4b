"use strict";
// The film: numbers as film/page_data.h packs them, unpacked when first asked for.

const kArrays = {
  i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array, f32: Float32Array,
};

function decoded(type, base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new kArrays[type](bytes.buffer);
}

/** {type, scale, data} or {type, group, scales, data} -> {numbers, at(i)}; of what is absent nothing. */
function unpacked(array) {
  if (!array) return { numbers: [], at: () => NaN };
  const numbers = decoded(array.type, array.data), { scale, group } = array;
  if (!group) return { numbers, at: (i) => numbers[i] * scale };
  const scales = decoded("f32", array.scales);
  return { numbers, at: (i) => numbers[i] * scales[Math.floor(i / group)] };
}

class Film {
  constructor(json) {
    Object.assign(this, json);
    this.count = this.steps.length;
    this.curve = this.unpackCurve(json.curve);
    if (json.other) this.other.curve = this.unpackCurve(json.other.curve);
    this.kept = new Map();
    this.placeOfToken = new Map(this.watched.map((token, place) => [token, place]));
    this.componentRow = new Map((this.components?.places ?? []).map((place, row) => [place, row]));
    this.rowOfParameter = new Map(this.parameters.map((row, index) => [row.name, index]));
    for (const row of this.parameters) row.shape = `[${row.shape.join(", ")}]`;
    this.recordedBlock = Number(/^block\.(\d+)/.exec(this.matrices.list[0]?.name)?.[1] ?? 0);
  }

  unpackCurve(curve) {
    const unpack = ([name, array]) => [name, unpacked(array).numbers];
    return Object.fromEntries(Object.entries(curve).map(unpack));
  }

  /** A stream by its name, or another array of the document by its path, unpacked once. */
  numbers(name) {
    if (!this.kept.has(name))
      this.kept.set(name, unpacked(this.streams[name] ?? name.split(".").reduce((part, key) => part?.[key], this)));
    return this.kept.get(name);
  }

  name(token) {
    const name = this.names[token];
    if (name === undefined) return "";
    return { "\\n": "↵", "\\s": "␣", "<|endoftext|>": "■" }[name] ?? name;
  }

  // ---- sentences

  length(sentence) {
    return this.sentences[sentence].length;
  }
  characters(sentence) {
    return this.sentences[sentence].map((token) => this.name(token));
  }
  /** Weights of one head as (T, T), zeros above the diagonal. */
  map(sentence, frame, layer, head, into) {
    const T = this.length(sentence), attention = this.numbers(`sentence.${sentence}.attention`);
    const size = (T * (T + 1)) / 2, { layers, heads } = this.model;
    const map = into ?? new Float32Array(T * T);
    let from = ((frame * layers + layer) * heads + head) * size;
    for (let t = 0; t < T; ++t) for (let s = 0; s <= t; ++s) map[t * T + s] = attention.at(from++);
    return map;
  }
  /** What may follow position t: [{token, probability}], likeliest first. */
  expected(sentence, frame, t) {
    const at = (frame * this.length(sentence) + t) * 5, found = [];
    const top = this.numbers(`sentence.${sentence}.top`), probability = this.numbers(`sentence.${sentence}.probability`);
    for (let k = at; k < at + 5; ++k)
      if (top.numbers[k] >= 0) found.push({ token: top.numbers[k], probability: probability.numbers[k] });
    return found;
  }

  // ---- watched characters

  of(part, frame, place) {
    return this.numbers(`watched.${part}`).at(frame * this.watched.length + place);
  }
  place(frame, place) {
    const { numbers } = this.numbers("plane.places"), i = 2 * (frame * this.watched.length + place);
    return [numbers[i], numbers[i + 1]];
  }
  neighbours(frame, place) {
    const at = (frame * this.watched.length + place) * 8, found = [];
    const tokens = this.numbers("watched.neighbours").numbers, cosine = this.numbers("watched.cosine");
    for (let k = at; k < at + 8; ++k) if (tokens[k] >= 0) found.push({ token: tokens[k], cosine: cosine.at(k) });
    return found;
  }
  /** The embedding itself, or undefined where only its way on the map was kept. */
  embedding(frame, place, changeOnly = false) {
    const row = this.componentRow.get(place), C = this.model.channels;
    if (row === undefined) return undefined;
    const start = this.numbers("components.start"), moved = this.numbers("components.moved");
    const at = frame * this.componentRow.size + row;
    return Float32Array.from({ length: C }, (_, c) => (changeOnly ? 0 : start.at(row * C + c)) + moved.at(at * C + c));
  }

  // ---- weights

  parameter(part, frame, row) {
    return this.numbers(`parameter.${part}`).at(frame * this.parameters.length + row);
  }
  /** The recorded moment of the matrices nearest before `frame` (or the first there is): its place in matrices.frames. */
  matrixMoment(frame) {
    let moment = 0;
    while (moment + 1 < this.matrices.frames.length && this.matrices.frames[moment + 1] <= frame) ++moment;
    return moment;
  }
  matrix(index, moment, changeOnly) {
    const { rows, columns } = this.matrices.list[index], size = rows * columns;
    const start = this.numbers(`matrices.list.${index}.start`), moved = this.numbers(`matrices.list.${index}.moved`);
    const W = new Float32Array(size);
    for (let i = 0; i < size; ++i) W[i] = (changeOnly ? 0 : start.at(i)) + moved.at(moment * size + i);
    return W;
  }
}
