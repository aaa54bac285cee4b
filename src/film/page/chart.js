// Lines over the steps of training.

const kSpace = Object.freeze({left: 54, right: 14, top: 12, bottom: 30});

/** Round numbers between two ends: about `count` of them. */
export function ticks(from, to, count = 5) {
    const span = to - from;
    if (!(span > 0)) return [from];
    const power = 10 ** Math.floor(Math.log10(span / count));
    const part = span / count / power;
    const step = power * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
    const found = [];
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * span; ++i) found.push(i * step);
    return found;
}

/** Step axis: even, or by the logarithm of step + 1, which shows the beginning large. */
export class StepAxis {
    constructor(last, even = false) { Object.assign(this, {last: Math.max(last, 1), log: state.logSteps && !even}); }
    /** 0 at step 0, 1 at the last. */
    share(step) { return this.log ? Math.log1p(step) / Math.log1p(this.last) : step / this.last; }
    step(share) { return this.log ? Math.expm1(share * Math.log1p(this.last)) : share * this.last; }
    ticks(width) {
        if (!this.log) return ticks(0, this.last, width < 420 ? 3 : 6);
        const found = [0, 1];
        for (let power = 10; power <= this.last; power *= 10) found.push(power);
        if (this.last > 1.6 * found.at(-1)) found.push(this.last);
        return found;
    }
}

export class Chart {
    /**
     * what(): {series: [{name, points: [[step, y]], colour?, width?, dash?, faint?, dots?,
     *                    legend?: name of a group of lines of one colour, pick?(): at a click}],
     *          levels?: [{y, name}], log?: y axis by its logarithm, from?: lowest y, unit?: text,
     *          last?: step, even?: the steps are no steps of the film, and drawn evenly}
     */
    constructor(id, height, title, what) {
        this.make = what;
        this.height = typeof height === "function" ? height : () => height;
        this.title = title;
        this.lines = true;
        new Figure(id, this);
    }

    lowestAndHighest() {
        const {series, levels = [], log, from} = this.now;
        const drawn = (y) => Number.isFinite(y) && (!log || y > 0);
        const all = series.flatMap(({points}) => points.map(([, y]) => y)).filter(drawn);
        all.push(...levels.map(({y}) => y));
        const extreme = (better) => all.reduce((a, b) => better(a, b) ? a : b);
        let [lowest, highest] = log ? [0.1, 1] : [0, 1];
        if (all.length) lowest = from ?? extreme((a, b) => a < b), highest = extreme((a, b) => a > b);
        if (log) return [Math.log10(lowest), Math.log10(highest > lowest ? highest : 2 * lowest)];
        if (highest <= lowest) highest = lowest + 1;
        const air = 0.05 * (highest - lowest);
        return [from ?? lowest - air, highest + air];
    }

