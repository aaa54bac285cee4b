"use strict";
// Two languages. Words of the page itself stand in index.html; those that depend on numbers are said here.

const root = document.documentElement;

/** The one of two texts that the reader's language asks for. */
function say(english, chinese) {
  return root.lang === "zh" ? chinese : english;
}

/** A number with about `digits` digits that mean something, never wider than needed. */
function short(number, digits = 3) {
  if (!Number.isFinite(number)) return "–";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e6 || size < 1e-4) return number.toExponential(digits - 1).replace("e+", "e");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return number.toFixed(Math.min(decimals, 8));
}

function grouped(integer) {
  return String(Math.round(integer)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function percent(share) {
  return share >= 0.1 ? `${(100 * share).toFixed(0)}%` : share >= 0.001 ? `${(100 * share).toFixed(1)}%` : "<0.1%";
}

/** A character among words; some of them are commas themselves. */
const quote = (name) => say(`“${name}”`, `「${name}」`);

const kStep = (step) => say(`step ${grouped(step)}`, `第 ${grouped(step)} 步`);

/** "block.2.attention.W_Q" as a person says it. */
function partName(name) {
  const inBlock = /^block\.(\d+)\.(?:attention|ffn)?\.?(.*)$/.exec(name);
  if (inBlock) return say(`block ${inBlock[1]} · ${inBlock[2]}`, `第 ${inBlock[1]} 块 · ${inBlock[2]}`);
  const others = {
    "embedding.token": say("token embedding E", "词向量 E"),
    "embedding.position": say("position embedding P", "位置向量 P"),
    "head.W": say("output head", "输出头"),
  };
  return others[name] ?? name;
}
