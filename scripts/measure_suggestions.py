#!/usr/bin/env python3
"""What `zhuyi train TEXT` makes of texts of several sizes, with nothing but the text named: the model it proposes, the steps,
the best validation loss and the time.

    python3 scripts/measure_suggestions.py [--threads N] [--zhuyi build/zhuyi] [--options "--optimizer adamw"] TEXT …

Prints a table in Markdown.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--zhuyi", default="build/zhuyi")
    parser.add_argument("--options", default="", help="more for each training")
    arguments = parser.parse_args()
    print("| text | characters | C | blocks | steps | nats per character, best | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for text in arguments.texts:
        data = json.loads(subprocess.check_output([arguments.zhuyi, "data", text, "--json"]))
        with tempfile.TemporaryDirectory() as folder:
            run = folder + "/run"
            begun = time.monotonic()
            subprocess.run([arguments.zhuyi, "train", text, "--out", run, "--threads", arguments.threads,
                            *shlex.split(arguments.options)], check=True, capture_output=True)
            seconds = time.monotonic() - begun
            score = json.loads(subprocess.check_output([arguments.zhuyi, "eval", run, "--json"]))
            options = dict(line.split("#")[0].split(" = ", 1) for line in
                           pathlib.Path(run, "run.conf").read_text().splitlines() if " = " in line and line[0] != "#")
        shape = [options[name].strip() for name in ("channels", "layers", "steps")]
        print(f"| {pathlib.Path(text).stem} | {data['characters']:,} | {' | '.join(shape)} | "
              f"{score['nats_per_character']:.3f} | {seconds:.0f} |", flush=True)


main()
