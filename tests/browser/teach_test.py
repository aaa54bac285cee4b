"""
The bench: the page's backward against finite differences, for every model that it runs; a sentence taught and undone.
"""

import json
import subprocess
from pathlib import Path

# In each tensor, the loss falls along its gradient as fast as the gradient is long.
GRADIENTS = """(() => {
    const program = document.getElementById('worker').textContent.replace(/self\\.onmessage/, 'const unused');
    const {Gpt, gradient, Pupil} = new Function(`${program}; return {Gpt, gradient, Pupil}`)();
    const random = (i) => Math.abs(Math.sin(12.9898 * i) * 43758.5453) % 1;
    const [C, V, F, T] = [8, 11, 16, 9];
    const ids = [3, 1, 4, 1, 5, 9, 2, 6, 5];
    const found = [];
    for (const position of ['learned', 'sinusoidal', 'rotary', 'none'])
        for (const tied of [true, false])
            for (const activation of ['gelu', 'gelu_new']) {
                const config = {channels: C, heads: 2, ffn: F, layers: 2, vocabulary: V, context: T, position, tied, activation};
                const table = [{name: 'embedding.token', shape: [V, C]}];
                if (position === 'learned') table.push({name: 'embedding.position', shape: [T, C]});
                const norm = (name) => table.push({name: `${name}.gamma`, shape: [C]}, {name: `${name}.beta`, shape: [C]});
                const affine = (name, i, I, O) => table.push({name: `${name}.W_${i}`, shape: [I, O]}, {name: `${name}.b_${i}`, shape: [O]});
                for (const block of ['block.0.', 'block.1.']) {
                    norm(`${block}norm_1`);
                    for (const i of 'QKVO') affine(`${block}attention`, i, C, C);
                    norm(`${block}norm_2`);
                    affine(`${block}ffn`, 1, C, F);
                    affine(`${block}ffn`, 2, F, C);
                }
                norm('final_norm');
                if (!tied) table.push({name: 'head.W', shape: [C, V]});
                const size = table.reduce((sum, {shape}) => sum + shape.reduce((a, b) => a * b), 0);
                const pupil = new Pupil(config, table, Float32Array.from({length: size}, (_, i) => random(i) - 0.5));
                const other = new Gpt(config, table, new Float32Array(size));
                gradient(pupil.gpt, pupil.slopes, ids);
                for (const {name} of table) {
                    const [w, g] = [pupil.gpt.rows.get(name), pupil.slopes.rows.get(name)];
                    const length = Math.hypot(...g);
                    if (length < 1e-3) continue;  // b_K changes nothing; others so little that rounding counts
                    const start = w.slice();
                    const at = (way) => (w.set(start.map((x, i) => x + way * g[i] / length)), gradient(pupil.gpt, other, ids));
                    const slope = (at(0.01) - at(-0.01)) / 0.02;
                    w.set(start);
                    found.push([Math.abs(slope / length - 1), position, tied, activation, name]);
                }
            }
    return found.sort((a, b) => b[0] - a[0]);
})()"""

# The product of gemm.c against that in JavaScript, of shapes that fill its tiles and that do not. The page takes the first of
# its modules that the browser compiles: here those before RUNG are left out.
PRODUCTS = """(() => {
    const all = document.getElementById('worker').textContent.replace(/self\\.onmessage/, 'const unused');
    const program = all.replace('of kGemm', 'of kGemm.slice(RUNG)');
    const {addProduct, addInJavaScript, inWasm} = new Function(`${program}; return {addProduct, addInJavaScript, inWasm}`)();
    const random = (i) => Math.abs(Math.sin(12.9898 * i) * 43758.5453) % 1;
    let furthest = inWasm ? 0 : Infinity;
    for (const [M, N, K] of [[1, 96, 96], [20, 667, 96], [96, 384, 96], [7, 5, 3], [4, 8, 1], [1, 1, 1], [667, 96, 19]])
        for (const turned of ['', 'a', 'b']) {
            const some = (length, seed) => Float32Array.from({length}, (_, i) => random(seed + i) - 0.5);
            const [a, b, y] = [some(M * K, 1), some(K * N, 1e6), some(M * N, 2e6)];
            const z = y.slice();
            addProduct(y, a, b, M, N, turned);
            addInJavaScript(z, a, b, M, N, turned);
            y.forEach((sum, i) => furthest = Math.max(furthest, Math.abs(sum - z[i])));
        }
    for (const n of [96, 100, 12, 7, 1]) {  // a aᵀ, of which gemm.c computes the upper half
        const a = Float32Array.from({length: 20 * n}, (_, i) => random(i) - 0.5);
        const [y, z] = [new Float32Array(n * n), new Float32Array(n * n)];
        addProduct(y, a, a, n, n, 'b', {symmetric: true});
        addInJavaScript(z, a, a, n, n, 'b');
        y.forEach((sum, i) => furthest = Math.max(furthest, Math.abs(sum - z[i])));
    }
    return furthest;
})()"""


