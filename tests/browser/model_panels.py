"""The panels that run the model in the page: own sentences, how they go on, parts switched off, reasons, context."""

import json
import time

OWN = "李华看见小猫，他龙笑了"


def wait(browser, condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if browser.value(condition):
            return True
        time.sleep(0.05)
    return False


def near(a, b, within):
    return abs(a - b) <= within


def type_a_sentence(browser, zhuyi, check):
    check(wait(browser, "gpt.difference !== undefined"), "the page runs the model")
    check(browser.value("gpt.difference") <= 0.05, f"its logits are those recorded: {browser.value('gpt.difference')}")
    facts = browser.value("document.getElementById('model-facts').textContent")
    check("bf16" in facts, f"the facts say so: {facts!r}")
    browser.value(f"""(input => {{ input.value = '{OWN}'; input.dispatchEvent(new Event('input')); }})
                      (document.getElementById('own-text'))""")
    check(wait(browser, f"state.sentence === own.number && gpt.text(film.sentences[own.number]) === '{OWN}'"), "the panels show the sentence typed")
    lines = zhuyi.call("tokens", zhuyi.run, OWN, "--lang", "en").splitlines()[1:]
    tokens = browser.value("[...document.querySelectorAll('.token')].map(t => t.lastChild.textContent)")
    check(tokens == [line.split()[0] for line in lines], f"its tokens are those of the command: {tokens}")
    check(browser.value("document.querySelectorAll('.token.byte').length") == 3, "龙 is three bytes, marked")

    browser.value("document.getElementById('sentence').scrollIntoView({block: 'center', behavior: 'instant'})")
    text = zhuyi.call("attend", zhuyi.run, "--text", OWN, "--checkpoint", "last", "--format", "json")
    weights = json.loads(text)["weights"]
    for layer, head, query in ((0, 1, 5), (2, 3, 9)):
        browser.value(f"show(film.count - 1); changed({{layer: {layer}, head: {head}, query: {query}}})")
        browser.settle()
        row = browser.value("[...document.querySelectorAll('#sentence button')].map(b => b.dataset.weight)")
        check(all(near(float(row[s]), weights[layer][head][query][s], 0.01) for s in range(query + 1)),
              f"attention of the own sentence, block {layer}, head {head}, is that of attend")
    see_a_cell(browser, check, weights[2][3][9])


def see_a_cell(browser, check, row):
    """The numbers of one weight: opened by the button or by a click on the cell; q, k, v and the softmax are those of attend."""
    browser.value("document.getElementById('cell-open').click()")
    check(wait(browser, "document.querySelectorAll('#cell-cards article').length === 3 && cellShown.answer.final"
                        " && cellShown.answer.question.t === cellShown.t && cellShown.answer.question.s === cellShown.s"),
          "a weight opens in numbers")
    largest = row.index(max(row[:10]))
    found = browser.value("({...cellShown.answer.final, t: cellShown.t, s: cellShown.s})")
    check((found["t"], found["s"]) == (9, largest), f"the row's largest: {found['t']}, {found['s']}")
    check(all(near(a, b, 0.01) for a, b in zip(found["weights"], row)) and near(sum(found["weights"]), 1, 1e-5), f"its row is that of attend: {found['weights']} {row[:10]} {browser.value('JSON.stringify(cellShown.answer.question)')}")
    score = sum(q * k for q, k in zip(found["q"], found["k"])) / len(found["q"]) ** 0.5
    check(near(score, found["scores"][largest], 1e-4), f"q · k / √D is the score: {score}")
    products = browser.value("[...document.querySelectorAll('#cell-cards table')[0].rows].slice(1).map(r => Math.abs(parseFloat(r.cells[3].textContent.replace('−', '-'))))")
    check(len(products) == min(6, len(found["q"])) and products == sorted(products, reverse=True), f"the largest products come first: {products}")
    browser.value("document.querySelector('#cell-keys button').click()")
    check(wait(browser, "cellShown.answer.final && cellShown.answer.question.s === 0"), "another key can be chosen")
    browser.value("figures.find(f => f.id === 'head').canvas.scrollIntoView({block: 'center', behavior: 'instant'})")
    browser.settle()
    spot = browser.value("(f => { const s = f.spots.find(s => s.rows && s.columns); const b = f.canvas.getBoundingClientRect();"
                         " return [b.left + s.x + s.w * 4.5 / s.columns, b.top + s.y + s.h * 6.5 / s.rows]; })(figures.find(f => f.id === 'head'))")
    browser.click(*spot)
    check(wait(browser, "cellShown.t === 6 && cellShown.s === 4 && state.query === 6"), f"a click on a cell opens it: {browser.value('[cellShown.t, cellShown.s]')}")
    browser.value("choosePosition(3)")
    check(wait(browser, "cellShown.t === 3 && cellShown.answer.question.t === 3"), "it follows the position that is chosen")
    browser.value("document.getElementById('cell-close').click()")
    browser.settle()
    check(browser.value("document.getElementById('cell').hidden"), "and closes again")


def go_on(browser, check):
    browser.value("document.getElementById('yours').scrollIntoView({behavior: 'instant'})")
    check(wait(browser, "document.querySelectorAll('#continue-columns blockquote').length"), "it can go on")
    # 30 more of the likeliest, from the last snapshot: what sample --temperature 0 writes
    browser.value("document.querySelectorAll('#continue-controls input')[0].value = 0")
    browser.value("document.querySelectorAll('#continue-controls input')[0].onchange()")
    browser.value("document.querySelectorAll('#continue-controls button')[1].click()")
    written = "[...document.querySelectorAll('#continue-columns blockquote b')].map(b => b.textContent)"
    check(wait(browser, f"{written}.at(-1).length > 0"), "it goes on")
    browser.value("""(async () => {  // until nothing more comes for half a second
        const count = () => document.querySelector('#continue-columns').textContent.length;
        for (let since = 0, before = -1; since < 10; since = count() === before ? since + 1 : 0, before = count())
            await new Promise(done => setTimeout(done, 50));
    })()""")
    first = browser.value(written)
    check(len(first) == 3 and first[0] != first[2], f"at three steps of the training: {first}")
    other = browser.value("""(() => { const list = [...document.querySelectorAll('#continue-columns ol')].at(-1);
        const picked = list.querySelectorAll('button')[3]; picked.click(); return picked.textContent; })()""")
    browser.settle()
    check(browser.value(written)[2].endswith(other), f"another character can be taken: {other}")
    # regression: the texts of the sentence before stayed until a button was pressed
    begun = "[...document.querySelectorAll('#continue-columns blockquote')].map(b => b.textContent)"
    for sentence in ("0", "own.number"):
        browser.value(f"changed({{sentence: {sentence}, query: -1}})")
        browser.settle()
        browser.settle()
        shown = browser.value(f"gpt.text(film.sentences[{sentence}])")
        check(browser.value(begun) == [shown] * 3, f"it goes on from the sentence that is shown, {shown}: {browser.value(begun)}")
        check(shown in browser.value("document.getElementById('own-shown').innerText"), "which is named")
    # regression: it kept the position that the own sentence before it had
    title = browser.value("figures.find(f => f.id === 'position').what.title()")
    whole = browser.value("film.characters(state.sentence).join('')")
    check(whole in title, f"an own sentence begins with what may follow all of it: {title}")
    points = browser.value("figures.find(f => f.id === 'position').what.make().series.map(s => s.points.map(p => p[0]))")
    steps = browser.value("gpt.steps")
    check(all(line == steps for line in points), f"curves of an own sentence have the snapshots' steps alone: {points[0]}")


def switch_off(browser, check):
    browser.value("document.getElementById('figure-switched').scrollIntoView({behavior: 'instant'})")
    browser.settle()
    for button in browser.value("[...document.querySelectorAll('#switches button')].map((_, i) => i)")[-3:]:
        browser.value(f"document.querySelectorAll('#switches button')[{button}].click()")
    figure = "figures.find(f => f.id === 'switched').table().rows"
    check(wait(browser, f"{figure}.length && {figure}.some(row => Math.abs(row[4] - row[5]) > 1e-6)"),
          "without a part the predictions are others")


def tell_why(browser, zhuyi, check):
    browser.value("changed({query: 5})")
    browser.value("document.getElementById('figure-effects').scrollIntoView({behavior: 'instant'})")
    figure = "figures.find(f => f.id === 'effects').table().rows"
    check(wait(browser, f"{figure}.length === 6"), "the effects of six characters")
    said = json.loads(zhuyi.call("explain", zhuyi.run, "--text", OWN, "--query", 5, "--why", "--checkpoint", "last", "--format", "json"))
    tables = {item["table"]: item["rows"] for section in said["sections"] for item in section["items"] if "table" in item}
    shown = browser.value(figure)
    for row, (_, _, replaced, cut) in zip(tables["effects"], shown):
        check(near(row["values"][1], replaced, 0.05), f"replaced: {row['values']}, shown {replaced}")
        check(cut == "" or near(row["values"][2], cut, 0.05), f"not looked at: {row['values']}, shown {cut}")
    browser.value("document.getElementById('why-answers').scrollIntoView({block: 'center', behavior: 'instant'})")
    reading = "document.getElementById('why-reading').innerText"
    check(wait(browser, f"/looks at|看/.test({reading})"), f"heads are named: {browser.value(reading)}")
    parts = browser.value("figures.find(f => f.id === 'parts').table().rows")
    heads = [part[3] for part in parts if part[0] == "head" and part[1] == 1]
    check(all(near(a, b, 0.05) for a, b in zip(heads, tables["parts"][1]["values"])), "what block 1's heads add to the logit")
    other = browser.value("[...document.querySelectorAll('#why-answers button')].find(b => b.getAttribute('aria-pressed') === 'false').textContent")
    browser.value("[...document.querySelectorAll('#why-answers button')].find(b => b.getAttribute('aria-pressed') === 'false').click()")
    check(wait(browser, f"{reading}.includes({other!r}) && document.querySelector('#why-answers [aria-pressed=true]')?.textContent === {other!r}"),
          f"why not another character? {browser.value(reading)}")
    browser.value("changed({query: 4})")
    browser.value("changed({query: 5})")


def compare_contexts(browser, check):
    browser.value("document.getElementById('figure-vectors').scrollIntoView({behavior: 'instant'})")
    check(wait(browser, f"document.getElementById('vector-first').textContent === '{OWN}'"), "the shown sentence is the first")
    partner = browser.value("document.getElementById('vector-text').placeholder")
    check(OWN != partner and set(OWN) & set(partner) - set("，"), f"beside an own sentence stands one that suits it: {partner}")
    figure = "figures.find(f => f.id === 'vectors').table().rows"
    check(wait(browser, f"{figure}.length === 2 * gpt.steps.length * (film.model.layers + 2)"), "two sides, each stage, each snapshot")
    between = browser.value(f"{figure}.map(row => row[5])")
    check(near(between[0], 1, 1e-6), "both begin as the same row of E")
    check(wait(browser, "!document.getElementById('vector-reading').hidden"), "it is said in words")
    typed = "document.getElementById('vector-text')"
    browser.value(f"({typed}.value = '小猫', {typed}.dispatchEvent(new Event('input')))")
    check(wait(browser, "vectors.both()[1].length === 2 && vectors.chosen === film.sentences[own.number].find(t => film.name(t) === '猫')"),
          "or any other, by the rarest character that both have")
    browser.value(f"({typed}.value = '', {typed}.dispatchEvent(new Event('input')))")


def check_model_panels(browser, zhuyi, check, open_again):
    type_a_sentence(browser, zhuyi, check)
    go_on(browser, check)
    switch_off(browser, check)
    tell_why(browser, zhuyi, check)
    compare_contexts(browser, check)
    browser.value("changed({query: 3})")
    browser.settle()
    open_again()
    check(wait(browser, "gpt.difference !== undefined && own.tokens.length > 5"), "a reload keeps the sentence")
    check(wait(browser, "state.sentence === own.number && state.query === 3"), "and what was chosen in it")
    browser.value("own.type('')")
    check(wait(browser, "state.sentence === 0"), "without it the film's own sentences are shown")
    browser.value("changed({query: -1})")
    browser.settle()
