"""
Each sentence of the story and each rule against the files of the run: metrics.csv, probes.csv, vocabulary.txt, the
checkpoints, and what the commands say. Nothing of the page's own arithmetic is used.
"""

import csv
import json
import math
import re
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def numbers_in(text):
    return [float(n.replace(",", "")) for n in re.findall(r"-?[0-9][0-9,]*(?:\.[0-9]+)?(?:e-?[0-9]+)?", text)]


def told(text, value, digits=3):
    """Does the text have this number, rounded to so many digits or more?"""
    return any(abs(n - value) <= 0.51 * 10 ** (math.floor(math.log10(abs(value) or 1)) + 1 - digits) for n in numbers_in(text))


def rows_of(run, name):
    return list(csv.DictReader((Path(run) / name).open(encoding="utf-8")))


def vocabulary(run):
    """The counts of the training text, <|endoftext|> first; every token is a character here."""
    lines = (Path(run) / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[1:]
    return [(name, int(count)) for _, name, count in (line.split("\t") for line in lines if line.count("\t") == 2)]


def matrices(path):
    """Name -> length of the matrices' numbers in a checkpoint, and the numbers themselves."""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and len(entry["shape"]) == 2 and not name.startswith(("adam", "muon")):
            begin, end = entry["data_offsets"]
            yield name, struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end])


def length(values):
    return math.sqrt(sum(v * v for v in values))


def known_since(rows, rule):
    steps = sorted({int(r["step"]) for r in rows})
    right = {(int(r["step"]), r["kind"]): float(r["right"]) for r in rows if r["rule"] == rule}
    worst = {int(r["step"]): int(r["worst_right"]) / int(r["worst_asked"]) for r in rows if r["rule"] == rule and r["worst_asked"]}
    since = None
    for step in reversed(steps):
        if min(right[step, "seen"], right[step, "new"]) < 0.9 or worst.get(step, 1) < 0.75:
            break
        since = step
    return since


