// Two languages. Words of the page itself stand in index.html; those that depend on numbers are said by the scripts.

export const root = document.documentElement;
export const byId = (id) => document.getElementById(id);

/** Where in a list the number nearest to another stands; of two the first. */
export function nearestIndex(numbers, number) {
    const far = (i) => Math.abs(numbers[i] - number);
    return numbers.reduce((best, _, i) => far(i) < far(best) ? i : best, 0);
}

export const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** The index after the last is 0, that before 0 the last. */
export const around = (i, count) => (i + count) % count;

/** Where tokens are words (byte pairs), what the page says of its characters it says of words. */
let ofWords = false;
function inWords(text) {
    if (!ofWords) return text;
    const english = text.replace(/(per |bytes? of (?:a )?)?\b([Cc])haracter(?!s in )/g,
        (all, kept, c) => kept ? all :
            c === "C"          ? "Word" :
                                 "word");
    return english.replace(/(没有)?([个些的各每])字(?![符节])/g, (all, kept, before) => kept ? all : `${before}词`);
}
export function sayWords() {
    ofWords = true;
    for (const {childNodes} of document.querySelectorAll("body :is(span, p)[lang]"))
        for (const node of childNodes)
            if (node.nodeType === Node.TEXT_NODE) node.data = inWords(node.data);
}

/** The one of two texts that the reader's language asks for. */
export const say = (english, chinese) => inWords(root.lang === "zh" ? chinese : english);

/** A number with about `digits` digits that mean something, never wider than needed. */
export function short(number, digits = 3) {
    if (!Number.isFinite(number)) return "–";
    if (number === 0) return "0";
    const size = Math.abs(number);
    if (size >= 1e6 || size < 1e-4) return number.toExponential(digits - 1).replace("e+", "e");
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return number.toFixed(Math.min(decimals, 8));
}

export const grouped = (integer) => String(Math.round(integer)).replace(/\B(?=(\d{3})+$)/g, ",");

export function percent(share) {
    if (!Number.isFinite(share)) return "–";
    if (share === 0) return "0%";
    if (Math.abs(share) < 0.001) return "<0.1%";
    return `${(100 * share).toFixed(share >= 0.1 ? 0 : 1)}%`;
}

/** A character among words; some of them are commas themselves. */
export const quote = (name) => `“${name}”`;

export const stepName = (step) => say(`step ${grouped(step)}`, `第 ${grouped(step)} 步`);
export const blockName = (block) => say(`block ${block}`, `第 ${block} 层`);
export const headName = (layer = state.layer, head = state.head) =>
    say(`${blockName(layer)}, head ${head}`, `${blockName(layer)}头 ${head}`);
/** Of a model: {block, part, head}, as a person says it. */
export function nameOfPart({block, part, head}) {
    const names = {attention: say("attention", "注意力"), ffn: "FFN", bias: "b_O"};
    return part === "head" ? headName(block, head) : `${blockName(block)} ${names[part]}`;
}
export const isChosen = (layer, head) => layer === state.layer && head === state.head;

/** "block.2.attention.W_Q" as a person says it. */
export function partName(name) {
    const inBlock = /^block\.(\d+)\.(?:attention|ffn)?\.?(.*)$/.exec(name);
    if (inBlock) return `${blockName(inBlock[1])} · ${inBlock[2]}`;
    const others = {
        "embedding.token": say("token embedding E", "词向量表 E"),
        "embedding.position": say("position embedding P", "位置编码 P"),
        "head.W": say("output layer", "输出层"),
    };
    return others[name] ?? name;
}
