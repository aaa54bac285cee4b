#!/usr/bin/env python3
"""What data/README.md says of runs of configs/village.conf: a row of its table of seeds for each run.

    python3 scripts/village_figures.py build/zhuyi RUN [RUN …]        from the root of the repository
"""
import collections
import json
import re
import subprocess
import sys

import village_checking
from village_telling import Teller
from xxh64 import ALL, xxh64

FREE = "tests/probe/free_sentences.txt"
DOCUMENTS, RUN = 200, 20  # written by the model, and by the village's own program; characters of a run


def mix(z):
    """As zhuyi mixes bits (src/base/random.h)."""
    z = (z + 0x9E3779B97F4A7C15) & ALL
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & ALL
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & ALL
    return z ^ z >> 31


def runs_of(documents):
    return [document[i:i + RUN] for document in documents for i in range(len(document) - RUN + 1)]


def share(documents, known):
    runs = runs_of(documents)
    return 100 * sum(run in known for run in runs) / len(runs)


def documents_of(text):
    return [part.strip() for part in re.sub(r"^\[\d+\]$", "", text, flags=re.MULTILINE).split("\n\n") if part.strip()]


def free_sentences_right(rules):
    """How many of FREE are right, and the lowest share of a rule."""
    with open(FREE, encoding="utf-8") as file:
        asked = collections.Counter(line.split(" | ")[0] for line in file if not line.startswith("#"))
    shares = {rule["rule"]: rule["form"]["right"] for rule in rules}
    return sum(round(shares[rule] * count) for rule, count in asked.items()), sum(asked.values()), min(shares.values())


def main():
    zhuyi, runs = sys.argv[1], sys.argv[2:]
    with open("data/village.txt", encoding="utf-8") as file:
        text = documents_of(file.read())
    # the training part, by the hash of each document (src/text/corpus.cpp)
    train = set(runs_of(d for d in text if (mix(xxh64(d.encode())) >> 11) * 2.0 ** -53 >= 0.1))
    teller = Teller(2, text)
    fresh = share([teller.document().text for _ in range(DOCUMENTS)], train)
    print("fresh documents: %.1f %% of their runs of %d characters stand in the training part" % (fresh, RUN))
    for run in runs:
        def ask(*words):
            return subprocess.run([zhuyi, *words], capture_output=True, text=True, check=True).stdout
        known = json.loads(ask("probe", run, "--ablate", "--json"))
        rules = known["rules"]
        weight = {rule["rule"]: rule["looks"]["weight"] for rule in rules}
        cost = [max(map(max, heads)) for heads in known["heads"]["mean"].values()]
        free = free_sentences_right(json.loads(ask("probe", run, "--probes", FREE, "--json"))["rules"])
        worst = [rule["worst"] for rule in rules if rule["worst"]]
        worst = min(worst, key=lambda answer: answer["right"] / answer["asked"])
        loss = json.loads(ask("eval", run, "--by", "document", "--json"))
        written = documents_of(ask("sample", run, "--count", str(DOCUMENTS), "--seed", "1"))
        checker = village_checking.Checker()
        kept, scenes = map(sum, zip(*map(checker.check, written)))
        closed = sum(document.count("“") == document.count("”") for document in written)
        print("%s: %d rules known; lowest share right %.1f seen, %.1f new, %.1f in a new form; worst answer %s %d/%d; "
              "free sentences %d of %d, of a rule %.0f %% or more; weight %.2f on those meant, %.2f on a name; %d rules lose 30 "
              "points without a head; %.4f above the floor; %.1f %% of the scenes keep every rule, %.1f %% closed; %.1f %% of the runs"
              % (run, sum(rule["known_since"] is not None for rule in rules),
                 *(100 * min(rule[kind]["right"] for rule in rules) for kind in ("seen", "new", "form")),
                 worst["answer"], worst["right"], worst["asked"], *free[:2], 100 * free[2], weight["他/她/它"],
                 weight["名字再现"], sum(points >= 30 for points in cost), loss["nats_per_character"] - loss["floor"],
                 100 * kept / scenes, 100 * closed / len(written), share(written, train)))


if __name__ == "__main__":
    main()