def answered(browser):
    """Until a press is done, what it changed is drawn, the bench has asked about it, and the answer is drawn, too."""
    look = "new Promise(done => { const look = () => %s ? done() : setTimeout(look, 30); look(); })"
    browser.value(look % "!bench.busy")
    browser.settle()
    browser.value(look % "bench.answer.final && !bench.answer.open")
    browser.settle()


def check_products(browser, check):
    for rung, vectors in enumerate(("relaxed vectors", "vectors")):
        furthest = browser.value(PRODUCTS.replace("RUNG", str(rung)))
        check(furthest is not None and furthest < 2e-5, f"WebAssembly with {vectors} and JavaScript multiply alike: {furthest}")
    check(browser.value(PRODUCTS.replace("RUNG", "2")) is None, "without WebAssembly JavaScript multiplies")
    built = subprocess.run(["sh", Path(__file__).parents[2] / "scripts/gemm.sh", "compare"], capture_output=True, text=True)
    check(built.returncode in (0, 77), f"gemm.js is what scripts/gemm.sh makes of gemm.c: {built.stdout}{built.stderr}")


def compare_with_step(browser, zhuyi, check):
    """Loss and gradient norm of taught steps are those of `zhuyi step`, from the same snapshot."""
    at = browser.value("gpt.steps.length >> 1")
    step = browser.value(f"gpt.steps[{at}]")
    text = browser.value("gpt.text(bench.ids())")
    for optimizer, rate in (("sgd", 0.1), ("adamw", 3e-4), ("muon", 3e-3)):
        taught = browser.value(f"""(async () => {{
            const told = [];
            const question = {{ids: bench.ids(), snapshot: {at}, count: 4, optimizer: '{optimizer}', rate: {rate}}};
            await ask('teach', question, (step) => told.push(step));
            await ask('unteach', {{all: true}});
            return told;
        }})()""")
        made = json.loads(zhuyi.call("step", zhuyi.run, "--at", step, "--text", text, "--on", "text", "--optimizer", optimizer, "--learning-rate",
                                     rate, "--clip", 1, "--moments", "empty", "--times", 4, "--json"))
        rows = next(item["rows"] for item in made["sections"][0]["items"] if item.get("table") == "updates")
        for here, row in zip(taught, rows, strict=True):
            near = all(abs(a - b) <= 1e-4 * b for a, b in zip((here["loss"], here["norm"]), (row["values"][1], row["values"][-1])))
            check(near, f"{optimizer}, step {row['label']}: {here} is as zhuyi step has it: {row['values']}")
        print(f"a step of {optimizer} takes {sorted(step['took'] for step in taught)[1]:.1f} ms in the page")


def check_backward(browser, check):
    """The lights of a step: all gradients together are as long as its gradient; each token is read or only predicted."""
    names = ["final_norm.gamma", *(f"block.{l}.{part}" for l in (2, 1, 0) for part in ("ffn.W_2", "attention.W_Q")), "embedding.token"]
    when, lit = browser.value(f"""(async () => {{
        [bench.optimizer, bench.rate] = ['sgd', 0.1];
        document.getElementById('teach-one').click();
        do await new Promise(done => setTimeout(done, 30)); while (bench.busy || !backward.told || backward.going());
        backward.start(backward.told);  // once more, for a busy browser may have missed the first lights
        const boxes = {names}.map(name => document.querySelector(`#tower [data-name='${{name}}']`));
        const lights = boxes.map(box => box.getAnimations()[0]);
        for (const light of lights) light.pause(), light.currentTime = 600;
        const seen = boxes.map(box => getComputedStyle(box).backgroundColor);
        const when = lights.map(light => light.effect.getTiming().delay);
        for (const light of lights) light.cancel();
        return [when, [boxes.at(-1), boxes[0]].map(box => seen[boxes.indexOf(box)] === getComputedStyle(box).backgroundColor)];
    }})()""")
    check(when == sorted(set(when)) and when[0] == 0, f"from the loss down to E: {when}")
    check(lit == [False, True], f"E is not lit yet while the last norm is: {lit}")
    browser.value("new Promise(done => { const look = () => bench.busy || backward.going() ? setTimeout(look, 30) : done(); look(); })")
    title = browser.value("document.querySelector('#tower [data-name=\"embedding.token\"]').title")
    check("norm of the gradient" in title, f"its length is told: {title}")
    told = browser.value("({...backward.told, ...bench.answer.parts[0], rate: bench.rate, ids: bench.ids(), row: film.rowOfParameter.get('embedding.token')})")
    together = sum(length**2 for length in told["lengths"]) ** 0.5
    check(abs(together - told["norm"]) < 1e-4 * told["norm"], f"all together are the gradient: {together} {told['norm']}")
    rows = sum(length**2 for length in told["rows"]) ** 0.5
    moved = told["rate"] * min(1, 1 / told["norm"]) * told["lengths"][told["row"]]
    check(abs(rows - moved) < 1e-3 * moved, f"rows of E together moved as far as E in a step: {rows} {moved}")
    check(set(told["read"]) == set(told["ids"][:-1]), "read are all tokens but the last")
    browser.value("document.getElementById('figure-backward').scrollIntoView({block: 'center', behavior: 'instant'})")
    browser.settle()
    tips = browser.value("figures.find(f => f.id === 'backward').spots.map(s => s.tip().split('\\n')[0])")
    names = browser.value("rowsOfE.sorted().map(tokens => tokens.map(token => film.name(token)))")
    read = len(names[0])
    check(tips[:read] == names[0] and len(tips) > read + 40 and tips[read:] == names[1][:len(tips) - read], f"dots of the rows that moved furthest: {tips[:20]}")
    browser.value("document.getElementById('teach-again').click()")
    browser.value("new Promise(done => { const look = () => bench.busy || bench.presses.length ? setTimeout(look, 30) : done(); look(); })")


