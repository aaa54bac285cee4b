#!/usr/bin/env python3
"""Continues the training of an exported model with PyTorch, on one machine or many.

    zhuyi export runs/stories --to hf stories_hf
    python3 scripts/continue_with_torch.py stories_hf --data more.txt --out trained_hf --steps 2000
    torchrun --nproc-per-node 4 scripts/continue_with_torch.py stories_hf --data more.txt --out trained_hf
    zhuyi import trained_hf runs/trained

Needs torch, transformers, tokenizers, safetensors. Every process holds the whole model (DistributedDataParallel) and
reads its own windows of the text. Options have the names and defaults that they have in zhuyi, and mean the same: the
same learning rate at the same step, the same decay of matrices alone, the same clipping, the same Muon. With one
process, the same seed and --split tail there, even the windows are the same ones; P processes with accumulate = A read
what one with accumulate = P A would.

OUT is a Hugging Face folder at any time, of the last save, beside the optimizer's state (training.pt) for --resume.
"""
import argparse
import contextlib
import functools
import json
import math
import os
import pathlib
import shutil
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM, AutoTokenizer

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt", "generation_config.json")
MASK = (1 << 64) - 1
BATCHES, ORDER = 2, 5  # the streams of random numbers that windows, and their mixed order, are drawn from


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("model", type=pathlib.Path, help="folder of zhuyi export --to hf")
    add("--data", required=True, help="text to learn from, UTF-8; documents are separated by blank lines")
    add("--validation", help="text to judge by; default: the last tenth of the data, which is then not learnt from")
    add("--out", required=True, type=pathlib.Path, help="folder to write")
    add("--resume", action="store_true", help="go on from OUT")
    add("--steps", type=int, default=2000)
    add("--batch", type=int, default=12, help="windows in one pass of one process")
    add("--accumulate", type=int, default=1, help="passes of one process whose gradients are averaged into one step")
    add("--order", choices=("random", "shuffled"), default="random", help="of the windows; shuffled: the whole text before any of it again")
    add("--context", type=int, help="tokens in a window; default: all that the model can see")
    add("--learning-rate", type=float, default=1e-3)
    add("--min-learning-rate", type=float, default=-1.0,
        help="at the end; below 0: a tenth of the peak with --schedule cosine, else 0")
    add("--schedule", choices=("cosine", "linear", "wsd"), default="cosine")
    add("--warmup", type=int, default=100)
    add("--optimizer", choices=("adamw", "muon"), default="adamw")
    add("--momentum", type=float, default=0.95, help="of Muon")
    add("--beta1", type=float, default=0.9)
    add("--beta2", type=float, default=0.99)
    add("--epsilon", type=float, default=1e-8)
    add("--weight-decay", type=float, default=0.1)
    add("--clip", type=float, default=1.0)
    add("--dropout", type=float, help="of the branches; default: what the model was trained with; 0: no dropout anywhere")
    add("--embedding-dropout", type=float, help="the same")
    add("--eval-every", type=int, default=250)
    add("--save-every", type=int, default=0, help="steps; 0: at each evaluation")
    add("--seed", type=int, default=1337)
    add("--precision", choices=("fp32", "bf16"), default="fp32", help="bf16: matrix products by autocast")
    words = [word if not word.startswith("--") else "=".join([word.split("=", 1)[0].replace("_", "-"), *word.split("=", 1)[1:]])
             for word in sys.argv[1:]]
    return parser.parse_args(words)


# ---- windows of the text: drawn from a counter, so nothing has to be remembered to go on


def mix(z):
    """SplitMix64 (Steele, Lea, Flood 2014), as src/base/random.h has it."""
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def below(end, element, seed, stream, place, number=0):
    key = mix(mix(mix(mix(seed & MASK) ^ stream) ^ place) ^ number)
    return mix(key + element * 0x9E3779B97F4A7C15 & MASK) * end >> 64


