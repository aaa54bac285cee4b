"""
From nothing: the page trains the run's model once more, and every loss is that of the program, which reads the same batches.
"""

import csv
from pathlib import Path

WAIT = "new Promise(done => { const look = () => %s ? done() : setTimeout(look, 10); look(); })"
SEEN = "document.getElementById('learn').scrollIntoView({block: 'start', behavior: 'instant'})"
HIDDEN = "[document.getElementById('learn').hidden, !!document.querySelector('nav a[href=\"#learn\"]'), !!film.texts]"


def press(browser, button):
    browser.value(f"document.getElementById('learn-{button}').click()")


def check_learning(browser, zhuyi, check, without):
    """`without`: a run whose page has no text."""
    steps = 30  # of the run
    with open(Path(zhuyi.run) / "metrics.csv", encoding="utf-8") as file:
        program = [float(row["loss"]) for row in csv.DictReader(file) if row["loss"]]
    check(browser.value(HIDDEN) == [False, True, True], "there is a text, so there is training from step 0")
    browser.value(SEEN)
    browser.value(f"(learning.steps = {steps}, changed())")
    for _ in range(5):  # on a busy machine it may have learned all before the button is pressed
        press(browser, "go")
        browser.value(f"{WAIT % 'learning.at() >= 4'}.then(() => document.getElementById('learn-go').click())")
        browser.value(WAIT % "!learning.going")
        browser.settle()
        stopped = browser.value("learning.at()")
        if stopped < steps:
            break
        press(browser, "again")
        browser.value(WAIT % "!learning.at() && !document.getElementById('learn-go').disabled")
    check(4 <= stopped < steps, f"stop: at step {stopped}")
    browser.value("new Promise(done => setTimeout(done, 300))")
    check(browser.value("learning.at()") == stopped, "nothing goes on behind it")
    check(f"step {stopped} of {steps}" in browser.value("document.getElementById('learn-words').textContent"), "the step is said")
    check("of the answers right" in browser.value("document.getElementById('learn-words').innerText"), "and how many answers are right")
    # while it learns, other questions are answered
    alive = browser.value("""(document.getElementById('learn-go').click(),
        ask('tokens', {text: '小狗'}, undefined, 'alive').then(tokens => [tokens.length, learning.going]))""")
    check(alive == [2, True], f"the worker answers while it learns: {alive}")
    browser.value(WAIT % "!learning.going")
    losses = browser.value("learning.losses")
    check([step for step, _ in losses] == list(range(1, steps + 1)), f"go on: each step once: {losses}")
    far = max(abs(a - b) for (_, a), b in zip(losses, program, strict=True))
    check(far < 2e-3, f"every loss is that of the program's own training: {far}")
    asked = browser.value("learning.answers.map(({step, rules, sample}) => [step, rules.length, sample.length])")
    rules = browser.value("film.rules.list.filter(({probes}) => probes.length).length")
    check([step for step, *_ in asked] == [1, steps] and all(n == rules and length > 1 for _, n, length in asked), f"rules and samples: {asked}")
    browser.settle()  # the buttons follow with the next drawing
    check(browser.value("document.getElementById('learn-go').disabled"), "at the end there is no going on")
    press(browser, "adopt")
    browser.value(WAIT % "gpt.taught.steps")
    browser.settle()
    check(browser.value("gpt.said()").endswith(f"{steps} of yours"), f"panels show what was learned: {browser.value('gpt.said()')}")
    browser.value(WAIT % "!bench.busy && bench.answer.final && !document.getElementById('teach-undo').disabled")
    browser.value("document.getElementById('teach-undo').click()")
    browser.value(WAIT % "!bench.busy && !gpt.taught.steps")
    browser.value(SEEN)
    press(browser, "again")
    browser.value(WAIT % "!learning.at() && !document.getElementById('learn-go').disabled")
    press(browser, "go")
    browser.value(WAIT % "learning.at() >= 2")
    press(browser, "go")
    browser.value(WAIT % "!learning.going")
    again = browser.value("learning.losses")
    browser.value("show(film.count - 1)")  # a page opens where the last one was
    check(again == losses[: len(again)], f"start again: the same losses: {again}")
    browser.open(Path(without) / "report.html")
    browser.value(WAIT % "gpt.difference !== undefined")
    check(browser.value(HIDDEN) == [True, False, False], "report_text = no: no text, no training from step 0")
