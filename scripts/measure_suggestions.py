#!/usr/bin/env python3
"""Which model learns a text best with so many operations? What `zhuyi train TEXT` chooses, and the loss that it expects, were
measured with this; the table is configs/measured.csv.

    python3 scripts/measure_suggestions.py search FOLDER [--minutes 60]   trains what the plan below lists and the table lacks
    python3 scripts/measure_suggestions.py fit                            the law's weights, and its errors on texts left out
    python3 scripts/measure_suggestions.py best                           the best found of each text and amount of work
    python3 scripts/measure_suggestions.py check TEXT …                   `train TEXT`: expected and found

`search` wants the texts in FOLDER (NAME.txt) and writes a line after each training, so that it can be stopped and started again.
Of long texts it keeps 40,000 characters for validation: a training is what costs. Needs nothing but Python.
"""
import argparse
import collections
import csv
import glob
import json
import math
import pathlib
import re
import subprocess
import tempfile
import time

from xxh64 import xxh64

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "configs" / "measured.csv"
SHAPE = {"min_count": int, "bpe_vocabulary": int, "channels": int, "layers": int, "context": int, "batch": int, "learning_rate": float, "dropout": float,
         "embedding_dropout": float, "weight_decay": float, "tied": str, "order": str, "beta1": float, "beta2": float}
# Counted on as many tokens as the network reads; the trigram model on a quarter and a sixteenth of them, too.
TEXT = ["tokens", "characters", "vocabulary", "unigram", "bigram", "trigram", "quarter", "sixteenth"]
# The validation loss of the pilot (kPilot of src/text/suggestion.h), halfway and at its end, where the text is long enough for one.
COLUMNS = ["text", "operations", *SHAPE, "steps", "loss", *TEXT, "pilot_halfway", "pilot"]
PILOT_READS, PILOT_CHANNELS, PILOT_WEIGHTS = 300 * 8 * 64, 64, 12 * 2 * 64**2

# text: its tokens as the recipe made them when the search began (characters with a min_count, or byte pairs), the work, and the shapes
# (channels x layers) that are tried with it.
# The work: half a minute, the default (a minute and a half), ten minutes; less where the text is soon known by heart.
SHAPES = ["32x1", "32x2", "48x1", "48x2", "64x1", "64x2", "64x3", "64x4", "96x1", "96x2", "96x3", "96x4", "128x1", "128x2", "128x3",
          "128x4", "160x4", "192x4", "192x6", "64x2 batch=16", "96x2 batch=16", "64x2 learning_rate=0.006", "64x2 learning_rate=0.02",
          "64x2 context=128 batch=4"]
BEST_FIRST = sorted(SHAPES, key=lambda shape: abs(int(shape.split("x")[0]) - 80))  # the middle of the list is where it ends well
LARGE = [f"{size} context=128 batch=16" for size in ("128x4", "96x3", "160x4", "128x3", "192x4")]  # for ten minutes
PLAN = {name: (tokens, work) for name, tokens, *work in (
    ("tang", "min_count=2", (1.6e11, BEST_FIRST)), ("song-ci", "min_count=2", (7e11, BEST_FIRST)),
    ("stories", "min_count=4", (2.5e12, BEST_FIRST)),
    ("shakespeare", "bpe_vocabulary=3696", (2.5e12, BEST_FIRST), (8.5e12, BEST_FIRST[:10]), (5e13, LARGE)),
    ("song-ci-all", "min_count=17", (2.5e12, BEST_FIRST), (8.5e12, BEST_FIRST[:10]), (5e13, LARGE)),
    ("python", "bpe_vocabulary=7234", (2.5e12, BEST_FIRST), (8.5e12, BEST_FIRST[:10])))}  # what is soon done comes first


# ---- the texts: of a long one few documents are kept for validation. zhuyi splits by a hash of each document.
ALL = (1 << 64) - 1


def place(document):  # from 0 to 1; below 0.1 it is kept for validation
    z = xxh64(document.encode()) + 0x9E3779B97F4A7C15 & ALL
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ALL
    z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL
    return ((z ^ z >> 31) >> 11) * 2.0**-53


def with_short_validation(text, most=40_000):
    kept, validation = [], 0
    for document in (d.strip("\n") for d in re.split(r"\n(?:[ \t\r\u3000]*\n)+", text)):
        if document and place(document) < 0.1:
            if validation > most: continue
            validation += len(document)
        kept.append(document)
    return "\n\n".join(kept) + "\n"


