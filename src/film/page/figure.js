"use strict";
// A picture with its title, its numbers under the pointer, and four ways to save it.

const figures = [];
const tip = document.getElementById("tip");

function showTip(text, x, y) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
}

function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = `${film.run}-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** On a projector the page's letters are larger, and those in pictures with them. */
let zoomed = 1;
const zoom = () => zoomed;
function measureZoom() {
  zoomed = parseFloat(getComputedStyle(document.body).fontSize) / 16;
}
addEventListener("resize", measureZoom);

const quoted = (cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replace(/"/g, '""')}"` : String(cell));

/**
 * what: {
 *   title(): text,            height(width): pixels,
 *   draw(pen),                with pen.width and pen.height
 *   table(): {columns, rows}  the numbers behind the picture
 *   at(x, y): text            what the pointer shows; optional
 *   click(x, y, event), key(event): true when it meant something; optional
 * }
 */
class Figure {
  constructor(id, what) {
    this.id = id;
    this.what = what;
    this.place = document.getElementById(`figure-${id}`);
    this.place.innerHTML = '<div class="top"><span class="caption"></span><span class="save"></span></div><div class="view"></div>';
    this.caption = this.place.querySelector(".caption");
    this.view = this.place.querySelector(".view");
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.view.append(this.canvas);
    this.visible = true;
    this.addSaving();
    this.addPointer();
    new ResizeObserver(() => this.drawSoon()).observe(this.view);
    new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      if (this.visible && this.late) this.draw();
    }, { rootMargin: "200px" }).observe(this.place);
    figures.push(this);
  }

  addSaving() {
    const ways = { SVG: () => this.svg(), PNG: () => this.png(), CSV: () => this.csv(), JSON: () => this.json() };
    for (const [name, way] of Object.entries(ways)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", way);
      this.place.querySelector(".save").append(button);
    }
  }
  fileName(end) {
    return `${this.id}-step${film.steps[state.frame]}.${end}`;
  }
  svg() {
    const { width, height } = this.size(), pen = new SvgPen(width, height, theme.raised);
    this.what.draw(pen);
    save(this.fileName("svg"), "image/svg+xml", pen.finish());
  }
  png() {
    const { width, height } = this.size(), canvas = document.createElement("canvas");
    canvas.width = 3 * width;
    canvas.height = 3 * height;
    const context = canvas.getContext("2d");
    context.scale(3, 3);
    this.what.draw(new CanvasPen(context, width, height));
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = theme.raised;
    context.fillRect(0, 0, width, height);
    canvas.toBlob((blob) => save(this.fileName("png"), "image/png", blob));
  }
  csv() {
    const { columns, rows } = this.what.table();
    const lines = [columns, ...rows].map((row) => row.map(quoted).join(","));
    save(this.fileName("csv"), "text/csv", `\ufeff${lines.join("\r\n")}\r\n`);  // the mark tells spreadsheets it is UTF-8
  }
  json() {
    const { columns, rows } = this.what.table();
    const all = rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
    save(this.fileName("json"), "application/json", JSON.stringify({ run: film.run, step: film.steps[state.frame], rows: all }));
  }

  addPointer() {
    const place = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / zoom(), (event.clientY - box.top) / zoom()];
    };
    this.canvas.addEventListener("pointermove", (event) =>
      showTip(this.what.at?.(...place(event)), event.clientX, event.clientY));
    this.canvas.addEventListener("pointerleave", () => showTip());
    if (this.what.click) {
      this.canvas.style.cursor = "pointer";
      this.canvas.addEventListener("click", (event) => this.what.click(...place(event), event));
    }
    if (this.what.key) {
      this.canvas.tabIndex = 0;
      this.canvas.addEventListener("keydown", (event) => {
        if (!this.what.key(event)) return;
        event.preventDefault();
        event.stopPropagation();
      });
    }
  }

  size() {
    const width = Math.max(200, (this.view.clientWidth - 16) / zoom());
    return { width, height: Math.round(this.what.height(width)) };
  }
  draw() {
    this.late = !this.visible;
    if (this.late) return;
    const { width, height } = this.size(), scale = (devicePixelRatio || 1) * zoom(), canvas = this.canvas;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = `${height * zoom()}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.what.draw(new CanvasPen(context, width, height));
    const title = this.what.title();
    if (this.caption.textContent !== title) this.caption.textContent = title;
    canvas.setAttribute("aria-label", title);
  }
  drawSoon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }
}

/** Buttons of which one is chosen. choices: [[value, text]]. */
function chooseFrom(place, name, choices, chosen, pick) {
  if (name) {
    const label = document.createElement("span");
    label.className = "name";
    label.textContent = name;
    place.append(label);
  }
  for (const [value, text] of choices) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.dataset.value = value;
    button.setAttribute("aria-pressed", String(value === chosen));
    button.addEventListener("click", () => pick(value));
    place.append(button);
  }
}
