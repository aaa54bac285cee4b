#!/usr/bin/env python3
"""Runs the configurations of `zhuyi bench` in PyTorch too, and says how many times as long it takes.

    python3 scripts/bench_peers.py [A B C E …] [--rounds 5] [--threads 2] [--precision fp32 bf16]

Needs torch. The model has the shape of nanoGPT's (scaled_dot_product_attention, tied output head, tanh GELU); the
optimizer is the fused AdamW after clip_grad_norm_; bf16 is CPU autocast. Every round measures zhuyi, then eager
PyTorch, then compiled PyTorch, some seconds each, so that a slow minute of the machine slows all of them; a ratio is
taken within a round. The faster of eager and compiled counts.

--yardstick measures one more program in every round: a command line in which {config}, {steps} and {threads} are
filled in, with a line `… median N ms …` in its output; --yardstick-bf16 is the one for bf16.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parent.parent

#           T     V      L   H   C    B
CONFIGS = {
    "A": (64, 65, 4, 4, 128, 12),
    "B": (16, 3000, 12, 4, 512, 4),
    "C": (64, 50257, 12, 12, 768, 4),
    "E": (1024, 50257, 12, 12, 768, 1),
}
STEPS = {"A": 60, "B": 15, "C": 4, "E": 2}  # some seconds a block


class Block(nn.Module):
    def __init__(self, C, H):
        super().__init__()
        self.H = H
        self.norm_1, self.norm_2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.QKV, self.O = nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.expand, self.contract = nn.Linear(C, 4 * C), nn.Linear(4 * C, C)

    def forward(self, x):
        B, T, C = x.shape
        heads = (t.view(B, T, self.H, C // self.H).transpose(1, 2) for t in self.QKV(self.norm_1(x)).split(C, dim=2))
        mix = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.O(mix.transpose(1, 2).reshape(B, T, C))
        return x + self.contract(F.gelu(self.expand(self.norm_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, T, V, L, H, C):
        super().__init__()
        self.token, self.position = nn.Embedding(V, C), nn.Embedding(T, C)
        self.blocks = nn.ModuleList(Block(C, H) for _ in range(L))
        self.norm = nn.LayerNorm(C)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                deep = name.endswith(("O.weight", "contract.weight"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * L) if deep else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    def forward(self, ids, targets):
        x = self.token(ids) + self.position.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.token.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class Torch:
    """One configuration in PyTorch; compiled or not is a matter of each step."""

    def __init__(self, config, precision):
        T, V, L, H, C, self.B = config
        self.T, self.V, self.bf16 = T, V, precision == "bf16"
        torch.manual_seed(1337)
        self.model = Gpt(T, V, L, H, C)
        self.compiled = None
        matrices = [p for p in self.model.parameters() if p.dim() == 2]
        others = [p for p in self.model.parameters() if p.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.99), fused=True)

    def compile(self):
        """Whether torch.compile works here: it needs a C++ compiler."""
        try:
            self.compiled = torch.compile(self.model)
            self.step(self.compiled)
            return True
        except Exception as error:  # whatever it is, eager remains
            print(f"no torch.compile: {str(error).splitlines()[0]}", file=sys.stderr)
            return False

    def step(self, model):
        ids = torch.randint(self.V, (self.B, self.T))
        targets = torch.randint(self.V, (self.B, self.T))
        begin = time.perf_counter()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            loss = model(ids, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        loss.item()
        return 1e3 * (time.perf_counter() - begin)

    def median_ms(self, model, steps):
        for _ in range(2):
            self.step(model)
        return statistics.median(self.step(model) for _ in range(steps))


def output_of(command, options, **more):
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
    result = subprocess.run(command, env=environment, capture_output=True, text=True, **more)
    if result.returncode:
        sys.exit(f"{command} failed:\n{result.stderr}")
    return result.stdout


def zhuyi(name, precision, steps, options):
    command = [options.zhuyi, "bench", name, "--json", "--only-steps", "--steps", str(steps)]
    command += ["--threads", str(options.threads), "--precision", precision]
    found = json.loads(output_of(command, options))
    return found, found["configurations"][0]


def yardstick(command, name, steps, options):
    filled = command.replace("{config}", name).replace("{steps}", str(steps + 3)).replace("{threads}", str(options.threads))
    output = output_of(filled, options, shell=True)
    found = re.search(r"median\s+([0-9.]+)\s*ms", output)
    if not found:
        sys.exit(f"{filled}: expected a line with `median N ms`, found:\n{output}")
    return float(found.group(1))


def measure(name, precision, options):
    """Medians in ms, one a round, of each runner; and zhuyi's fraction of the peak."""
    steps = options.steps or STEPS[name]
    other = options.yardstick_bf16 if precision == "bf16" else options.yardstick
    peer = None if options.no_torch else Torch(CONFIGS[name], precision)
    compiled = peer and not options.no_compile and peer.compile()
    times = {"zhuyi": []}
    fractions, machine = [], {}
    for number in range(options.rounds):
        print(f"{name} {precision}: round {number + 1} of {options.rounds}", file=sys.stderr)

        def note(who, ms):
            times.setdefault(who, []).append(ms)
            time.sleep(0.5)  # idle threads of whoever was first stop spinning

        machine, found = zhuyi(name, precision, steps, options)
        fractions.append(found["fraction_of_peak"])
        note("zhuyi", found["step_ms"])
        if other:
            note("yardstick", yardstick(other, name, steps, options))
        if peer:
            note("eager", peer.median_ms(peer.model, steps))
        if compiled:
            note("compiled", peer.median_ms(peer.compiled, steps))
    return times, fractions, machine


