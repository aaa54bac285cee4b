#!/usr/bin/env python3
"""Models and texts as other programs see them: transformers, tokenizers, safetensors and llama.cpp.

    python3 scripts/golden_clients.py --zhuyi build/zhuyi [--large] [--out FOLDER]

Writes one folder a case; tests/interop/clients_test.cpp imports its model/ and compares. Without options the small
cases that the everyday tests use, into tests/golden/clients; with --large those that .ci/run makes anew with the real
clients. Needs torch, transformers, tokenizers, safetensors; xllamacpp (which is llama.cpp) where it is installed.

    CASE/model/                  a Hugging Face folder
    CASE/expected.safetensors    text.I (bytes) and ids.I, and for short ones
                                 logits.I (T, V), attention.I (L, H, T, T)   by transformers, float32, eager
                                 llama_ids.I, llama_logits.I (T, V), llama_greedy.I   by llama.cpp
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

import numpy
import safetensors.numpy
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2TokenizerFast, GPTNeoXConfig

try:
    from llama import Llama
except ImportError:
    Llama = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORIES = ROOT / "data" / "stories.txt"
END = "<|endoftext|>"
PROMPTS = ["小猫坐在窗台上", "小沈阳江西演唱会邀请了，", "Once upon a time, there's 1 cat."]
SHORT = ["小猫在", "a cat, it's"]
AWKWARD = ["", " ", "  two  spaces, and one behind ", "\n\n\r\n\t ", "NUL \0 inside", "<0x41> <|endoftext >",
           "😀👨‍👩‍👧‍👦🇨🇳", "𠮷𪚥龘", "é e\u0301 ﬁ ｱ Ａ１", "It's 1234 o'clock, they've said; ½ ² ٣ 'S 'LL",
           "a\u3000b\u00a0c\u2003\u2028d   e\n\n  f", "ไทย हिन्दी العربية 한국어 にほんご"]
BLOCK = "▁ U+2581"  # which llama.cpp reads as a space, whatever the file says


def run(*arguments):
    subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True)


def encode(tokenizer, text):
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text, f"not decoded as it was: {text!r}"
    return ids


def by_transformers(folder, texts, prompts, corpus):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    out = {}
    for number, text in enumerate(prompts + texts + corpus):
        ids = encode(tokenizer, text)
        out[f"text.{number}"] = numpy.frombuffer(text.encode(), dtype=numpy.uint8)
        out[f"ids.{number}"] = numpy.array(ids, dtype=numpy.int32)
        if number >= len(prompts):
            continue
        with torch.no_grad():
            result = model(torch.tensor([ids]), output_attentions=True)
        out[f"logits.{number}"] = result.logits[0].numpy()
        out[f"attention.{number}"] = torch.stack(result.attentions)[:, 0].numpy()
    return out


def by_llama(path, texts, prompts, corpus, greedy):
    if Llama is None:
        return {}
    llama = Llama(path, 64 + greedy)
    out = {}
    for number, text in enumerate(prompts + texts + corpus):
        if "▁" in text:
            continue
        ids = llama.tokenize(text.encode())
        assert llama.detokenize(ids) == text.encode(), f"not decoded as it was: {text!r}"
        out[f"llama_ids.{number}"] = numpy.array(ids, dtype=numpy.int32)
        if number >= len(prompts):
            continue
        llama.reset()
        logits = llama.logits(ids)
        out[f"llama_logits.{number}"] = logits
        drawn = []
        for _ in range(greedy):
            drawn.append(int(numpy.argmax(logits[-1])))
            logits = llama.logits([drawn[-1]])
        out[f"llama_greedy.{number}"] = numpy.array(drawn, dtype=numpy.int32)
    llama.close()
    return out


def write_case(out, folder, arguments, texts, corpus=(), gguf=None):
    """folder: the model as Hugging Face has it; gguf: what the same model is for llama.cpp."""
    case = out / folder.name
    prompts = PROMPTS if arguments.large else SHORT
    shutil.rmtree(case, ignore_errors=True)
    case.mkdir(parents=True)
    expected = by_transformers(folder, texts, prompts, list(corpus))
    if gguf:
        expected |= by_llama(gguf, texts, prompts, list(corpus), 20 if arguments.large else 8)
    shutil.copytree(folder, case / "model")
    tensors = {name: numpy.ascontiguousarray(value) for name, value in expected.items() if value.size or "." in name}
    safetensors.numpy.save_file(tensors, case / "expected.safetensors",
                                {"transformers": transformers.__version__, "format": "pt"})
    print(f"{case}: {len(tensors)} tensors", flush=True)


def exported(arguments, work, name, options, texts, corpus):
    """A model of ours, trained for a few steps, exported both ways."""
    text = STORIES
    if not arguments.large:  # a few lines keep the vocabulary small
        text = work / "few.txt"
        text.write_text("\n\n".join(STORIES.read_text().split("\n\n")[:3]) + "\n")
    ours = work / f"{name}_run"
    run(arguments.zhuyi, "train", text, "--out", ours, "--history=false", *options)
    run(arguments.zhuyi, "export", ours, "--to", "hf", work / name, "--checkpoint", "last")
    run(arguments.zhuyi, "export", ours, "--to", "gguf", work / f"{name}.gguf", "--checkpoint", "last")
    check_checkpoint(ours / "last.safetensors", work / name)
    write_case(arguments.out, work / name, arguments, texts + [BLOCK], corpus, work / f"{name}.gguf")


def check_checkpoint(checkpoint, folder):
    """The Python package opens a checkpoint as it is: weights and moments under their names."""
    ours = safetensors.numpy.load_file(checkpoint)
    theirs = safetensors.numpy.load_file(folder / "model.safetensors")
    parts = [ours[f"block.0.attention.W_{letter}"] for letter in "QKV"]
    if "transformer.wte.weight" in theirs:
        assert (ours["embedding.token"] == theirs["transformer.wte.weight"]).all()
        assert (numpy.concatenate(parts, axis=1) == theirs["transformer.h.0.attn.c_attn.weight"]).all()
    else:
        assert (ours["embedding.token"] == theirs["gpt_neox.embed_in.weight"]).all()
        C, heads = len(parts[0]), json.loads((folder / "config.json").read_text())["num_attention_heads"]
        by_heads = numpy.stack([part.T.reshape(heads, C // heads, C) for part in parts], axis=1)  # [H, 3, D, C]
        assert (by_heads.reshape(3 * C, C) == theirs["gpt_neox.layers.0.attention.query_key_value.weight"]).all()
    assert ours["adam.v.final_norm.gamma"].min() > 0


def random_model(arguments, work, name, size, vocabulary, texts, corpus, one_file, noise=0.1, kind=GPT2Config, **sizes):
    """A GPT-2 or a GPT-NeoX as transformers makes and saves it, with a tokenizer that tokenizers trained."""
    folder = work / name
    byte_pairs = ByteLevelBPETokenizer()
    byte_pairs.train([str(STORIES)], vocab_size=vocabulary, special_tokens=[END], show_progress=False)
    folder.mkdir()
    byte_pairs.save_model(str(folder))
    end = byte_pairs.token_to_id(END)
    torch.manual_seed(7)
    config = kind(vocab_size=size or byte_pairs.get_vocab_size(), bos_token_id=end, eos_token_id=end, **sizes)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():  # biases and gains too, and attention that is not flat
        for parameter in model.parameters():
            parameter.add_(noise * torch.randn_like(parameter))
    tokenizer = GPT2TokenizerFast(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"))
    if one_file:
        for file in ("vocab.json", "merges.txt"):
            (folder / file).unlink()
        tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    gguf = None
    if "gelu_new" in (getattr(config, "activation_function", ""), getattr(config, "hidden_act", "")):
        gguf = work / f"{name}.gguf"
        run(arguments.zhuyi, "import", folder, work / f"{name}_run")
        run(arguments.zhuyi, "export", work / f"{name}_run", "--to", "gguf", gguf)
    write_case(arguments.out, folder, arguments, texts + [BLOCK], corpus, gguf)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--zhuyi", default=ROOT / "build" / "zhuyi", type=pathlib.Path)
    parser.add_argument("--out", default=ROOT / "tests" / "golden" / "clients", type=pathlib.Path)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        small = dict(n_embd=16, n_layer=2, n_head=2, n_positions=64)
        tiny = ["--context", "64", "--channels", "16", "--layers", "2", "--heads", "2", "--batch", "2", "--steps", "5"]
        if not arguments.large:
            exported(arguments, work, "characters", tiny, AWKWARD, [])
            exported(arguments, work, "rotary", [*tiny, "--position", "rotary"], AWKWARD, [])
            return random_model(arguments, work, "byte_pairs", 0, 300, AWKWARD, [], True, n_inner=40,
                                activation_function="gelu", tie_word_embeddings=False, **small)
        corpus = [STORIES.read_text()]
        sixty = ["--steps", "60", "--batch", "8", "--context", "64"]
        exported(arguments, work, "stories", sixty, AWKWARD, corpus)
        exported(arguments, work, "stories_bpe", [*sixty, "--tokenizer", "bpe", "--bpe-vocabulary", "900"], AWKWARD, corpus)
        exported(arguments, work, "stories_rotary", [*sixty, "--position", "rotary"], AWKWARD, corpus)
        for tied in (True, False):
            random_model(arguments, work, "neox_tied" if tied else "neox", 0, 800, AWKWARD, corpus, True,
                         kind=GPTNeoXConfig, hidden_size=48, num_hidden_layers=3, num_attention_heads=4,
                         intermediate_size=100, hidden_act="gelu_new", max_position_embeddings=64,
                         use_parallel_residual=False, rotary_pct=1.0, tie_word_embeddings=tied)
        random_model(arguments, work, "gelu_untied", 0, 800, AWKWARD, corpus, False, n_embd=48, n_layer=3, n_head=4,
                     n_positions=64, activation_function="gelu", tie_word_embeddings=False)
        random_model(arguments, work, "wide_ffn", 0, 2000, AWKWARD, corpus, True, n_embd=36, n_layer=1, n_head=3,
                     n_positions=100, n_inner=100)
        random_model(arguments, work, "gpt2_124m", 50257, 2000, [], [], False, noise=0.01)


main()
