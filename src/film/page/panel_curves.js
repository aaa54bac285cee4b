"use strict";
// Loss, learning rate, gradient norm, and the sample of the frame.

function pairs(steps, values) {
  return Array.from(steps, (step, i) => [step, values[i]]);
}

function lossSeries() {
  const { curve, other, guesses } = film;
  const series = [
    { name: say("training", "训练"), points: pairs(curve.step, curve.loss), width: 1.2 },
    { name: say("validation", "验证"), points: pairs(curve.evaluated, curve.validation), width: 2.4 },
  ];
  if (other) {
    const dash = [6, 4];
    series.push({ name: `${other.run} · ${say("training", "训练")}`, points: pairs(other.curve.step, other.curve.loss), width: 1, dash, colour: theme.series[2] });
    series.push({ name: `${other.run} · ${say("validation", "验证")}`, points: pairs(other.curve.evaluated, other.curve.validation), width: 2.2, dash, colour: theme.series[3] });
  }
  const levels = [
    { y: guesses.uniform, name: say("knows only the vocabulary", "只知道词表") },
    { y: guesses.unigram, name: say("knows only how frequent each character is", "只知道字频") },
  ].filter(({ y }) => y > 0);  // a vocabulary from elsewhere has no counts
  const bits = (nats) => ` ${say("nats", "nat")} = ${short((nats * guesses.tokens_per_character) / Math.LN2, 4)} ${say("bits per character", "比特/字")}`;
  return { series, levels, unit: say("nats per token", "nat / token"), also: bits, last: lastOfBoth() };
}

function lastOfBoth() {
  return Math.max(lastStep(), film.other?.curve.step.at(-1) ?? 0);
}

function oneCurve(name, log) {
  const series = [{ name: film.other ? film.run : "", points: pairs(film.curve.step, film.curve[name]), width: 1.4 }];
  if (film.other) series.push({ name: film.other.run, points: pairs(film.other.curve.step, film.other.curve[name]), width: 1.2, dash: [6, 4], colour: theme.series[2] });
  return { series, log, from: log ? undefined : 0, last: lastOfBoth() };
}

function startCurves() {
  new Chart("loss", (width) => (width > 600 ? 330 : 260), () => say("loss", "损失"), lossSeries);
  new Chart("rate", 170, () => say("learning rate", "学习率"), () => oneCurve("rate", false));
  new Chart("gradient", 170, () => say("length of the gradient, before clipping", "梯度的长度（裁剪前）"), () => oneCurve("gradient", true));
  const sample = document.getElementById("sample"), choices = document.getElementById("curve-choices");
  panels.push(() => {
    sample.textContent = film.samples[state.frame];
    choices.replaceChildren();
    chooseFrom(choices, say("steps", "步数轴"), [[true, say("beginning large", "放大开头")], [false, say("even", "均匀")]], state.logSteps,
      (logSteps) => changed({ logSteps }));
  });
}