def text_file(folder, name, made):
    source = pathlib.Path(folder, name + ".txt")
    if name == "python" and not source.exists():  # the standard library's files, in the order of their names
        files = sorted(glob.glob(str(pathlib.Path(pathlib.__file__).parent / "*.py")))
        text = "\n\n".join(pathlib.Path(f).read_text(encoding="utf-8", errors="ignore") for f in files)
    else:
        text = source.read_text(encoding="utf-8")
    path = pathlib.Path(made, name + ".txt")
    path.write_text(with_short_validation(text), encoding="utf-8")
    return path


# ---- one training
def kind_of_tokens(shape):  # bpe_vocabulary 0: a token is a character
    return {"tokenizer": "bpe", "min_count": 1} if shape["bpe_vocabulary"] else {"tokenizer": "characters", "bpe_vocabulary": 2000}


def words_of(options):
    return [word for key, value in options.items() for word in (f"--{key}", str(value))]


def operations(channels, layers, context, vocabulary):  # for each token, as src/text/suggestion.h counts them
    return 6 * (12 * layers * channels**2 + layers * context * channels + channels * vocabulary)


def train(zhuyi, path, shape, steps):
    with tempfile.TemporaryDirectory() as folder:
        given = {**shape, **kind_of_tokens(shape), "heads": max(1, shape["channels"] // 32), "steps": steps, "eval_every": steps,
                 "position": "rotary", "optimizer": "muon", "schedule": "linear", "warmup": 60}
        subprocess.run([zhuyi, "train", str(path), "--out", folder + "/run", "--threads", "1", "--history=no", "--eval-tokens", "500",
                        "--lang", "en", *words_of(given)],
                       check=True, capture_output=True)
        log = pathlib.Path(folder, "run", "log.txt").read_text()
        return float(re.findall(r"^step \d+: validation loss (\S+)", log, re.M)[-1])


def counted(curve, tokens):
    """What counting reaches on so many tokens; the same as in src/text/suggestion.cpp."""
    result = []
    for order in ("unigram", "bigram", "trigram"):
        x = [math.log(point["tokens"]) for point in curve]
        y = [min(point[order] for point in curve[:i + 1]) for i in range(len(curve))]
        slope = [(y[i] - y[i + 1]) / (x[i + 1] - x[i]) * math.log(4) if x[i + 1] > x[i] else 0 for i in range(3)]
        wanted = math.log(tokens)
        if wanted > x[3]:
            ratio = min(0.95, max(0.3, slope[2] / slope[1])) if slope[2] > 0 and slope[1] > 0 else 0.3
            more = (wanted - x[3]) / math.log(4)
            result.append(y[3] - max(slope[2], 0) * ratio * (1 - ratio**more) / (1 - ratio))
        else:
            i = next((i for i in (0, 1) if wanted <= x[i + 1]), 2)
            result.append(y[i] - (wanted - x[i]) / math.log(4) * slope[i])
    return result


def facts_of(zhuyi, path, shape):
    tokens = {key: shape[key] for key in ("min_count", "bpe_vocabulary")}
    return json.loads(subprocess.check_output([zhuyi, "data", path, *words_of({**tokens, **kind_of_tokens(shape)}), "--format", "json"]))


def add_facts(row, facts, steps):
    """What the law needs to know of the text, and of how much of it these steps read."""
    read = min(facts["train"]["tokens"], steps * row["batch"] * row["context"])
    row.update(zip(TEXT, (facts["train"]["tokens"], facts["train"]["characters"], facts["vocabulary"], *counted(facts["counting"], read),
                          counted(facts["counting"], read / 4)[2], counted(facts["counting"], read / 16)[2])))
    for key in ("pilot_halfway", "pilot"): row[key] = facts.get(key, "")


def search(arguments):
    end = time.monotonic() + 60 * arguments.minutes
    done = {tuple(row[c] for c in COLUMNS[:len(SHAPE) + 2]) for row in table()}
    with tempfile.TemporaryDirectory() as made:
        for name, (tokens, works) in PLAN.items():
            path = text_file(arguments.folder, name, made)
            kind = {"min_count": 1, "bpe_vocabulary": 0, tokens.split("=")[0]: int(tokens.split("=")[1])}
            facts = facts_of(arguments.zhuyi, path, kind)
            for work, shapes in works:
                for words in shapes:
                    size, *more = words.split()
                    channels, layers = map(int, size.split("x"))
                    U = facts["train"]["tokens"]
                    small = U < 200_000
                    shape = {**kind, "channels": channels, "layers": layers, "context": 64, "batch": 8,
                             "learning_rate": 0.004 if U < 60_000 else 0.008 * min(1.5, 96 / channels),
                             "dropout": 0.25 if small else 0.0, "embedding_dropout": 0.0, "weight_decay": 0.5 if small else 0.1,
                             # as when the search began, so that sizes alone are compared
                             "tied": "yes", "order": "random", "beta1": 0.9, "beta2": 0.99}
                    shape.update({key: SHAPE[key](value) for key, value in (word.split("=") for word in more)})
                    row = {"text": name, "operations": f"{work:.2g}", **shape}
                    if tuple(str(row[c]) for c in COLUMNS[:len(SHAPE) + 2]) in done: continue
                    if time.monotonic() > end: return
                    batch = shape["batch"] * shape["context"]
                    steps = max(1, int(work / operations(channels, layers, shape["context"], facts["vocabulary"]) / batch))
                    add_facts(row, facts, steps)
                    row.update(steps=steps, loss=f"{train(arguments.zhuyi, path, shape, steps):.4f}")
                    add(row)


def table():
    return list(csv.DictReader(TABLE.open())) if TABLE.exists() else []


def add(row):
    new = not TABLE.exists()
    with TABLE.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new: writer.writeheader()
        writer.writerow({c: f"{v:.4f}" if c in [*TEXT, "pilot_halfway", "pilot"] and isinstance(v, float) else v for c, v in row.items()})
    print(*(row[c] for c in ("text", "operations", "channels", "layers", "batch", "steps", "loss")), flush=True)


# ---- the laws (src/text/suggestion.cpp, forecast): loss - trigram = sum of weight times feature; and loss - pilot, where there is one
def numbers(row):
    return {key: float(value) for key, value in row.items() if value != "" and key not in ("text", "tied", "order")}


def has_pilot(row):
    return row["pilot"] != "" and int(row["batch"]) * int(row["context"]) * int(row["steps"]) > 1.5 * PILOT_READS


def pilot_features(row):
    g = numbers(row)
    read, weights = g["batch"] * g["context"] * g["steps"], 12 * g["layers"] * g["channels"]**2
    longer, larger = math.log(read / PILOT_READS), math.log(weights / PILOT_WEIGHTS)
    left, lately = g["pilot"] - g["trigram"], g["pilot_halfway"] - g["pilot"]
    long_memory = left * (g["beta2"] > 0.99)
    every = weights + g["channels"] * g["vocabulary"]  # one table counted
    by_heart = math.log2(read / g["tokens"] * every / g["tokens"])
    of_pilot = PILOT_WEIGHTS + PILOT_CHANNELS * g["vocabulary"]
    return [g["trigram"], g["pilot"] * (row["order"] == "shuffled"), long_memory, long_memory * math.log(g["vocabulary"]), lately,
            lately * longer, left * longer, g["tokens"] / g["characters"] * longer,
            (g["quarter"] - g["trigram"]) * (1 - math.exp(-0.3 * longer)), left * by_heart, (g["bigram"] - g["trigram"]) * larger,
            left * math.log(every / of_pilot) * (row["tied"] == "no")]


def features(row):
    g = numbers(row)
    batch = g["batch"] * g["context"]
    few = math.sqrt(1000 / (g["steps"] * batch / (batch + 500) * 1524 / 1024))
    narrow = (12 * g["layers"] * g["channels"]**2 / 1e5)**-0.3
    spread = g["unigram"] - g["bigram"]
    fourfold, before = g["quarter"] - g["trigram"], g["sixteenth"] - g["quarter"]  # what counting gained from fourfold texts
    again = fourfold * math.log(max(1, 8 * (1 - math.exp(-batch * g["steps"] / g["tokens"] / 8))))
    return [1, spread, spread * few, g["tokens"] / g["characters"] * narrow, fourfold, before * narrow, again,
            g["trigram"] * (row["order"] == "shuffled")]


LAWS = {"trigram": features, "pilot": pilot_features}


def solve(rows, law):
    """Least squares; every text counts the same, and weights that nothing decides stay small."""
    features = LAWS[law]
    size, count = len(features(rows[0])), collections.Counter(row["text"] for row in rows)
    a = [[1e-3 * (i == k) for k in range(size)] + [0.0] for i in range(size)]
    for row in rows:
        x, weight = features(row), 1 / count[row["text"]]
        target = float(row["loss"]) - float(row[law])
        for i in range(size):
            for k in range(size): a[i][k] += weight * x[i] * x[k]
            a[i][size] += weight * x[i] * target
    for i in range(size):  # Gauss and Jordan
        pivot = max(range(i, size), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        a[i] = [v / a[i][i] for v in a[i]]
        for k in range(size):
            if k != i: a[k] = [v - a[k][i] * w for v, w in zip(a[k], a[i])]
    return [line[size] for line in a]


def solve_both(rows):
    return {"trigram": solve(rows, "trigram"), "pilot": solve([row for row in rows if has_pilot(row)], "pilot")}


def error(row, weights):
    law = "pilot" if has_pilot(row) else "trigram"
    return float(row[law]) + sum(w * x for w, x in zip(weights[law], LAWS[law](row))) - float(row["loss"])


def good(rows, within=0.08):
    """The law is of trainings that are worth doing: those close to the best with about as much work."""
    def key(row): return row["text"], row["bpe_vocabulary"] == "0", round(math.log(float(row["operations"]) / 8e11) / math.log(3.1))
    best = collections.defaultdict(lambda: 99.0)
    for row in rows: best[key(row)] = min(best[key(row)], float(row["loss"]))
    return [row for row in rows if float(row["loss"]) < best[key(row)] + within]


def fit(_):
    rows = good(table())
    for law, weights in solve_both(rows).items(): print(f"weights beside the {law}:", ", ".join(f"{w:.4f}" for w in weights))
    print("| text left out | trainings | mean error | largest |\n| --- | --- | --- | --- |")
    errors, of_texts = [], []
    for text in sorted({row["text"] for row in rows}):
        left_out = [row for row in rows if row["text"] == text]
        weights = solve_both([row for row in rows if row["text"] != text])
        found = [error(row, weights) for row in left_out]
        errors += [abs(e) for e in found]
        of_texts.append(sum(abs(e) for e in found) / len(found))
        print(f"| {text} | {len(found)} | {sum(found) / len(found):+.3f} | {max(map(abs, found)):.3f} |")
    errors.sort()
    print(f"mean of the texts {sum(of_texts) / len(of_texts):.3f}; of the trainings {sum(errors) / len(errors):.3f}, nine of ten within {errors[int(0.9 * len(errors))]:.3f}, worst {errors[-1]:.3f}")


def best(_):
    """Of each text and amount of work; what the law says of it that was fitted to the other texts."""
    print("| text | tokens | of them different | operations | channels × layers | batch × context | steps | rate | trigram | expected | found |\n" +
          "| --- " * 11 + "|")
    rows, groups = good(table()), collections.defaultdict(list)
    for row in rows: groups[row["text"], float(row["operations"])].append(row)
    for (text, work), found in sorted(groups.items()):
        row = min(found, key=lambda r: float(r["loss"]))
        expected = float(row["loss"]) + error(row, solve_both([r for r in rows if r["text"] != text]))
        kind = "byte pairs" if row["bpe_vocabulary"] != "0" else "characters"
        print(f"| {text} | {int(row['tokens']):,} | {int(row['vocabulary']):,} {kind} | {work:.1e} | {row['channels']} × {row['layers']} | {row['batch']} × {row['context']} | "
              f"{row['steps']} | {row['learning_rate']} | {float(row['trigram']):.2f} | {expected:.2f} | {float(row['loss']):.3f} |")


def check(arguments):
    print("| text | channels × layers | steps | expected | found | trigram | seconds |\n" + "| --- " * 7 + "|")
    for text in arguments.texts:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            subprocess.run([arguments.zhuyi, "train", text, "--out", folder + "/run", "--history=no", "--lang", "en"], check=True,
                           capture_output=True)
            seconds, log = time.monotonic() - begun, pathlib.Path(folder, "run", "log.txt").read_text()
            options = dict(re.findall(r"^(channels|layers|steps) = (\d+)", pathlib.Path(folder, "run", "run.conf").read_text(), re.M))
        found, expected, within = re.search(r"found (\S+), expected (\S+) ± (\S+)", log).groups()
        trigram = re.search(r"\(trigram (\S+)\)", log).group(1)
        print(f"| {pathlib.Path(text).stem} | {options['channels']} × {options['layers']} | {options['steps']} | "
              f"{expected} ± {within} | {found} | {trigram} | {seconds:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zhuyi", default=str(ROOT / "build" / "zhuyi"))
    commands = parser.add_subparsers(required=True)
    for work in (search, fit, best, check):
        command = commands.add_parser(work.__name__)
        command.set_defaults(work=work)
        if work is search:
            command.add_argument("folder")
            command.add_argument("--minutes", type=float, default=60)
        if work is check: command.add_argument("texts", nargs="+")
    arguments = parser.parse_args()
    arguments.work(arguments)


main()
