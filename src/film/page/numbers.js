// Rows of numbers: their bytes stand as one text in the page, and are unpacked when first asked for. film/page_data.h
// says how they are packed. The page and its worker each have this file.

const kArrays = {
    i8: Int8Array,
    u8: Uint8Array,
    i16: Int16Array,
    u16: Uint16Array,
    bf16: Uint16Array,
    i32: Int32Array,
    u32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
};

/** Bytes from a text that holds seven bits a character, or fourteen. */
export function bytesOf(text) {
    const bytes = new Uint8Array(2 * text.length);
    let [bits, count, n] = [0, 0, 0];
    const put = (seven) => {
        bits = bits << 7 | seven;
        count += 7;
        if (count >= 8) bytes[n++] = bits >> (count -= 8);
    };
    for (let i = 0; i < text.length; ++i) {
        const code = text.charCodeAt(i);
        if (code >= 128) put("\0\r<".charCodeAt((code >> 7) - 1));
        put(code & 127);
    }
    return bytes.slice(0, n);
}

/** One byte of each number: into[first], into[first + width] … Returns where the next plane is. */
function takePlane(bytes, at, into, first, width) {
    if (!bytes[at++]) {
        for (let i = first; i < into.length; i += width) into[i] = bytes[at++];
        return at;
    }
    const frequency = Uint16Array.from({length: 256}, (_, b) => bytes[at + 2 * b] | bytes[at + 2 * b + 1] << 8);
    const [begin, byteOf] = [new Uint16Array(256), new Uint8Array(4096)];
    frequency.forEach((f, b) => {
        if (b < 255) begin[b + 1] = begin[b] + f;
        byteOf.fill(b, begin[b], begin[b] + f);
    });
    at += 512;
    let x = 0;
    for (let k = 0; k < 4; ++k) x = x << 8 | bytes[at++];
    for (let i = first; i < into.length; i += width) {
        const place = x & 4095;
        const byte = into[i] = byteOf[place];
        x = frequency[byte] * (x >>> 12) + place - begin[byte];
        while (x < 2 ** 23) x = x << 8 | bytes[at++];
    }
    return at;
}

/** `count` numbers of a type: {numbers, end: where the next are}. */
function taken(bytes, at, type, count) {
    const numbers = new kArrays[type](count);
    const into = new Uint8Array(numbers.buffer);
    const width = numbers.BYTES_PER_ELEMENT;
    for (let k = 0; k < width; ++k) at = takePlane(bytes, at, into, k, width);
    return {numbers, end: at};
}

/** {type, scale, count, at, group} of bytes -> {numbers, scale, at(i)}; or NaNs. */
export function unpackedFrom(bytes, array) {
    if (!array) return {numbers: [], at: () => NaN};
    const {type, scale, count, group, at} = array;
    const {numbers: scales, end} = taken(bytes, at, "f32", group ? count / group : 0);
    const {numbers} = taken(bytes, group ? end : at, type, count);
    if (!group) return {numbers, scale, at: (i) => numbers[i] * scale};
    return {numbers, at: (i) => numbers[i] * scales[Math.floor(i / group)]};
}

/** bf16 are the upper halves of f32. */
export function widened(halves) {
    const bits = Uint32Array.from(halves, (half) => half << 16);
    return new Float32Array(bits.buffer);
}