def see_what_changed(browser, check):
    """After a press that changes much: all that is said of it stands on the first screen, and is so."""
    browser.value("(bench.optimizer = 'sgd', bench.rate = 0.3, document.getElementById('teach-five').click())")
    answered(browser)
    told = browser.value("({...bench.answer.parts[0], costs: bench.answer.final, text: bench.answer.question.untaught})")
    inner = lambda id: browser.value(f"document.getElementById('{id}').innerText")
    a, b = told["costs"]
    cost = inner("teach-cost")
    check("held-out" in cost and f"{abs(round(b['loss'], 3) - round(a['loss'], 3)):.3f}" in cost, f"the cost is said: {cost}")
    changed = [told["text"][i] for i, next in enumerate(told["next"]) if len(next) > 1]
    check(changed and all(text in cost.split("another guess")[1] for text in changed), f"guesses that changed are named: {cost} {changed}")
    known = [sum(share >= 0.9 for share in side["right"]) for side in (a, b)]
    means = browser.value(f"[{a['right']}, {b['right']}].map(all => percent(mean(all)))")
    rules, lost = inner("teach-rules"), [x - y for x, y in zip(a["right"], b["right"])]
    check(f"{means[0]} → {means[1]}" in rules and f"at least 90% right: {known[0]} → {known[1]} of {len(lost)}" in rules, f"how many answers are right: {rules}")
    worst = browser.value(f"film.rules.list.filter(r => r.probes.length)[{lost.index(max(lost))}].english")
    check(max(lost) <= 0 or f"lost most: “{worst}”" in rules, f"and which rule lost most: {rules} {worst} {max(lost)}")
    rows = inner("teach-rows")
    furthest = browser.value("[true, false].map(was => [...bench.answer.parts[0].rows.keys()].filter(id => bench.answer.parts[0].read.includes(id) === was)"
                             ".map(id => [bench.answer.parts[0].rows[id], film.name(id)]).sort((a, b) => b[0] - a[0])[0])")
    first = [browser.value(f"`“{name}” ${{short({way}, 2)}}`") for way, name in furthest]
    check(f"read {first[0]}" in rows and f"only predicted {first[1]}" in rows, f"rows of E, read and only predicted: {rows} {first}")
    foot = inner("step")
    check("of yours" in foot and f"{told['sides'][1]['loss']:.3f}" in foot and f"{b['loss']:.3f}" in foot and "its batch" not in foot,
          f"the foot is about the taught model: {foot!r}")
    browser.value("scrollTo(0, 0)")
    size = browser.value("[innerWidth, innerHeight]")
    for language in ("zh", "en"):
        browser.value(f"(root.lang = '{language}', drawNow())")
        browser.size(1280, 800)
        browser.value("document.getElementById('model').open = true")
        browser.settle()
        low, free = browser.value("[document.getElementById('teach-told').getBoundingClientRect().bottom, document.getElementById('transport').getBoundingClientRect().top]")
        check(low <= free, f"{language}: what a press changed is seen without scrolling: {low} {free}")
    browser.size(*size)