def spread(numbers, digits=2):
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f}–{max(numbers):.{digits}f})"


def row(name, precision, times, fractions):
    peers = {who: times[who] for who in ("eager", "compiled") if who in times}
    ratio = lambda over, under: spread([a / b for a, b in zip(over, under)])
    cells = [f"{name} {precision}", spread(times["zhuyi"], 1)]
    if peers:
        faster = min(peers, key=lambda who: statistics.median(peers[who]))
        cells += [f"{spread(peers[faster], 1)} {faster}", ratio(peers[faster], times["zhuyi"])]
    else:
        cells += ["", ""]
    cells += [ratio(times["zhuyi"], times["yardstick"]) if "yardstick" in times else "", spread(fractions)]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="A B C E; A and B when none is given")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=0, help="of a block; 0: some seconds' worth")
    parser.add_argument("--precision", nargs="+", choices=["fp32", "bf16"], default=["fp32", "bf16"])
    parser.add_argument("--zhuyi", default=str(ROOT / "build" / "zhuyi"), help="the program")
    parser.add_argument("--no-compile", action="store_true", help="eager PyTorch only")
    parser.add_argument("--no-torch", action="store_true", help="only zhuyi and the yardstick")
    parser.add_argument("--yardstick", default="", metavar="COMMAND")
    parser.add_argument("--yardstick-bf16", default="", metavar="COMMAND")
    options = parser.parse_args()
    for name in options.configs:
        if name not in CONFIGS:
            parser.error(f"no configuration {name!r}; there are {', '.join(CONFIGS)}")

    torch.set_num_threads(options.threads)
    lines, machine = [], {}
    for name in options.configs or ["A", "B"]:
        for precision in options.precision:
            times, fractions, machine = measure(name, precision, options)
            lines.append(row(name, precision, times, fractions))
    print(f"{machine['processor']}, {options.threads} threads, zhuyi with {machine['kernels']} kernels, "
          f"PyTorch {torch.__version__}, Python {platform.python_version()}")
    print(f"Medians of {options.rounds} interleaved rounds (least–most); ms are of a training step.\n")
    print("| config | zhuyi ms | PyTorch ms | PyTorch ÷ zhuyi | zhuyi ÷ yardstick | of the fp32 peak |")
    print("| --- | --- | --- | --- | --- | --- |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
