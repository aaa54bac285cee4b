#!/usr/bin/env python3
"""Tells data/village.txt: a small world whose rules are known, so that one can ask what a model has learned of them.

    python3 scripts/village.py --out data/village.txt --floor data/village.floor --probes data/village_probes.txt
    python3 scripts/village.py --read 20         documents, to be read aloud
    python3 scripts/village.py --check FILE      how many scenes of FILE keep every rule
    python3 scripts/village.py --fresh 200       documents of the same world that are not in the text

Who lives in the village, what is true there and how it is told stands in village_world.py: a new rule is a few lines
there, and its first comment says which. The same seed gives the same bytes everywhere.
"""
import argparse
import collections
import re
import struct
import sys

import village_asking
import village_checking
from village_telling import Teller
from xxh64 import xxh64

FLOOR = """# What no model can be better than on average, in nats per character: the sum of -ln p of the choices that
# scripts/village.py made, over all characters; a document's end counts as one. An upper bound of the truth: two ways
# of choosing can give the same document.
text_hash = %s
nats_per_character = %.4f
"""


def text_hash(documents):
    """As zhuyi names a text: each document's length in bytes, then its bytes."""
    encoded = [document.encode() for document in documents]
    return "%016x" % xxh64(b"".join(struct.pack("<Q", len(bytes_)) + bytes_ for bytes_ in encoded))


def village(seed, characters):
    """(the documents of the text, the floor)"""
    teller, tales, size = Teller(seed), [], 0
    while size < characters:
        tales.append(teller.document())
        size += len(tales[-1].text)
    return [tale.text for tale in tales], teller.floor(tales)


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def check(path):
    """Every scene that keeps all rules, of the documents of a file; 1 where one does not. `zhuyi sample` numbers them."""
    checker = village_checking.Checker()
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^\[\d+\]$", "", file.read(), flags=re.MULTILINE)
    documents = [document.strip() for document in text.split("\n\n") if document.strip()]
    kept, scenes = map(sum, zip(*[checker.check(document) for document in documents]))
    balanced = sum(document.count("“") == document.count("”") for document in documents)
    print("scenes that keep every rule: %d of %d (%.1f %%)" % (kept, scenes, 100 * kept / scenes))
    print("documents with balanced quotes: %d of %d (%.1f %%)" % (balanced, len(documents), 100 * balanced / len(documents)))
    return kept < scenes or balanced < len(documents)


def report(documents, floor):
    count = collections.Counter("".join(documents))
    rare = "".join(sorted(c for c, n in count.items() if n < 20))
    print("%d documents of %d to %d characters, %d in all, %d distinct; fewer than 20 times: %s; floor %.4f nats per character"
          % (len(documents), min(map(len, documents)), max(map(len, documents)), sum(map(len, documents)), len(count),
             rare or "none", floor))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--out", help="write the text")
    options.add_argument("--floor", help="write the nats per character that no model can be better than")
    options.add_argument("--probes", help="write the questions")
    options.add_argument("--characters", type=int, default=400000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--read", type=int, metavar="N", help="print N documents")
    options.add_argument("--check", metavar="FILE", help="count the scenes that keep every rule")
    options.add_argument("--fresh", type=int, metavar="N", help="print N documents that are not in the text")
    chosen = options.parse_args()
    if chosen.check:
        return check(chosen.check)
    documents, floor = village(chosen.seed, chosen.characters)
    if chosen.read:
        return print("\n\n".join(documents[:chosen.read]))
    if chosen.fresh:
        teller = Teller(chosen.seed + 1, documents)
        return print("\n\n".join(teller.document().text for _ in range(chosen.fresh)))
    report(documents, floor)
    if chosen.out:
        write(chosen.out, "\n\n".join(documents) + "\n")
    if chosen.floor:
        write(chosen.floor, FLOOR % (text_hash(documents), floor))
    if chosen.probes:
        write(chosen.probes, village_asking.as_text(village_asking.questions(chosen.seed + 2)))


if __name__ == "__main__":
    sys.exit(main())