def check_costs(browser, check):
    """With documents of the text the first loss is the same and the way another one; what was not taught stands beside."""
    told = browser.value("""(async () => {
        const found = [];
        for (const documents of [0, 3]) {
            const question = {ids: bench.ids(), snapshot: gpt.at(), count: 1, optimizer: 'sgd', rate: 0.1, documents};
            await ask('teach', question, (step) => found.push(step));
            await ask('unteach', {all: true});
        }
        return found;
    })()""")
    check(abs(told[0]["loss"] - told[1]["loss"]) < 1e-6 and abs(told[0]["norm"] - told[1]["norm"]) > 1e-3, f"documents are read beside it: {told}")
    browser.value("""(() => {
        const typed = document.getElementById('teach-untaught');
        typed.value = '小猫最爱吃 | 小狗 | 小羊 | 小鸟';
        typed.oninput();
        document.getElementById('teach-one').click();
    })()""")
    for _ in range(900):  # the cost asks all rules: on a busy machine it takes much longer than a step
        browser.value("new Promise(done => setTimeout(done, 100))")
        if not browser.value("bench.busy") and browser.value("document.querySelectorAll('#teach-others li').length") == 3:
            if "held-out" in browser.value("document.getElementById('teach-cost').textContent"):
                break
    answered(browser)
    others = browser.value("[...document.querySelectorAll('#teach-others li')].map(li => li.textContent)")
    check(len(others) == 3 and all("→" in text and "%" in text for text in others), f"three texts that were not taught: {others}")
    see_what_changed(browser, check)
    browser.value("document.getElementById('teach-again').click()")
    answered(browser)
    browser.value("(document.getElementById('own-text').value = '', own.type(''))")
    browser.settle()


def check_teaching(browser, zhuyi, check):
    check_products(browser, check)
    found = browser.value(GRADIENTS)
    check(len(found) > 16 * 20 and found[0][0] < 0.01, f"gradients are those of finite differences: {len(found)} {found[:3]}")
    if browser.value("root.lang") != "en":
        browser.key("l")
    browser.value("scrollTo(0, 0); show(film.count - 1)")
    answered(browser)
    compare_with_step(browser, zhuyi, check)
    begin = browser.value("bench.answer.parts[0].sides[1]")
    text = browser.value("gpt.text(bench.ids())")
    for optimizer, rate in (("sgd", 0.1), ("adamw", 3e-4), ("muon", 3e-3)):
        browser.value(f"(bench.optimizer = '{optimizer}', bench.rate = {rate})")
        for button in ("one", "five"):
            browser.value(f"document.getElementById('teach-{button}').click()")
            answered(browser)
            if button == "one":
                once = browser.value("bench.answer.parts[0]")
        losses = browser.value("bench.losses.map(({loss}) => loss)")
        now = browser.value("bench.answer.parts[0].sides[1]")
        check(len(losses) == 6 and abs(losses[0] - begin["loss"]) < 1e-4, f"{optimizer}: the first loss is that of the model: {losses} {begin['loss']}")
        check(now["loss"] < losses[-1] < losses[0], f"{optimizer}: each step lowers it: {losses} {now['loss']}")
        check("6" in browser.value("document.getElementById('teach-loss').textContent"), "the steps are counted")
        check("6 of yours" in browser.value("gpt.said()"), "panels say whose model they show")
        shown = browser.value("film.sentences[own.number].length && film.truth(own.number, film.count - 1, bench.answer.parts[0].t).probability")
        check(abs(shown - now["answer"]["probability"]) < 1e-6, f"{optimizer}: the panels of a sentence show the taught model")
        check(browser.value("document.querySelectorAll('#teach-cards article').length") == 4, "four cards answer")
        here = browser.value("(frame => { show(0); return frame; })(state.frame)")
        answered(browser)
        elsewhere = browser.value("[document.getElementById('teach-undo').disabled, document.getElementById('teach-loss').textContent]")
        check(elsewhere[0] and "→" not in elsewhere[1], f"at another step nothing is undone, and no loss of the taught model stands: {elsewhere}")
        browser.value("aim.go('curves')")
        browser.settle()
        browser.value(f"show({here})")  # the bench, out of sight, may still hold the other step's answer
        browser.settle()
        foot = browser.value("document.getElementById('step').textContent")
        check("6 of yours" in foot and ("your sentence" not in foot or f"{begin['loss']:.3f} → " in foot), f"the foot says no loss of another step: {foot!r}")
        browser.value("scrollTo(0, 0)")
        answered(browser)
        browser.value("document.getElementById('teach-undo').click()")
        answered(browser)
        check(abs(once["sides"][1]["loss"] - losses[1]) < 1e-4 and browser.value("bench.answer.parts[0]") == once, "undo takes the last press back, exactly")
        browser.value("document.getElementById('teach-again').click()")
        answered(browser)
        check(browser.value("bench.answer.parts[0].sides[1]") == begin, f"{optimizer}: start again is exact")
    check(browser.value("gpt.text(bench.ids())") == text and browser.value("gpt.taught.steps") == 0, "nothing of it stays")
    browser.value("(document.getElementById('own-text').value = '', own.type(''))")
    browser.settle()
    check_costs(browser, check)
    check_backward(browser, check)
