#include "attention/canvas.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("line: colours change only where they must, and end with the line") {
    Line line({Colours::palette});
    line.cell(0, 2);
    line.cell(0, 2);
    line.cell(1, 1);
    line.gap(1);
    line.faint("x");
    CHECK(line.finish() == "\x1b[48;5;17m    \x1b[0m\x1b[48;5;227m \x1b[0m \x1b[2mx\x1b[0m\n");
    Line plain({Colours::none});
    plain.strong("a");
    plain.faint("b");
    CHECK(plain.finish() == "ab\n");
}

TEST_CASE("line: half blocks, and nothing where both halves are empty") {
    Line line({Colours::palette});
    line.halves(0, 1);
    line.halves(1, -1);
    line.halves(-1, 0);
    line.halves(-1, -1);
    CHECK(line.finish() ==
          "\x1b[38;5;17m\x1b[48;5;227m▀\x1b[0m\x1b[38;5;227m▀\x1b[0m\x1b[38;5;17m▄\x1b[0m \n");
}

TEST_CASE("labels: what would not be seen gets a sign") {
    CHECK(side_label("小") == "小");
    CHECK(side_label("\\n") == "↵");
    CHECK(side_label("\\s") == "␣");
    CHECK(side_label("\\\\") == "\\");
    CHECK(side_label("⟨0A⟩") == "⟨0A⟩");
    CHECK(side_label("<|endoftext|>") == "∎");
    CHECK(top_label("⟨0A⟩") == std::vector<std::string>{"0A"});
    CHECK(top_label("\\u{3000}") == std::vector<std::string>{"␣"});
    CHECK(top_label("\\u{200B}") == std::vector<std::string>{"◌"});
    CHECK(top_label("不是") == std::vector<std::string>{"不", "是"});
    // tokens of byte pairs
    CHECK(side_label("\\sthe\\\\s") == "␣the\\s");
    CHECK(side_label("\\u{A0}") == "␣");
    CHECK(top_label("\\sit") == std::vector<std::string>{"␣", "i", "t"});
    CHECK(top_label("⟨E9⟩⟨82⟩") == std::vector<std::string>{"E9", "82"});
    CHECK(top_label("小⟨E7⟩") == std::vector<std::string>{"小", "E7"});
    CHECK(top_label("⟨") == std::vector<std::string>{"⟨"});
}

TEST_CASE("legend: a weight's number stands below its colour") {
    const std::string text = legend({Colours::palette, 80}, 0);
    const std::string numbers = text.substr(text.find('\n') + 1);
    // brightness is the root of the weight and the bar has 40 steps: 1 % at 4, 25 % at 20
    CHECK(numbers.starts_with("0   1   4    10     25      50          100"));
}