    draw(pen) {
        this.now = this.make();
        this.axis = new StepAxis(this.now.last ?? lastStep(), this.now.even);
        const [low, high] = this.lowestAndHighest();
        const {log} = this.now;
        const names = this.placeNames(pen);
        const top = kSpace.top + (names.length ? names.at(-1).row * 17 + 18 : 0);
        this.inner = pen.width - kSpace.left - kSpace.right;
        const bottom = pen.height - kSpace.bottom;
        const height = (y) => ((log ? Math.log10(Math.max(y, 10 ** low)) : y) - low) / (high - low);
        this.x = (step) => kSpace.left + this.inner * this.axis.share(step);
        this.y = (y) => bottom - (bottom - top) * height(y);
        this.drawAxes(pen, low, high, bottom);
        this.drawLevels(pen);
        this.now.series.forEach((line, index) => this.drawLine(pen, line, index));
        pen.touch(
            kSpace.left - 5, 0, pen.width, pen.height, {tip: ({x, y}) => this.at(x, y), click: ({x, y}) => this.click(x, y)});
        const now = this.x(film.steps[state.frame]);
        if (!this.now.even) pen.line([[now, top], [now, bottom]], {stroke: theme.accent, width: 1.5});
        this.drawNames(pen, names);
    }
    /** Lines across, with names; a name that would lie on the one before goes beside it. */
    drawLevels(pen) {
        let [free, before] = [0, -1e9];
        for (const {y, name} of this.now.levels ?? []) {
            this.across(pen, y, {stroke: theme.muted, dash: [2, 4]});
            const beside = this.y(y) - before < 13;
            const low = this.y(y) > pen.height * 0.55;  // losses fall: there is room on the left
            const edge = low ? kSpace.left + 6 : pen.width - kSpace.right - 4;
            free = beside ? free : edge;
            pen.note(name, free, this.y(y) - 8, low ? "left" : "right");
            free += (low ? 1 : -1) * (widthOf(name, 11) + 14);
            before = this.y(y);
        }
    }
    across(pen, y, style) {
        const at = this.y(y);
        pen.line([[kSpace.left, at], [pen.width - kSpace.right, at]], style);
    }
    drawAxes(pen, low, high, bottom) {
        const few = pen.height < 180 ? 3 : 5;
        for (const y of this.now.log ? this.powers(low, high) : ticks(low, high, few)) {
            this.across(pen, y, {stroke: theme.line});
            const label = short(y, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
            pen.note(label, kSpace.left - 7, this.y(y), "right");
        }
        let free = -1e9;
        for (const step of this.axis.ticks(pen.width)) {
            const at = this.x(step);
            const label = grouped(step);
            const half = widthOf(label, 11) / 2;
            if (at - half < free) continue;
            free = at + half + 8;
            pen.note(label, Math.min(at, pen.width - half - 2), bottom + 11, "center");
        }
        pen.note(say("step", "步"), pen.width - kSpace.right, bottom + 24, "right");
        const {unit = "", log} = this.now;
        const kind = log ? say("logarithmic axis", "对数坐标") : "";
        pen.note([unit, kind].filter((text) => text).join(say(", ", "，")), 8, bottom + 24);
    }
    powers(low, high) {
        const found = [];
        for (let p = Math.ceil(low - 1e-9); p <= high + 1e-9; ++p) found.push(10 ** p);
        return found.length > 1 ? found : ticks(10 ** low, 10 ** high, 4);
    }
    styleOf({colour, width = 2, dash, faint}, index) {
        const stroke = colour ?? theme.series[index % theme.series.length];
        return {stroke, width, dash, opacity: faint ? 0.28 : 1};
    }
    drawLine(pen, line, index) {
        const drawn = ([, y]) => Number.isFinite(y) && (!this.now.log || y > 0);
        const points = line.points.filter(drawn).map(([step, y]) => [this.x(step), this.y(y)]);
        const style = this.styleOf(line, index);
        const measured = line.dots && !line.faint;  // what lies between the dots was not measured
        pen.line(points, measured ? {...style, width: 1, opacity: 0.55} : style);
        const radius = measured ? 3.2 : points.length < 15 && !line.faint ? 2.4 : 0;
        if (radius)
            for (const [x, y] of points) pen.circle(x, y, radius, {fill: style.stroke});
    }
    /** Names in their lines' colours, in rows above the picture. */
    placeNames(pen) {
        const named = new Map();
        this.now.series.forEach((line, index) => {
            const name = line.legend ?? (line.faint ? "" : line.name);
            if (name && !named.has(name)) named.set(name, {line: {...line, faint: false}, index});
        });
        if (named.size < 2 && !this.now.alwaysNames) return [];
        let [x, row] = [kSpace.left, 0];
        return [...named].map(([name, {line, index}]) => {
            const width = 22 + widthOf(name) + 14;
            if (x + width > pen.width && x > kSpace.left) [x, row] = [kSpace.left, row + 1];
            x += width;
            return {name, line, index, x: x - width, row};
        });
    }
    drawNames(pen, names) {
        for (const {name, line, index, x, row} of names) {
            const y = kSpace.top - 2 + 17 * row;
            pen.line([[x, y], [x + 16, y]], this.styleOf(line, index));
            pen.text(name, x + 22, y);
        }
    }

    /** The point of a line that is nearest to a share of the step axis. */
    nearest(points, share) {
        const far = ([step]) => Math.abs(this.axis.share(step) - share);
        return points.reduce((a, b) => far(b) <= far(a) ? b : a);
    }
    /** Of the faint lines the one under the pointer. */
    faintAt(x, y) {
        const share = (x - kSpace.left) / this.inner;
        const near = ({points}) => Math.abs(this.y(this.nearest(points, share)[1]) - y);
        const faint = this.now.series.filter((line) => line.faint && line.points.length);
        const best = faint.reduce((a, b) => a && near(a) <= near(b) ? a : b, undefined);
        return best && near(best) < 9 ? best : undefined;
    }
    /** The values of all lines at a step; where a line has none there, that of its nearest step. */
    at(x, y) {
        const share = Math.min(1, Math.max(0, (x - kSpace.left) / this.inner));
        const under = this.faintAt(x, y);
        const lines = this.now.series.filter((line) => line.points.length && (!line.faint || line === under));
        if (!lines.length) return "";
        const found = lines.map(({points}) => this.nearest(points, share));
        const far = ([step]) => Math.abs(this.axis.share(step) - share);
        const [shown] = found.reduce((a, b) => far(b) < far(a) ? b : a);
        const told = lines.flatMap(({name}, i) => {
            // what was not known then is not told
            const [step, value] = found[i][0] <= shown ? found[i] : lines[i].points.findLast(([step]) => step <= shown) ?? [];
            if (step === undefined) return [];
            const where = step === shown ? "" : say(` (at step ${step})`, `（第 ${step} 步）`);
            const also = this.now.also?.(value, name) ?? "";
            return `${name ? `${name}  ` : ""}${short(value, 4)}${also}${where}`;
        });
        return `${stepName(shown)}\n${told.join("\n")}`;
    }
    click(x, y) {
        const pick = this.faintAt(x, y)?.pick;
        if (pick) return pick();
        if (!this.now.even) showStep(this.axis.step((x - kSpace.left) / this.inner));
    }
    table() {
        const {series} = this.make();
        const steps = [...new Set(series.flatMap(({points}) => points.map(([step]) => step)))];
        const maps = series.map(({points}) => new Map(points));
        const row = (step) => [step, ...maps.map((map) => map.get(step) ?? "")];
        const columns = ["step", ...series.map(({name}, i) => name || `series ${i}`)];
        return {columns, rows: steps.sort((a, b) => a - b).map(row)};
    }
}
