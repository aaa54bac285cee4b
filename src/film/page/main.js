"use strict";
// Everything is here: open where the reader was, and begin.

function drawFacts() {
  const { model, training, watched, recorded } = film, kept = film.count < recorded ? say(`, ${film.count} of ${recorded} frames`, `，${recorded} 帧中的 ${film.count} 帧`) : say(`, ${film.count} frames`, `，${film.count} 帧`);
  document.getElementById("run-name").textContent = film.run;
  const frozen = training.freeze ? say(`; frozen: ${training.freeze}`, `；冻结：${training.freeze}`) : "";
  document.getElementById("run-facts").textContent = say(
    `${grouped(model.parameters)} weights learn from ${training.text}, ${grouped(training.steps)} steps of ${training.batch * training.accumulate} × ${model.context} tokens${frozen}. The film follows ${film.sentences.length} sentences and ${watched.length} characters${kept}.`,
    `${grouped(model.parameters)} 个权重学习 ${training.text}，共 ${grouped(training.steps)} 步，每步 ${training.batch * training.accumulate} × ${model.context} 个 token${frozen}。影片跟踪 ${film.sentences.length} 个句子和 ${watched.length} 个字${kept}。`,
  );
}

/** Marks under the slider: where frames stand close, training was young. */
function drawTicks() {
  const canvas = document.getElementById("ticks"), width = canvas.clientWidth, scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = 8 * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = theme.muted;
  for (let frame = 0; frame < film.count; ++frame) {
    const x = 8 + ((width - 16) * frame) / Math.max(1, film.count - 1);
    pen.fillRect(x, 2, 1, 3);
  }
}

function followScrolling() {
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
  }, { rootMargin: "-45% 0px -50% 0px" });
  for (const section of document.querySelectorAll("main > section")) watcher.observe(section);
}

/** A sentence of the course is best to begin with: 小, where it is watched. */
function firstToken() {
  const preferred = ["小", ...(film.sentences[0]?.map((token) => film.names[token]) ?? [])];
  for (const name of preferred) {
    const token = film.watched.find((t) => film.names[t] === name);
    if (token !== undefined) return token;
  }
  return film.watched[0];
}

/** And of the heads the one that sharpened most. */
function firstHead() {
  let best = { layer: 0, head: 0 }, least = Infinity;
  for (let layer = 0; layer < film.model.layers; ++layer)
    for (let head = 0; head < film.model.heads; ++head) {
      const entropy = roles.at("entropy", film.count - 1, layer, head);
      if (entropy < least) (least = entropy), (best = { layer, head });
    }
  return best;
}

function start() {
  state.token = firstToken();
  if (film.sentences.length) Object.assign(state, firstHead());
  const kind = recall() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  setTheme(kind);
  measureZoom();
  panels.push(drawFacts, drawTicks);
  startModel();
  startCurves();
  if (film.sentences.length) startAttention(), startHeads(), startPredictions();
  if (film.watched.length) startMap(), startTokens();
  startWeights();
  startTransport();
  startKeys();
  followScrolling();
  drawNow();
}

start();
