"""scripts/continue_with_torch.py: away with a model, on with its training, and home again.

Run by scripts/test_clients.sh, with ZHUYI_BINARY naming the program.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ZHUYI = os.environ["ZHUYI_BINARY"]
SCRIPT = ROOT / "scripts" / "continue_with_torch.py"
TEXT = ROOT / "data" / "stories.txt"
MODEL = ["--context", "32", "--channels", "32", "--layers", "2", "--heads", "2", "--dropout", "0"]
SAME = ["--data", TEXT, "--batch", "4", "--learning-rate", "1e-3", "--warmup", "2", "--seed", "5"]


def run(*arguments):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def torchrun(processes, *arguments):
    os.environ["OMP_NUM_THREADS"] = "1"
    return run(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", processes, SCRIPT,
               *arguments)


def furthest(a, b, but=()):
    """Largest difference of two files of weights."""
    a, b = safetensors.numpy.load_file(a), safetensors.numpy.load_file(b)
    names = [name for name in a if not name.startswith(("adam.", "muon."))]
    return max(float(numpy.abs(a[name] - b[name]).max()) for name in names if not name.endswith(tuple(but)))


class Continue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        run(ZHUYI, "train", *SAME, *MODEL, "--out", cls.work / "run", "--steps", "30", "--split", "tail",
            "--history=false")
        run(ZHUYI, "export", cls.work / "run", "--to", "hf", cls.work / "hf")
        run(ZHUYI, "train", *SAME, *MODEL, "--position", "rotary", "--out", cls.work / "rotary", "--steps", "30",
            "--split", "tail", "--history=false")
        run(ZHUYI, "export", cls.work / "rotary", "--to", "hf", cls.work / "rotary_hf")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_two_processes_resume_and_home(self):
        w, steps = self.work, ["--eval-every", "2"]
        torchrun(2, w / "hf", *SAME, *steps, "--out", w / "straight", "--steps", "5")
        # Two steps are warm-up, the same ones whatever --steps says.
        torchrun(2, w / "hf", *SAME, *steps, "--out", w / "parts", "--steps", "2")
        torchrun(2, w / "hf", *SAME, *steps, "--out", w / "parts", "--steps", "5", "--resume")
        self.assertEqual(furthest(w / "straight" / "model.safetensors", w / "parts" / "model.safetensors"), 0)
        run(ZHUYI, "import", w / "straight", w / "home")
        self.assertIn("小猫", run(ZHUYI, "sample", w / "home", "--prompt", "小猫", "--tokens", "10"))
        self.assertIn("block 1", run(ZHUYI, "attend", w / "home", "--text", "小猫看雨"))
        moved = furthest(w / "home" / "best.safetensors", w / "run" / "best.safetensors")
        self.assertGreater(moved, 1e-4)

    def test_one_step_there_is_one_step_here(self):
        self.one_step("run", "hf")

    def test_one_step_with_rotary_positions(self):
        self.one_step("rotary", "rotary_hf")

    def test_one_step_with_muon(self):
        self.one_step("run", "hf", "--optimizer", "muon", "--schedule", "linear")
        self.one_step("rotary", "rotary_hf", "--optimizer", "muon", "--schedule", "wsd", "--order", "shuffled")

    def one_step(self, ours, theirs, *options):
        w = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        run(ZHUYI, "train", *SAME, "--from", self.work / ours, "--out", w / "here", "--steps", "1", "--split", "tail",
            "--accumulate", "2", "--dropout", "0", "--history=false", *options)
        torchrun(2, self.work / theirs, *SAME, "--out", w / "there", "--steps", "1", "--dropout", "0", *options)
        run(ZHUYI, "import", w / "there", w / "home")
        here, there = w / "here" / "last.safetensors", w / "home" / "last.safetensors"
        # A bias of the keys moves every score of a row alike, so its gradient is rounding and nothing else, and
        # AdamW's first step follows the sign of it. (Not with rotary positions, which turn it.)
        but = ["b_K"] if ours == "run" else []
        distance = furthest(here, there, but)
        print(f"one step there and here, {' '.join([ours, *options])}: weights within {distance:.1e}")
        self.assertLess(distance, 1e-4)
        self.assertGreater(furthest(here, self.work / ours / "best.safetensors", but), 3e-4)

    def test_dropout_of_both_kinds_comes_home(self):
        for name in ("hf", "rotary_hf"):
            w = pathlib.Path(tempfile.mkdtemp(dir=self.work))
            run(sys.executable, SCRIPT, self.work / name, *SAME, "--out", w / "there", "--steps", "1", "--dropout", "0.25",
                "--embedding-dropout", "0.125")
            run(ZHUYI, "import", w / "there", w / "home")
            options = (w / "home" / "run.conf").read_text()
            self.assertIn("\ndropout = 0.25 ", options)
            self.assertIn("\nembedding_dropout = 0.125 ", options)

    def test_wrong_words(self):
        for arguments, part in (([self.work / "none"], "no folder of a Hugging Face model"),
                                ([self.work / "hf", "--resume"], "nothing to resume"),
                                ([self.work / "hf", "--context", "999"], "32 tokens at the most")):
            with self.assertRaises(AssertionError) as caught:
                run(sys.executable, SCRIPT, *arguments, *SAME, "--out", self.work / "never")
            self.assertIn(part, str(caught.exception))
        self.assertFalse((self.work / "never").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