@functools.lru_cache(2)
def shuffled(places, context, seed, reading):
    """Where the windows of one reading of the text begin: src/text/batches.cpp, shuffle()."""
    first, begins = below(places, 0, seed, ORDER, reading), []
    for i in range(max(1, places // context)):
        place = below(i + 1, i, seed, ORDER, reading) if i else 0
        begins.append(0)
        begins[i] = begins[place]
        begins[place] = (first + i * context) % places
    return begins


def draw_batch(tokens, o, step, micro, passes):
    """micro: which of all passes of this step, of all processes."""
    places, begins = len(tokens) - o.context, []
    for b in range(o.batch):
        if o.order == "random":
            begins.append(below(places, b, o.seed, BATCHES, step, micro))
            continue
        reading, window = divmod((step * passes + micro) * o.batch + b, max(1, places // o.context))
        begins.append(shuffled(places, o.context, o.seed, reading)[window])
    rows = torch.stack([tokens[begin:begin + o.context + 1] for begin in begins])
    return rows[:, :-1], rows[:, 1:]


def documents_of(path):
    text = pathlib.Path(path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    documents, lines = [], []
    for line in text.split("\n") + [""]:
        if line.strip(" \t\u3000"):
            lines.append(line)
        elif lines:
            documents.append("\n".join(lines))
            lines = []
    if not documents:
        sys.exit(f"{path}: expected text, found nothing but blank lines")
    return documents


def split_tail(documents):
    """(text, whether the end of a document follows) of both parts: nine tenths of all characters, and the rest."""
    left = sum(map(len, documents)) * 9 // 10
    training, validation = [], []
    for document in documents:
        if validation or left == 0:
            validation.append((document, True))
        elif left >= len(document):
            training.append((document, True))
            left -= len(document)
        else:
            training.append((document[:left], False))
            validation.append((document[left:], True))
    return training, validation


def tokens_of(pieces, tokenizer):
    ids = []
    for text, ends in pieces:
        ids += tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        if ends:
            ids.append(tokenizer.eos_token_id)
    return torch.tensor(ids)


# ---- training


def learning_rate(step, o):
    """A linear warm-up, then down to the final rate: src/train/config.cpp."""
    lowest = o.learning_rate / 10 if o.schedule == "cosine" else 0.0
    end = lowest if o.min_learning_rate < 0 else o.min_learning_rate
    if step < o.warmup:
        return o.learning_rate * (step + 1) / (o.warmup + 1)
    if step >= o.steps:
        return end
    done = (step - o.warmup) / (o.steps - o.warmup)
    left = {"cosine": 0.5 * (1 + math.cos(math.pi * done)), "linear": 1 - done,
            "wsd": min(1.0, (o.steps - step) / (0.25 * o.steps))}[o.schedule]
    return end + (o.learning_rate - end) * left


class Group:
    """The processes of torchrun, or this one alone."""

    def __init__(self):
        self.many = "RANK" in os.environ
        self.rank, self.size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        cuda = torch.cuda.is_available()
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
        if cuda:
            torch.cuda.set_device(self.device)
        if self.many:
            dist.init_process_group("nccl" if cuda else "gloo")

    def total(self, *numbers):
        values = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        if self.many:
            dist.all_reduce(values)
        return values.tolist()

    def say(self, text):
        if self.rank == 0:
            print(text, file=sys.stderr, flush=True)


POLAR_EXPRESS = ((7.8327090, -21.4357903, 15.1063201), (3.5821168, -2.5766242, 0.4872445),
                 (2.7044521, -2.0123759, 0.4565303))


def orthogonal(X):
    """X = U Σ Vᵀ -> about U Vᵀ, as src/kernels/orthogonal.h finds it."""
    tall, most = X.shape[0] > X.shape[1], X.abs().max()
    if most == 0:
        return X
    X = X.mT / most if tall else X / most
    X = X / (1.02 * (X @ X.mT).norm()).sqrt()
    for a, b, c in POLAR_EXPRESS:
        G = X @ X.mT
        X = a * X + (b * G + c * G @ G) @ X
    return X.mT if tall else X


class Muon(torch.optim.Optimizer):
    """The matrices inside blocks, as src/train/muon.cpp moves them: W_Q, W_K and W_V each by itself."""

    def __init__(self, named, heads, o):
        self.heads, self.momentum, self.decay = heads, o.momentum, o.weight_decay
        self.names = [name for name, _ in named]
        super().__init__([p for _, p in named], {"lr": o.learning_rate})

    def matrices(self, name, x):
        """Views of the matrices that are kept in one; of GPT-NeoX's (H, D, C), for they lie head by head."""
        if name.endswith("attn.c_attn.weight"):
            return x.chunk(3, dim=1)
        if name.endswith("query_key_value.weight"):
            return x.view(self.heads, 3, -1, x.shape[1]).unbind(1)
        return [x]

    @torch.no_grad()
    def step(self):
        group = self.param_groups[0]
        for name, p in zip(self.names, group["params"]):
            m = self.state[p].setdefault("momentum", torch.zeros_like(p))
            m.lerp_(p.grad, 1 - self.momentum)
            direction = p.grad.lerp(m, self.momentum)
            for weights, u in zip(self.matrices(name, p), self.matrices(name, direction)):
                u = u.reshape(-1, u.shape[-1])
                weights.mul_(1 - group["lr"] * self.decay)
                weights.sub_(group["lr"] * 0.2 * math.sqrt(max(u.shape)) * orthogonal(u).view_as(weights))


def make_optimizers(model, o):
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    inside = [(name, p) for name, p in named if p.dim() == 2 and (".h." in name or ".layers." in name)]
    muon = inside if o.optimizer == "muon" else []
    taken = {name for name, _ in muon}
    rest = [p for name, p in named if name not in taken]
    groups = [{"params": [p for p in rest if p.dim() == 2], "weight_decay": o.weight_decay},
              {"params": [p for p in rest if p.dim() != 2], "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, lr=o.learning_rate, betas=(o.beta1, o.beta2), eps=o.epsilon)
    return [adamw, Muon(muon, model.config.num_attention_heads, o)] if muon else [adamw]


def nats_of(model, ids, targets, o, device, reduction="mean"):
    with torch.autocast(device.type, torch.bfloat16, enabled=o.precision == "bf16"):
        logits = model(input_ids=ids.to(device), use_cache=False).logits
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.to(device).flatten(), reduction=reduction)


def evaluate(model, tokens, o, group):
    """Nats per token over windows side by side; every token but the first is predicted once."""
    begins = range(0, len(tokens) - 1, o.context)
    model.eval()
    nats = predictions = 0
    with torch.no_grad():
        for begin in begins[group.rank::group.size]:
            window = tokens[begin:begin + o.context + 1].unsqueeze(0)
            nats += nats_of(model, window[:, :-1], window[:, 1:], o, group.device, "sum").item()
            predictions += window.shape[1] - 1
    model.train()
    nats, predictions = group.total(nats, predictions)
    return nats / max(predictions, 1)


def save(model, optimizers, step, o):
    """Under its name only when complete: the new folder is written beside the old one and then takes its place."""
    draft, old = (o.out.with_name(f".{o.out.name}.{word}") for word in ("partial", "old"))
    for folder in (draft, old):
        shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(draft, max_shard_size="1000GB")
    for name in TOKENIZER_FILES:
        if (o.model / name).exists():
            shutil.copyfile(o.model / name, draft / name)
    torch.save({"step": step, "optimizers": [one.state_dict() for one in optimizers]}, draft / "training.pt")
    if o.out.exists():
        o.out.rename(old)
    draft.rename(o.out)
    shutil.rmtree(old, ignore_errors=True)


def set_dropout(model, o):
    """On the branches and on the embedding, each with a share of its own; GPT-NeoX has but one for both."""
    c = model.config
    branches, embedding = (("hidden_dropout", "embedding_dropout") if c.model_type == "gpt_neox" else
                           ("resid_pdrop", "embd_pdrop"))
    for option, share in ((branches, o.dropout), (embedding, o.embedding_dropout)):
        setattr(c, option, getattr(c, option, getattr(c, branches)) if share is None else share)
    for name, module in model.named_modules():
        if name.endswith(("resid_dropout", "mlp.dropout", "post_attention_dropout", "post_mlp_dropout")):
            module.p = getattr(c, branches)
        elif name.endswith(("transformer.drop", "emb_dropout")):
            module.p = getattr(c, embedding)
    if o.dropout == 0:  # foreign models drop attention weights and embeddings too; 0 means none at all
        silence_dropout(model, keep_embedding=o.embedding_dropout is not None)


def silence_dropout(model, keep_embedding):
    for option in ("attn_pdrop", "attention_dropout"):
        if hasattr(model.config, option):
            setattr(model.config, option, 0.0)
    if not keep_embedding:
        for option in ("embd_pdrop", "embedding_dropout"):
            if hasattr(model.config, option):
                setattr(model.config, option, 0.0)
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Dropout) and not (
                keep_embedding and name.endswith(("transformer.drop", "emb_dropout"))):
            module.p = 0.0
        if isinstance(getattr(module, "attention_dropout", None), float):
            module.attention_dropout = 0.0


def check_folders(o):
    if not (o.model / "config.json").exists():
        sys.exit(f"{o.model}: no folder of a Hugging Face model; `zhuyi export RUN --to hf {o.model}` makes one")
    if json.loads((o.model / "config.json").read_text()).get("model_type") not in ("gpt2", "gpt_neox"):
        sys.exit(f"{o.model}: expected a model of the type gpt2, or gpt_neox (rotary positions)")
    if o.resume and not (o.out / "training.pt").exists():
        sys.exit(f"{o.out}: nothing to resume (it has no training.pt)")
    if not o.resume and o.out.exists():
        sys.exit(f"{o.out} exists already; go on with --resume, or give another --out")


def main():
    o = read_options()
    group = Group()
    check_folders(o)
    torch.manual_seed(o.seed)
    model = AutoModelForCausalLM.from_pretrained(o.out if o.resume else o.model, dtype=torch.float32)
    set_dropout(model, o)
    model.to(group.device).train()
    optimizers = make_optimizers(model, o)
    first = 0
    if o.resume:
        state = torch.load(o.out / "training.pt", map_location=group.device, weights_only=True)
        if len(state["optimizers"]) != len(optimizers):
            sys.exit(f"{o.out} was trained with another --optimizer than {o.optimizer}")
        for one, kept in zip(optimizers, state["optimizers"]):
            one.load_state_dict(kept)
        first = state["step"]
    tokenizer = AutoTokenizer.from_pretrained(o.model)
    longest = model.config.max_position_embeddings
    o.context = o.context or longest
    if o.context > longest:
        sys.exit(f"--context {o.context}: the model sees {longest} tokens at the most")
    training, validation = split_tail(documents_of(o.data))
    if o.validation:
        training, validation = ([(d, True) for d in documents_of(path)] for path in (o.data, o.validation))
    training, validation = tokens_of(training, tokenizer), tokens_of(validation, tokenizer)
    if len(training) < o.context + 1 or len(validation) < 2:
        sys.exit(f"the text is too short: {len(training)} tokens to learn from, a window needs {o.context + 1}")

    wrapped = DistributedDataParallel(model) if group.many else model
    stop = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    o.save_every = o.save_every or o.eval_every
    if first == 0:
        group.say(f"step 0, validation loss {evaluate(model, validation, o, group):.4f}")
    started = time.monotonic()
    for step in range(first, o.steps):
        loss = 0.0
        model.zero_grad(set_to_none=True)
        for index in range(o.accumulate):
            micro = index * group.size + group.rank
            torch.manual_seed(mix(o.seed & MASK) + mix(step) + micro & MASK >> 1)  # of dropout
            ids, targets = draw_batch(training, o, step, micro, o.accumulate * group.size)
            last = index + 1 == o.accumulate
            with contextlib.nullcontext() if last or not group.many else wrapped.no_sync():
                nats = nats_of(wrapped, ids, targets, o, group.device) / o.accumulate
                nats.backward()
            loss += nats.item()
        for part in (part for one in optimizers for part in one.param_groups):
            part["lr"] = learning_rate(step, o)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), o.clip or math.inf)
        loss, stopping = group.total(loss / group.size, len(stop))
        if not math.isfinite(loss) or not math.isfinite(norm):
            sys.exit(f"step {step + 1}: the loss is {loss}; this update was not made. Try a smaller --learning-rate.")
        for one in optimizers:
            one.step()

        done = step + 1
        end = done == o.steps or stopping > 0
        if end or done % o.eval_every == 0:
            speed = (done - first) * o.batch * o.accumulate * group.size * o.context / (time.monotonic() - started)
            group.say(f"step {done}, loss {loss:.4f}, validation loss {evaluate(model, validation, o, group):.4f}, "
                      f"learning rate {learning_rate(step, o):.3g}, {speed:.0f} tokens/s")
        if (end or done % o.save_every == 0) and group.rank == 0:
            save(model, optimizers, done, o)
        if end:
            break
    if group.many:
        dist.barrier()
        dist.destroy_process_group()
    group.say(f"{o.out}: bring it home with `zhuyi import {o.out} RUN`")


main()
