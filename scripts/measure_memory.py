#!/usr/bin/env python3
"""Holds the memory that `train` says it needs against what it then took, in ten configurations.

    python3 scripts/measure_memory.py [ZHUYI]

One line each: what was said, the peak of the process (VmHWM, so Linux only), and whether the two are within
10 % or 8 MiB of each other. Exits 1 if one is not.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ZHUYI = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/zhuyi")
DATA = os.path.abspath("data")
UNITS = {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}
SMALL = "--channels 16 --heads 2 --layers 1 --batch 2 --context 16 --steps 8"
LARGE = "--channels 128 --heads 4 --layers 4 --batch 8 --context 128 --steps 6"

CONFIGURATIONS = {
    "the smallest": f"village.txt {SMALL}",
    "C 128, L 4, T 128, B 8": f"village.txt {LARGE}",
    "without its history": f"village.txt {LARGE} --history=no",
    "with probes": f"village.txt {SMALL} --probes village_probes.txt",
    "with byte pairs": f"stories.txt {LARGE} --tokenizer bpe --bpe-vocabulary 2048",
    "with Muon, rotary": f"stories.txt {LARGE} --optimizer muon --position rotary",
    "a long text": f"long.txt {SMALL}",
    "a text that repeats nothing": f"noise.txt {SMALL}",
    "byte pairs of it": f"noise.txt {SMALL} --tokenizer bpe --bpe-vocabulary 2048",
    "wide": "stories.txt --channels 512 --heads 8 --layers 2 --batch 4 --context 64 --steps 3",
}


def run(words, folder):
    """Returns the MiB that were said, and the MiB at the peak."""
    with open(os.path.join(folder, "err"), "w+b") as err:
        process = subprocess.Popen([ZHUYI, "train", *words], cwd=folder, stderr=err)
        peak = 0
        # (ru_maxrss would count what this interpreter held before it became the program.)
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as status:
                peak = max([peak, *(int(line.split()[1]) for line in status if line.startswith("VmHWM"))])
            time.sleep(0.002)
        err.seek(0)
        text = err.read().decode()
    if process.returncode != 0:
        sys.exit(text)
    said, unit = re.search(r"memory +about ([\d.]+) (KiB|MiB|GiB)", text).groups()
    return float(said) * UNITS[unit], peak / 1024


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("village.txt", "village_probes.txt", "stories.txt"):
            os.symlink(os.path.join(DATA, name), os.path.join(folder, name))
        with open(os.path.join(DATA, "stories.txt"), encoding="utf-8") as stories:
            text = stories.read()
        with open(os.path.join(folder, "long.txt"), "w", encoding="utf-8") as long:
            long.write(text * (20_000_000 // len(text.encode()) + 1))
        with open(os.path.join(folder, "noise.txt"), "w", encoding="utf-8") as noise:
            draw = random.Random(1)
            noise.write("".join(chr(0x4E00 + draw.randrange(3000)) + "\n\n" * (draw.random() < 0.01) for _ in range(2_000_000)))
        for number, (name, words) in enumerate(CONFIGURATIONS.items()):
            words = words.split() + ["--out", f"run{number}", "--threads", "2"]
            said, peak = run(words, folder)
            good = abs(said - peak) <= max(0.1 * peak, 8)
            wrong += not good
            print(f"{name:24} said {said:8.1f} MiB   peak {peak:8.1f} MiB   {'ok' if good else 'WRONG'}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
