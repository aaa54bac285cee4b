#!/usr/bin/env python3
"""How many lines of src/ the tests have run, by folder, and which of them they have not.

    make coverage      builds with gcov's counters, runs the tests, calls this with its folder

A line counts when any object that holds it has run it: a header is compiled into many, the kernels four times.
Exit code 1 below LEAST percent.
"""
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

LEAST = 90


def counters(build):
    """{file: {line: times}} of everything below src/."""
    data = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith(".gcda")]
    if not data:
        sys.exit(f"{build}: expected counters (*.gcda) of a build that has run, found none. `make coverage` makes them.")
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    with tempfile.TemporaryDirectory() as scratch:
        paths = [os.path.abspath(path) for path in data]
        for at in range(0, len(paths), 50):
            # gcov writes one file for each object, all named after it; --hash-filenames keeps them apart.
            subprocess.run(["gcov", "--json-format", "--hash-filenames", "--preserve-paths", *paths[at : at + 50]],
                           cwd=scratch, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in os.listdir(scratch):
            with gzip.open(os.path.join(scratch, name)) as file:
                for source in json.load(file)["files"]:
                    path = os.path.normpath(source["file"])  # units include "./src/…"
                    if path.startswith("src/"):
                        for line in source["lines"]:
                            lines[path][line["line_number"]] += line["count"]
    return lines


def ranges(numbers):
    """[3, 4, 5, 9] -> "3-5 9"."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}-{b}" if a < b else str(a) for a, b in parts)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/coverage.py BUILD")
    folders = collections.defaultdict(lambda: [0, 0])
    for path, lines in sorted(counters(sys.argv[1]).items()):
        missed = [number for number, times in lines.items() if times == 0]
        if missed:
            print(f"{path}: {ranges(missed)}")
        for name in (path.split("/")[1] if path.count("/") > 1 else "main", "all"):
            folders[name][0] += len(lines) - len(missed)
            folders[name][1] += len(lines)
    print(f"\n{'folder':10} {'run':>6} {'lines':>6}")
    for name, (run, lines) in sorted(folders.items(), key=lambda item: item[0] == "all"):
        print(f"{name:10} {run:6} {lines:6} {100 * run / lines:6.1f} %")
    run, lines = folders["all"]
    if 100 * run < LEAST * lines:
        sys.exit(f"expected {LEAST} % of the lines at least")


if __name__ == "__main__":
    main()
