#!/usr/bin/env python3
"""Flips one sign or operator after the other in the sources, and shows which flips the tests notice.

    scripts/mutate.py [FILE …]           default: ops, optimizer, schedule and update; about a quarter of an hour
    scripts/mutate.py --list [FILE …]    the flips alone

Works on a copy of the tree in build/mutants, where each flip costs one compilation and the tests of its own folder, of
ops/, model/ and train/, first with double numbers (the gradient checks), then with float. A flip that survives is a missing test, or it
changes nothing that can be seen: then it stands in EQUIVALENT with the reason. Exit code 1 if another one survives, or one
was not tested because compiling it took too long.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.join(ROOT, "build", "mutants")
DEFAULT = ["src/ops", "src/train/optimizer.cpp", "src/train/config.cpp", "src/train/update.cpp",
           *(f"src/kernels/{name}.h" for name in ("elementwise", "layer_norm", "cross_entropy", "gelu", "embedding", "attention"))]
FOLDERS = "base system formats kernels text autograd ops model train"
SECONDS = 120  # for tests: a flip may make a loop endless, and is noticed by that
COMPILE_SECONDS = 600  # a flip in a header compiles much anew

# clang-format puts a space on both sides of a binary operator, so templates and pointers are left alone.
FLIPS = [
    (r"(?<= )\+(?= )", "-"), (r"(?<= )-(?= )", "+"), (r"(?<= )\*(?= )", "/"), (r"(?<= )/(?= )", "*"),
    (r"(?<= )\+=(?= )", "-="), (r"(?<= )-=(?= )", "+="), (r"(?<= )\*=(?= )", "/="), (r"(?<= )/=(?= )", "*="),
    (r"(?<= )<(?= )", "<="), (r"(?<= )<=(?= )", "<"), (r"(?<= )>(?= )", ">="), (r"(?<= )>=(?= )", ">"),
    (r"(?<= )==(?= )", "!="), (r"(?<= )!=(?= )", "=="), (r"(?<= )&&(?= )", "||"), (r"(?<= )\|\|(?= )", "&&"),
    (r"(?<=[ (,{])-(?=[\w(])", ""), (r"(?<=[ (])!(?=[\w(])", ""),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
]

# "file: the line as it stands after the flip": why nobody can tell it from the right one.
EQUIVALENT = {
    "src/train/optimizer.cpp: double clip_scale(double norm, double clip) { return clip > 0 && norm >= clip ? clip / norm : 1; }":
        "a norm that is the limit is scaled by 1 either way",
}


def sources(arguments):
    for path in arguments or DEFAULT:
        full = os.path.join(ROOT, path)
        if os.path.isdir(full):
            yield from sorted(os.path.join(path, name) for name in os.listdir(full) if name.endswith(".cpp"))
        else:
            yield path


def flips(path):
    """(line number, the whole text with one flip, the flipped line) for each place."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines):
        code = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text[0]), line.split("//")[0])  # columns stay
        if code.lstrip().startswith("#") or "template" in code:
            continue
        for pattern, replacement in FLIPS:
            for place in re.finditer(pattern, code):
                flipped = line[: place.start()] + replacement + line[place.end() :]
                yield number + 1, "\n".join(lines[:number] + [flipped] + lines[number + 1 :]), flipped.strip()


def run(command, seconds):
    try:
        return subprocess.run(command, cwd=TREE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return "no end"


def make(target):
    return run(["make", f"-j{os.cpu_count()}", f"BUILD={TREE}/build", f"FOLDERS={FOLDERS}", "WERROR=", *OPTIONS, f"{TREE}/build/{target}"], COMPILE_SECONDS)


def fate(path):
    """What becomes of the tree as it stands, by every test near the file."""
    near = ",".join(f"*tests/{folder}/*" for folder in (path.split("/")[1], "ops", "model", "train"))
    for program in ("test_double", "test_float"):
        made = make(program)
        if made != 0:
            return "not tested" if made == "no end" else "does not compile"
        if run([f"{TREE}/build/{program}", "--abort-after=1", f"--source-file={near}"], SECONDS) != 0:
            return "killed"
    return "SURVIVED"


def main():
    arguments = [word for word in sys.argv[1:] if word.startswith("src/")]
    if "--list" in sys.argv:
        for path in sources(arguments):
            for number, _, line in flips(path):
                print(f"{path}:{number}: {line}")
        return 0
    os.makedirs(TREE, exist_ok=True)
    for part in ("src", "tests", "data"):  # with their times, so that what is built stays built
        shutil.rmtree(os.path.join(TREE, part), ignore_errors=True)
        shutil.copytree(os.path.join(ROOT, part), os.path.join(TREE, part))
    shutil.copy2(os.path.join(ROOT, "Makefile"), TREE)
    for path in {*sources([]), *sources(arguments)}:  # an object of a flip, left by a script that was stopped, is made anew
        os.utime(os.path.join(TREE, path))
    if fate("src/ops") != "SURVIVED":
        sys.exit("the tests must pass before anything is flipped")
    counts, unexplained = collections.Counter(), []
    for path in sources(arguments):
        original = os.path.join(TREE, path)
        with open(original, encoding="utf-8") as file:
            right = file.read()
        try:
            for number, text, line in flips(path):
                begin = time.time()
                with open(original, "w", encoding="utf-8") as file:
                    file.write(text)
                outcome = fate(path)
                reason = EQUIVALENT.get(f"{path}: {line}") if outcome == "SURVIVED" else None
                if reason:
                    outcome = "equivalent"
                counts[outcome] += 1
                if outcome in ("SURVIVED", "not tested"):
                    unexplained.append(f"{outcome}: {path}:{number}: {line}")
                print(f"{path}:{number}: {line}\n    {outcome}{f': {reason}' if reason else ''} ({time.time() - begin:.0f} s)", flush=True)
        finally:
            with open(original, "w", encoding="utf-8") as file:
                file.write(right)
    print("\n" + ", ".join(f"{counts[word]} {word}" for word in ("killed", "equivalent", "does not compile", "SURVIVED", "not tested")))
    print("\n".join(unexplained))
    return 1 if unexplained else 0


OPTIONS = [word for word in sys.argv[1:] if "=" in word]  # for make: CXX=…

if __name__ == "__main__":
    sys.exit(main())