def check_story(browser, zhuyi, check):
    browser.value("document.activeElement.blur(); show(film.count - 1)")
    if browser.value("root.lang") != "en":
        browser.key("l")
    browser.settle()
    story = dict(browser.value("[...document.querySelectorAll('.story li:not([hidden]) a')].map(a => [a.id.slice(6), a.innerText])"))
    check(4 <= len(story) <= 7, f"the story has four to seven sentences: {list(story)}")
    check(all(numbers_in(text) for text in story.values()), "every sentence has a figure")
    links = browser.value("[...document.querySelectorAll('.story li:not([hidden]) a')].map(a => document.querySelector(a.hash) !== null)")
    check(len(links) == len(story) and all(links), "every sentence leads somewhere")
    metrics, run = rows_of(zhuyi.run, "metrics.csv"), Path(zhuyi.run)

    counts = vocabulary(run)
    tokens, documents = sum(n for _, n in counts), counts[0][1]
    read = int(metrics[-1]["step"]) * 8 * 32
    check(all(told(story["data"], n, 7) for n in (documents, read)) and told(story["data"], read / tokens), f"data: {story['data']}")

    text = (ROOT / "data/village.txt").read_text(encoding="utf-8")
    met = browser.value("film.sentences_met")
    stand = [s in text for s in browser.value("film.sentences.map((_, i) => film.characters(i).join(''))")]
    check(all(there or times == 0 for there, times in zip(stand, met)), f"which sentences stand in the text: {met} {stand}")
    check(told(story["data"], sum(times > 0 for times in met), 1), "and it is told")

    evaluated = [(int(r["step"]), float(r["validation_loss"])) for r in metrics if r["validation_loss"]]
    unigram = browser.value("film.guesses.unigram")  # measured on the validation part (tests/text/ngram_test.cpp)
    since = None
    for step, loss in reversed(evaluated):
        if loss >= unigram:
            break
        since = step
    expected = [evaluated[0][1], evaluated[-1][1], unigram, math.exp(evaluated[-1][1])] + ([since] if since else [])
    check(all(told(story["loss"], n, 2) for n in expected), f"loss: {story['loss']} {expected}")
    check(since is not None or "not yet" in story["loss"], "a line that is not passed is said")
    floor = float(re.search(r"nats_per_character = (\S+)", (ROOT / "data/village.floor").read_text()).group(1))
    documents = [float(r["document_loss"]) for r in metrics if r.get("document_loss")]
    check(documents and all(told(story["loss"], n, 2) for n in (floor, documents[-1], documents[-1] - floor)), "loss: floor")

    probes = rows_of(run, "probes.csv")
    rules = {r["rule"]: known_since(probes, r["rule"]) for r in probes}
    known = sum(s is not None for s in rules.values())
    check(f"{known} of {len(rules)} rules" in story["rules"], f"rules: {story['rules']}")
    shown = browser.value("film.rules.list.map(r => [r.name, r.since, r.heads.at(-1), r.weights.at(-1)])")
    check({name: since for name, since, _, _ in shown} == rules, "since when each rule is known is what probes.csv says")
    last = {r["rule"]: (r["looks_head"], float(r["looks_weight"])) for r in probes if r["kind"] == "new" and r["looks_head"] and r["step"] == probes[-1]["step"]}
    check({n: (f"{h[0]}.{h[1]}", w) for n, _, h, w in shown if h} == last, "the heads are those of probes.csv")
    table = browser.value("document.getElementById('rule-table').innerText")
    check(all(f"{weight:.2f}" in table for _, weight in last.values()), "the table has every head's weight")
    carries = {r["rule"]: [r["carries_part"], float(r["carries_points"])] for r in probes if r["carries_part"]}
    told_carriers = dict(browser.value("film.rules.list.filter(r => r.carries).map(({name, carries: c}) => [name, [`${c.block}.${c.head ?? 'ffn'}`, c.points]])"))
    names = [f"block {block} FFN" if head == "ffn" else f"block {block}, head {head}" for block, head in (part.split(".") for part, _ in carries.values())]
    check(told_carriers == carries and names and all(name in table for name in names), f"what carries each rule is told: {names}")
    check(all(f"block {h[0]}, head {h[1]}" in table for _, _, h, _ in shown if h), f"a head has one name: {table}")

    def spread(step, layer, head):
        means = []
        for text in browser.value("film.sentences.slice(0, own.number).map((_, i) => film.characters(i).join(''))"):
            row = json.loads(zhuyi.call("attend", run, "--text", text, "--step", step, "--format", "json"))["weights"][layer][head]
            T = len(row)
            means.append(sum(-sum(w * math.log(w) for w in row[t][:t + 1] if w > 0) / math.log(t + 1) for t in range(1, T)) / (T - 1))
        return sum(means) / len(means)

    fell = "(([l, h]) => roles.spread(0, l, h) - roles.spread(film.count - 1, l, h))"
    check(("heads" in story) == browser.value(f"Math.max(...film.heads.map({fell})) >= 0.1"), "heads that hardly sharpened are not told of")
    if "heads" in story:
        browser.value("document.getElementById('story-heads').click()")
        layer, head = browser.value("[state.layer, state.head]")
        check(all(f"{spread(step, layer, head):.2f}" in story["heads"] for step in (0, int(metrics[-1]["step"]))), f"heads: {story['heads']}")

    first = dict(matrices(run / "first.safetensors"))
    way = {name: length([a - b for a, b in zip(now, first[name])]) / length(first[name]) for name, now in matrices(run / "last.safetensors")}
    far = max(way, key=way.get)
    check(told(story["matrices"], way[far], 2), f"matrices: {story['matrices']} {far} {way[far]}")

    near = zhuyi.call("neighbors", run, "小", "--step", metrics[-1]["step"]).splitlines()[-1].split()
    check(near[1] in story["neighbours"] and told(story["neighbours"], float(near[2]), 2), f"neighbours: {story['neighbours']}")

    losses = [float(r["loss"]) for r in metrics if r["loss"]]
    part = losses[-max(1, round(len(losses) / 20)):]
    gap = evaluated[-1][1] - sum(part) / len(part)
    bigram = browser.value("film.guesses.bigram")
    lowest = evaluated[-1][1] == min(loss for _, loss in evaluated)
    check(("memory" in story) == (not lowest or evaluated[-1][1] < bigram), "“did not overfit” is no news above the bigram line")
    memory = story.get("memory", "")
    check(not memory or told(memory, sum(part) / len(part), 2) and any(abs(n - gap) < 0.01 for n in numbers_in(memory)), f"memory: {memory} {gap}")
    browser.key("l")


def use_rules(browser, check):
    """A click on a rule chooses its head, and shows one of its probes."""
    browser.value("document.getElementById('rules').scrollIntoView({behavior: 'instant'})")
    browser.settle()
    browser.value("document.querySelectorAll('#rule-table button')[2].click()")
    browser.settle()
    head = browser.value("film.rules.list[2].heads.at(-1)")
    check(browser.value("[state.layer, state.head]") == head, "a click on a rule chooses the head that carries it")
    example = browser.value("document.getElementById('rule-example').textContent")
    check(browser.value("film.rules.list[2].example.text") in example, f"and shows a probe: {example!r}")
    marked = browser.value("document.querySelectorAll('#rule-example b').length")
    check(marked >= 2, "in which who asks and what decides are marked")
    worst = browser.value("[...document.querySelectorAll('#rule-table tr')].slice(1).map(row => row.lastChild.textContent)")
    recorded = browser.value("film.rules.list.map(rule => rule.worst[ruleNow.at()] ?? '–')")
    check(worst == recorded and any("/" in answer for answer in worst), f"beside the mean stands the worst answer: {worst} {recorded}")
