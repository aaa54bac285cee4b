"""What zhuyi exports works in the other program's first line: transformers' pipeline, and llama.cpp.

Run by scripts/test_clients.sh, with ZHUYI_BINARY naming the program.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, pipeline

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ZHUYI = os.environ["ZHUYI_BINARY"]
SCRIPT = ROOT / "scripts" / "continue_with_torch.py"
TEXT = ROOT / "data" / "stories.txt"


def run(*arguments):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        run(ZHUYI, "train", TEXT, "--out", cls.work / "run", "--steps", "5", "--context", "32", "--channels", "32",
            "--heads", "2", "--layers", "1", "--batch", "4", "--position", "learned", "--history=false")
        run(ZHUYI, "export", cls.work / "run", "--to", "hf", cls.work / "hf", "--license", "cc-by-4.0")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pipeline_without_an_argument(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            write = pipeline("text-generation", str(self.work / "hf"))
            text = write("小猫")[0]["generated_text"]
        self.assertTrue(text.startswith("小猫"))
        tokens = AutoTokenizer.from_pretrained(self.work / "hf")(text, add_special_tokens=False)["input_ids"]
        self.assertLessEqual(len(tokens), 32)

    def test_texts_of_unequal_length_in_one_batch(self):
        tokenizer = AutoTokenizer.from_pretrained(self.work / "hf")
        model = AutoModelForCausalLM.from_pretrained(self.work / "hf").eval()
        batch = tokenizer(["小猫", "小沈阳江西演唱会"], return_tensors="pt", padding=True)
        self.assertEqual(int(batch["attention_mask"][0][0]), 0)  # on the left
        together = model.generate(**batch, do_sample=False)[0]
        alone = model.generate(**tokenizer("小猫", return_tensors="pt"), do_sample=False)[0]
        length = 10
        self.assertEqual(together[batch["input_ids"].shape[1]:][:length].tolist(), alone[2:][:length].tolist())

    def test_model_card_names_license_and_text(self):
        card = (self.work / "hf" / "README.md").read_text()
        for words in ("license: cc-by-4.0", "stories.txt", "fingerprint", "上下文长度"):
            self.assertIn(words, card)

    def test_dropout_0_silences_every_dropout(self):
        weights = []
        for share in (0.0, 0.5):
            folder = self.work / f"foreign{share}"
            config = GPT2Config.from_pretrained(self.work / "hf", resid_pdrop=share, embd_pdrop=share,
                                                attn_pdrop=share)
            torch.manual_seed(3)
            AutoModelForCausalLM.from_config(config).save_pretrained(folder)
            AutoTokenizer.from_pretrained(self.work / "hf").save_pretrained(folder)
            run(sys.executable, SCRIPT, folder, "--data", TEXT, "--out", self.work / f"out{share}", "--steps", "1",
                "--batch", "2", "--context", "16", "--dropout", "0")
            state = AutoModelForCausalLM.from_pretrained(self.work / f"out{share}").state_dict()
            weights.append(torch.cat([value.flatten() for value in state.values()]))
            saved = json.loads((self.work / f"out{share}" / "config.json").read_text())
            self.assertEqual([saved[name] for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")], [0, 0, 0])
        self.assertTrue(torch.equal(*weights))


if __name__ == "__main__":
    unittest.main()
