#!/usr/bin/env python3
"""Writes tests/golden/torch_gpt.safetensors: small GPTs computed by PyTorch, which tests/model/golden_test.cpp
compares with ours — scores, loss, every gradient, and the weights after three steps of AdamW, or of Muon.

    python3 scripts/golden_torch.py [--check]

Needs torch and safetensors. --check writes nothing and says whether the committed file holds the same numbers (to
1e-12: PyTorch may add in another order on another machine). Everything is in double, so that what remains between the
two is rounding in ours.
"""
import argparse
import math
import pathlib
import sys

import safetensors.torch
import torch
import torch.nn.functional as F

PATH = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden" / "torch_gpt.safetensors"
B, T, C, H, L, FF, V = 2, 8, 12, 3, 2, 20, 17
STEPS, RATE, BETAS, EPSILON, DECAY, CLIP = 3, 1e-2, (0.9, 0.95), 1e-8, 0.1, 0.5


# what differs between the models that are computed
KINDS = {"tied.": dict(tied=True, rotary=False), "untied.": dict(tied=False, rotary=False),
         "rotary.": dict(tied=True, rotary=True), "muon.": dict(tied=True, rotary=True, muon=True)}
MOMENTUM = 0.95
POLAR_EXPRESS = ((7.8327090, -21.4357903, 15.1063201), (3.5821168, -2.5766242, 0.4872445), (2.7044521, -2.0123759, 0.4565303))


def parameters(tied, rotary):
    """Shapes under our names, matrices [in, out]; every value drawn, so that no gradient is zero by accident."""
    shapes = {"embedding.token": (V, C)} | ({} if rotary else {"embedding.position": (T, C)})
    for block in range(L):
        p = f"block.{block}."
        for norm in ("norm_1", "norm_2"):
            shapes |= {p + norm + ".gamma": (C,), p + norm + ".beta": (C,)}
        for letter in "QKVO":
            shapes |= {p + "attention.W_" + letter: (C, C), p + "attention.b_" + letter: (C,)}
        shapes |= {p + "ffn.W_1": (C, FF), p + "ffn.b_1": (FF,), p + "ffn.W_2": (FF, C), p + "ffn.b_2": (C,)}
    shapes |= {"final_norm.gamma": (C,), "final_norm.beta": (C,)}
    if not tied:
        shapes["head.W"] = (C, V)
    generator = torch.Generator().manual_seed(20)
    values = {}
    for name, shape in shapes.items():
        value = 0.3 * torch.randn(shape, generator=generator, dtype=torch.float64)
        # stored as float32 below: start from numbers that float32 holds exactly
        values[name] = (value + name.endswith("gamma")).float().double()
    return values


def turned(x):
    """Rotary positions of x (B, H, T, D): channels i and i + D/2 are a point, turned by t · 10000^(-2i/D)."""
    half = x.shape[-1] // 2
    angles = torch.arange(T).double()[:, None] * 10000.0 ** (-torch.arange(half).double() / half)
    a, b, cosines, sines = x[..., :half], x[..., half:], angles.cos(), angles.sin()
    return torch.cat([a * cosines - b * sines, a * sines + b * cosines], dim=-1)


def logits(p, ids):
    rotary = "embedding.position" not in p
    x = p["embedding.token"][ids] + (0 if rotary else p["embedding.position"])
    for block in range(L):
        q = lambda name: p[f"block.{block}.{name}"]
        n = F.layer_norm(x, (C,), q("norm_1.gamma"), q("norm_1.beta"), 1e-5)
        heads = lambda letter: (n @ q("attention.W_" + letter) + q("attention.b_" + letter)).view(B, T, H, C // H).transpose(1, 2)
        queries, keys = (turned(heads(letter)) if rotary else heads(letter) for letter in "QK")
        scores = queries @ keys.transpose(2, 3) / math.sqrt(C // H)
        scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
        mix = (scores.softmax(-1) @ heads("V")).transpose(1, 2).reshape(B, T, C)
        x = x + mix @ q("attention.W_O") + q("attention.b_O")
        n = F.layer_norm(x, (C,), q("norm_2.gamma"), q("norm_2.beta"), 1e-5)
        x = x + F.gelu(n @ q("ffn.W_1") + q("ffn.b_1"), approximate="tanh") @ q("ffn.W_2") + q("ffn.b_2")
    x = F.layer_norm(x, (C,), p["final_norm.gamma"], p["final_norm.beta"], 1e-5)
    return x @ (p["head.W"] if "head.W" in p else p["embedding.token"].T)


def orthogonal(X):
    """About U V^T of X = U S V^T: three odd polynomials of the whole matrix (Polar Express, Amsel et al. 2025)."""
    X = X / (1.02 * (X @ X.T).norm()).sqrt()
    for a, b, c in POLAR_EXPRESS:
        G = X @ X.T
        X = a * X + b * G @ X + c * G @ G @ X
    return X


@torch.no_grad()
def muon_step(matrices, means):
    """Muon (Jordan 2024), every matrix by itself."""
    for name, w in matrices.items():
        means[name] = MOMENTUM * means[name] + (1 - MOMENTUM) * w.grad
        u = MOMENTUM * means[name] + (1 - MOMENTUM) * w.grad
        w.mul_(1 - RATE * DECAY).sub_(RATE * 0.2 * math.sqrt(max(w.shape)) * orthogonal(u))


def run(tied, rotary, muon=False):
    p = {name: value.clone().requires_grad_() for name, value in parameters(tied, rotary).items()}
    matrices = {name: w for name, w in p.items() if muon and ".W_" in name}
    means = {name: torch.zeros_like(w) for name, w in matrices.items()}
    rest = [w for name, w in p.items() if name not in matrices]
    out = {"weights." + name: value.detach().clone() for name, value in p.items()}
    tokens = torch.randint(V, (STEPS, 2, B, T), generator=torch.Generator().manual_seed(7))
    out["ids"], out["targets"] = tokens[:, 0].to(torch.int32), tokens[:, 1].to(torch.int32)
    groups = [{"params": [w for w in rest if w.dim() == 2], "weight_decay": DECAY},
              {"params": [w for w in rest if w.dim() == 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=EPSILON)
    losses = []
    for step in range(STEPS):
        for w in p.values():
            w.grad = None
        scores = logits(p, tokens[step, 0])
        loss = F.cross_entropy(scores.view(B * T, V), tokens[step, 1].view(-1))
        loss.backward()
        losses.append(loss.detach())
        if step == 0:
            out["logits"] = scores.detach()
            out |= {"gradient." + name: value.grad.clone() for name, value in p.items()}
        torch.nn.utils.clip_grad_norm_(p.values(), CLIP)
        optimizer.step()
        muon_step(matrices, means)
    out["losses"] = torch.stack(losses)
    return out | {"after." + name: value.detach() for name, value in p.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    tensors = {}
    for prefix, kind in KINDS.items():
        tensors |= {prefix + k: v.contiguous() for k, v in run(**kind).items()}
    if not check:
        safetensors.torch.save_file(tensors, PATH, {"format": "pt", "written_by": "scripts/golden_torch.py"})
        return print(f"{PATH.name}: {len(tensors)} tensors")
    stored = safetensors.torch.load_file(PATH)
    worst = max((stored[k].double() - v.double()).abs().max().item() for k, v in tensors.items())
    print(f"{PATH.name}: largest difference {worst:.1e}")
    sys.exit(worst > 1e-12)


main()
