#include "attention/pictures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include "support/close.h"

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

namespace {

// Lightness in OKLab (Ottosson 2020), from sRGB.
double lightness(Rgb c) {
    const auto linear = [](int value) {
        const double x = value / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    const double r = linear(c.red), g = linear(c.green), b = linear(c.blue);
    return 0.2104542553 * std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) +
           0.7936177850 * std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) -
           0.0040720468 * std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

Rgb of_xterm(int number) {
    const auto level = [](int step) { return step ? 55 + 40 * step : 0; };
    const int cube = number - 16;
    return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

}  // namespace

TEST_CASE("palette: dark blue to yellow, equal steps equally far apart") {
    CHECK(colour(0) == Rgb{0x07, 0x17, 0x5a});
    CHECK(colour(1) == Rgb{0xfb, 0xed, 0x58});
    for (int i = 0; i <= 100; ++i)
        CHECK(close(lightness(colour(i / 100.0)), 0.25 + 0.68 * i / 100.0, 0.012));
}

TEST_CASE("palette: with 256 colours, more attention is never darker") {
    double before = 0;
    for (int i = 0; i <= 100; ++i) {
        const double now = lightness(of_xterm(palette_colour(i / 100.0)));
        CHECK(now >= before);
        before = now;
    }
    CHECK(palette_colour(0) == 17);
    CHECK(palette_colour(1) == 227);
}

TEST_CASE("palette: brightness is the root of the weight; nonsense is dark") {
    CHECK(brightness(0) == 0);
    CHECK(brightness(0.25) == 0.5);
    CHECK(brightness(1) == 1);
    CHECK(brightness(1.0000001) == 1);
    CHECK(brightness(-0.1) == 0);
    CHECK(brightness(std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("palette: sequences of each kind of terminal") {
    CHECK(background(0, Colours::direct) == "\x1b[48;2;7;23;90m");
    CHECK(foreground(1, Colours::direct) == "\x1b[38;2;251;237;88m");
    CHECK(background(1, Colours::palette) == "\x1b[48;5;227m");
    CHECK(background(1, Colours::none) == "");
    CHECK(plain_again(Colours::none) == "");
    CHECK(std::string(shade(0)) + shade(0.25) + shade(0.5) + shade(0.75) + shade(1) == " ░▒▓█");
}
