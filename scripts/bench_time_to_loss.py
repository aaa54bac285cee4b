#!/usr/bin/env python3
"""How long until Shakespeare's validation loss is 1.88: zhuyi with configs/shakespeare.conf beside nanoGPT's laptop recipe
in PyTorch.

    python3 scripts/bench_time_to_loss.py shakespeare.txt [--loss 1.88] [--rounds 5] [--threads 2]

Needs torch. First each side trains once and says after how many steps it is there (the loss is measured over the whole
validation part, in nats per character). Then steps of both are timed in turns, so that a slow minute of the machine slows
both; the time to the loss is the number of steps times the time of one, so that no evaluation is in it. A ratio is taken
within a round.
"""
import argparse
import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

from bench_peers import Gpt

ROOT = pathlib.Path(__file__).resolve().parent.parent
T, L, H, C, B = 64, 4, 4, 128, 12
STEPS, WARMUP, PEAK, END = 2000, 100, 1e-3, 1e-4  # nanoGPT's recipe
TIMED = 200  # steps a round


class Torch:
    """nanoGPT's recipe: AdamW, learned positions, a cosine; compiled where that works."""

    def __init__(self, text):
        kinds = sorted(set(text))
        ids = torch.tensor([kinds.index(c) for c in text])
        cut = len(ids) * 9 // 10
        self.training, self.validation = ids[:cut], ids[cut:]
        torch.manual_seed(1337)
        self.model = Gpt(T, len(kinds), L, H, C)
        matrices = [p for p in self.model.parameters() if p.dim() == 2]
        others = [p for p in self.model.parameters() if p.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=PEAK, betas=(0.9, 0.99), fused=True)
        self.run = torch.compile(self.model)

    def step(self, number):
        if number < WARMUP:
            rate = PEAK * (number + 1) / (WARMUP + 1)
        else:
            rate = END + (PEAK - END) * 0.5 * (1 + math.cos(math.pi * (number - WARMUP) / (STEPS - WARMUP)))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        at = torch.randint(len(self.training) - T, (B, 1))
        window = self.training[at + torch.arange(T + 1)]
        self.run(window[:, :-1], window[:, 1:]).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    @torch.no_grad()
    def loss(self):
        windows = (len(self.validation) - 1) // T
        ids = self.validation[: windows * T].view(windows, T)
        targets = self.validation[1 : windows * T + 1].view(windows, T)
        return sum(float(self.model(i, t)) * len(i) for i, t in zip(ids.split(256), targets.split(256))) / windows

    def steps_to(self, loss):
        for number in range(STEPS):
            self.step(number)
            if (number + 1) % 50 == 0 and (found := self.loss()) <= loss:
                break
        return number + 1, found

    def step_ms(self):
        begin = time.perf_counter()
        for _ in range(TIMED):
            self.step(STEPS)
        return 1e3 * (time.perf_counter() - begin) / TIMED


class Zhuyi:
    def __init__(self, options, folder):
        self.options, self.folder, self.runs = options, folder, 0

    def train(self, *more):
        self.runs += 1
        run = self.folder / str(self.runs)
        command = [self.options.zhuyi, "train", ROOT / "configs" / "shakespeare.conf", "--data", self.options.text, "--history=no"]
        command += ["--out", run, "--threads", str(self.options.threads), *more]
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        with open(run / "metrics.csv") as file:
            return time.perf_counter() - begin, list(csv.DictReader(file))

    def steps_to(self, loss):
        """The fewest steps, in twenties, of a training that ends at this loss: its rate falls to 0 at the end."""
        for steps in range(300, STEPS, 20):
            rows = self.train("--steps", str(steps), "--eval-every", str(steps))[1]
            found = float([row for row in rows if row["validation_loss"]][-1]["validation_loss"])
            if found <= loss:
                return steps, found
        sys.exit(f"zhuyi did not come to {loss}")

    def step_ms(self):
        """A short training is taken off: it has the same evaluations, checkpoints and beginning."""
        long = self.train("--steps", str(TIMED), "--eval-every", str(TIMED), "--warmup", "0")[0]
        short = self.train("--steps", "1", "--eval-every", "1", "--warmup", "0")[0]
        return 1e3 * (long - short) / (TIMED - 1)


def spread(numbers, digits=2):
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f}–{max(numbers):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--loss", type=float, default=1.88)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--zhuyi", default=str(ROOT / "build" / "zhuyi"), help="the program")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Zhuyi(options, pathlib.Path(folder)), Torch(options.text.read_text())
        (our_steps, our_loss), (their_steps, their_loss) = ours.steps_to(options.loss), theirs.steps_to(options.loss)
        print(f"zhuyi: {our_steps} steps to {our_loss:.3f}; nanoGPT's recipe in PyTorch: {their_steps} steps to {their_loss:.3f}")
        times = [(ours.step_ms(), theirs.step_ms()) for _ in range(options.rounds)]
    seconds = [(our_steps * a / 1e3, their_steps * b / 1e3) for a, b in times]
    print(f"a step, ms: {spread([a for a, _ in times], 1)} and {spread([b for _, b in times], 1)}")
    print(f"until then, s: {spread([a for a, _ in seconds], 1)} and {spread([b for _, b in seconds], 1)}")
    print(f"ratio: {spread([a / b for a, b in seconds], 3)}")


if __name__ == "__main__":
    main()
