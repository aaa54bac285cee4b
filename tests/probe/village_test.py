"""The village's own rules: every fresh scene is accepted, a broken one is not, and what is held out is nowhere told.

Run by tests/probe/village_test.cpp, from the root of the repository.
"""
import random
import re
import sys
import unittest

sys.path.insert(0, "scripts")
import village_world as world  # noqa: E402
from village_asking import questions_in_new_forms  # noqa: E402
from village_checking import Checker, pattern_of  # noqa: E402
from village_telling import HELD, TOPICS, Slot, Teller, combinations, variants  # noqa: E402
from xxh64 import xxh64  # noqa: E402

with open("data/village.txt", encoding="utf-8") as file:
    DOCUMENTS = file.read().strip().split("\n\n")


def stands(value, document):
    """小红 is no colour."""
    return value in (document.replace("小红", "") if value == "红" else document)


class Village(unittest.TestCase):
    def test_fresh_documents_are_accepted(self):
        checker, teller = Checker(), Teller(99, DOCUMENTS)
        for _ in range(100):
            self.assertEqual(checker.check(teller.document().text), (3, 3))

    def test_a_broken_rule_is_found(self):
        checker = Checker()
        self.assertEqual(checker.check("早上，李华喂小猫，她拿来鱼，它吃得很香。"), (1, 1))
        for scene in ("早上，李华喂小猫，他拿来鱼，它吃得很香。", "早上，李华喂小猫，她拿来骨头，它吃得很香。",
                      "早上，李华有八块糖，分给张明一块，还有六块。", "早上，李华问张明：“湖南的省会是哪里？”李华说：“是长沙。”",
                      "早上，李华从树上摘下一个苹果，她说：“苹果股价上涨。”", "早上，李华的帽子丢了，她高兴极了。"):
            self.assertEqual(checker.check(scene), (0, 1), scene)
        self.assertEqual(checker.check("早上，李华迷路了，她哭了。下午，李华迷路了，她哭了。"), (1, 2))

    def test_at_least_a_tenth_of_the_combinations_is_held_out(self):
        for kinds in world.PAIRS:
            self.assertGreaterEqual(len(HELD[kinds]) * 10, len(combinations(*kinds)), kinds)
        for rule in world.RULES:
            self.assertTrue(world.NEW[rule])

    def test_what_is_held_out_is_in_no_document(self):
        for kinds in [k for k in world.PAIRS if "person" in k and "luck" not in k]:
            for pair in HELD[kinds]:
                self.assertFalse(any(all(stands(value, d) for value in pair) for d in DOCUMENTS), pair)
        for name, in HELD["name", "name"]:
            self.assertFalse(any(re.search("叫%s|叫它%s|小.%s不见了" % (name, name, name), d) for d in DOCUMENTS), name)

    def test_new_forms_are_never_told(self):
        # what is told before an answer, in every way
        told = {pattern_of(way[:i + 1])[0] for topic in TOPICS for sentence in topic.any + topic.day for way in variants(sentence)
                for i, item in enumerate(way) if isinstance(item, Slot) and item.rule}
        opened = {re.sub("^[^，]*，", "", probe.text) + probe.right for probe in questions_in_new_forms(random.Random(1))}
        with open("tests/probe/free_sentences.txt", encoding="utf-8") as file:
            lines = [line.split(" | ") for line in file if not line.startswith("#")]
        for sentence in sorted(opened | {text + right for _, _, text, right, _ in lines}):
            for pattern in told:
                self.assertIsNone(pattern.fullmatch(sentence), sentence)

    def test_questions_have_no_character_that_the_text_has_not(self):
        with open("data/village_probes.txt", encoding="utf-8") as file:
            asked = {c for line in file if not line.startswith("#") for field in line.split(" | ")[2:5] for c in field}
        self.assertEqual(asked - set("".join(DOCUMENTS)) - set(", "), set())

    def test_xxh64(self):
        self.assertEqual(xxh64(b""), 0xEF46DB3751D8E999)
        self.assertEqual(xxh64(b"abc"), 0x44BC2CF5AD770999)


if __name__ == "__main__":
    unittest.main()
