// Text to tokens, as text/tokenizer.cpp and text/byte_pair.cpp do it: a character that has no token is spelt in
// bytes; of byte pairs the one of the lowest rank is joined first.

const kPieces = new RegExp("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| " +
        "?[^\\p{White_Space}\\p{L}\\p{N}]+|\\p{White_Space}+(?!\\P{White_Space})|\\p{White_Space}+",
    "gu");

const utf8 = new TextEncoder();
const hexadecimal = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

export class Tokenizer {
    /** bytes: of each token in hexadecimal digits; merges: [left, right, left, right …]. */
    constructor({bytes, merges, counts, end}) {
        this.bytes = bytes;
        this.counts = counts;
        this.end = end;
        this.tokenOf = new Map(bytes.map((digits, token) => [digits, token]));
        this.tokenOf.delete("");
        this.joins = new Map();  // "left right" -> {rank, token}
        for (let i = 0; i < merges.length; i += 2) {
            const [left, right] = [merges[i], merges[i + 1]];
            const token = this.tokenOf.get(bytes[left] + bytes[right]);
            this.joins.set(`${left} ${right}`, {rank: i / 2, token});
        }
    }

    encode(text) {
        if (!this.joins.size) return [...text].flatMap((c) => this.character(c));
        return (text.match(kPieces) ?? []).flatMap((piece) => this.joined(this.spelt(piece)));
    }
    spelt(text) { return Array.from(utf8.encode(text), (b) => this.tokenOf.get(hexadecimal([b]))); }
    character(c) {
        const token = this.tokenOf.get(hexadecimal(utf8.encode(c)));
        return token === undefined ? this.spelt(c) : [token];
    }
    joined(tokens) {
        for (;;) {
            let [best, at] = [undefined, -1];
            for (let i = 0; i + 1 < tokens.length; ++i) {
                const join = this.joins.get(`${tokens[i]} ${tokens[i + 1]}`);
                if (join && (!best || join.rank < best.rank)) [best, at] = [join, i];
            }
            if (!best) return tokens;
            tokens.splice(at, 2, best.token);
        }
    }

    /** Does it spell whole characters? */
    whole(token) { return !this.decode([token]).includes("\ufffd"); }
    decode(tokens) {
        const digits = tokens.map((token) => this.bytes[token]).join("");
        const bytes = digits.match(/../g) ?? [];
        return new TextDecoder().decode(Uint8Array.from(bytes, (two) => parseInt(two, 16)));
    }

    /** Tokens that the training text has; all where nothing was counted. */
    met() {
        const tokens = [...this.bytes.keys()];
        return this.counts.some((n) => n > 0) ? tokens.filter((t) => this.counts[t] > 0) : tokens;
    }
    /** The most frequent token that spells something, another one for itself: it says little. */
    neutral(token) {
        const spelling = [...this.bytes.keys()].filter((t) => this.bytes[t] && t !== token);
        return spelling.reduce((a, b) => this.counts[b] > this.counts[a] ? b : a);
    }
}
