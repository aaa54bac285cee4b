#include "attention/pictures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "support/has.h"
#include "system/printable.h"

using namespace zhuyi;

namespace {

// 猫 吃 鱼, two blocks and two heads; every map is this one.
AttentionMaps example() {
    const std::vector<Real> map{1, 0, 0, Real(0.25), Real(0.75), 0, Real(0.5), Real(0.5), 0};
    AttentionMaps maps{{0, 1}, {0, 1}, {"猫", "吃", "鱼"}, {}};
    for (int i = 0; i < 4; ++i) maps.weights.insert(maps.weights.end(), map.begin(), map.end());
    return maps;
}

// Every row looks evenly at what it sees.
AttentionMaps even(const std::vector<std::string>& tokens, Index heads = 1) {
    AttentionMaps maps{{0}, {}, tokens, {}};
    for (Index h = 0; h < heads; ++h) {
        maps.heads.push_back(h);
        for (std::size_t t = 0; t < tokens.size(); ++t)
            for (std::size_t s = 0; s < tokens.size(); ++s)
                maps.weights.push_back(s > t ? Real(0) : Real(1) / Real(t + 1));
    }
    return maps;
}

AttentionMaps one_head(const AttentionMaps& maps, Index block, Index head) {
    return head_of(one_block(maps, block), head);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string without_colours(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b')
            i = text.find('m', i);
        else
            plain += text[i];
    }
    return plain;
}

std::vector<std::string> repeated(const std::string& token, int times) {
    return std::vector<std::string>(std::size_t(times), token);
}

}  // namespace

TEST_CASE("heat map without colours: percentages below their column") {
    const std::string expected =
        "block 1 · head 0   each row sums to 1\n"
        "\n"
        "        key (looked at) →\n"
        "query ↓  猫 吃 鱼\n"
        "     猫 100      \n"
        "     吃  25 75   \n"
        "     鱼  50 50  ·\n"
        "\n"
        "        numbers are percent of a row; · is below 0.5\n";
    CHECK(heat_map(one_head(example(), 1, 0), {}) == expected);
}

TEST_CASE("heat map in 24 bits: a cell is two columns, empty above the diagonal") {
    const auto lines = lines_of(in_chinese([&] {
        return heat_map(one_head(example(), 0, 1), {Colours::direct, 80});
    }));
    CHECK(lines[0] == "\x1b[1m第 0 层 · 头 1\x1b[0m\x1b[2m   每行之和为 1\x1b[0m");
    CHECK(lines[2] == "             \x1b[2m键 Key（被看的字）→\x1b[0m");
    CHECK(lines[3] == "\x1b[2m查询 Query ↓\x1b[0m 猫吃鱼");
    // colour(√1) is the palette's last, colour(√0.25) its middle
    CHECK(lines[4] == "          猫 \x1b[48;2;251;237;88m  \x1b[0m    ");
    CHECK(lines[6] == "          鱼 \x1b[48;2;80;193;128m    \x1b[0m\x1b[48;2;7;23;90m  \x1b[0m");
    CHECK(lines[5].find("          吃 \x1b[48;2;27;143;143m  \x1b[0m") == 0);
}

TEST_CASE("heat map in 256 colours") {
    const auto lines = lines_of(heat_map(one_head(example(), 0, 0), {Colours::palette, 80}));
    CHECK(lines[4] == "     猫 \x1b[48;5;227m  \x1b[0m    ");
    CHECK(lines[5] == "     吃 \x1b[48;5;36m  \x1b[0m\x1b[48;5;185m  \x1b[0m  ");
    CHECK(lines[6] == "     鱼 \x1b[48;5;149m    \x1b[0m\x1b[48;5;17m  \x1b[0m");
}

TEST_CASE("heat map: every line of the map is as wide as the others, whatever the tokens") {
    const AttentionMaps maps =
        even({"小", "⟨E8⟩", "\\s", "\\n", "a", "\\u{3000}", "\\u{200B}", "，", "\\\\", "é"});
    for (const Colours colours : {Colours::none, Colours::palette, Colours::direct}) {
        const auto lines = lines_of(heat_map(maps, {colours, 80}));
        std::set<int> widths;
        for (std::size_t i = 3; i < 14; ++i)
            widths.insert(display_width(without_colours(lines[i])));
        CHECK(widths.size() == 1);
    }
    const auto lines = lines_of(heat_map(maps, {Colours::palette, 80}));
    CHECK(without_colours(lines[3]) == " query ↓ 小E8␣ ↵ a ␣ ◌ ，\\ é ");
    CHECK(without_colours(lines[5]).starts_with("    ⟨E8⟩ "));
    CHECK(without_colours(lines[10]).starts_with("\\u{200B} "));
}

TEST_CASE("heat map: tokens of several characters stand upright on their column") {
    const auto lines = lines_of(heat_map(even({"的", "the"}), {Colours::palette, 80}));
    CHECK(without_colours(lines[3]) == "          t ");
    CHECK(without_colours(lines[4]) == "          h ");
    CHECK(without_colours(lines[5]) == "query ↓ 的e ");
}

TEST_CASE("heat map: a long text comes in bands of columns, each with the rows that see it") {
    const std::string drawing = heat_map(even(repeated("天", 50)), {Colours::none, 68});
    // 68 columns hold 20 keys of 3: bands 0…19, 20…39, 40…49
    CHECK(drawing.find("key (looked at) →  0…19") != drawing.npos);
    CHECK(drawing.find("key (looked at) →  20…39") != drawing.npos);
    CHECK(drawing.find("key (looked at) →  40…49") != drawing.npos);
    int rows = 0;
    for (const std::string& line : lines_of(drawing)) {
        CHECK(display_width(line) <= 68);
        rows += line.starts_with("     天 ");
    }
    CHECK(rows == 50 + 30 + 10);
}

TEST_CASE("heat map: a terminal of one column still gets an answer") {
    CHECK(heat_map(one_head(example(), 0, 0), {Colours::direct, 1}).size() > 100);
    CHECK(head_grid(example(), {Colours::direct, 1}).size() > 100);
    CHECK(head_grid(example(), {Colours::none, 1}).size() > 100);
}

TEST_CASE("last row: in falling order, repeated tokens with their place") {
    CHECK(last_row(one_head(example(), 0, 0), {}) ==
          "鱼 looks at:  猫 50.0 %  吃 50.0 %  鱼 0.0 %\n");
    AttentionMaps maps = even({"天", "地", "天"});
    maps.weights[6] = Real(0.2), maps.weights[7] = Real(0.3), maps.weights[8] = Real(0.5);
    CHECK(in_chinese([&] {
              return last_row(maps, {Colours::none, 80});
          }) == "天 在看：  天[2] 50.0 %  地 30.0 %  天[0] 20.0 %\n");
    CHECK(last_row(maps, {Colours::none, 24}) ==
          "天 looks at:\n   天[2] 50.0 %\n   地 30.0 %\n   天[0] 20.0 %\n");
}

TEST_CASE("grid: all heads of all blocks, with shades where there are no colours") {
    const std::string expected =
        "猫吃鱼\n"
        "rows = query, downwards; columns = key, to the right; each row sums to 1\n"
        "\n"
        "block 0\n"
        "  head 0  head 1\n"
        "  ██      ██    \n"
        "  ▒▒▓▓    ▒▒▓▓  \n"
        "  ▓▓▓▓    ▓▓▓▓  \n"
        "\n"
        "block 1\n"
        "  head 0  head 1\n"
        "  ██      ██    \n"
        "  ▒▒▓▓    ▒▒▓▓  \n"
        "  ▓▓▓▓    ▓▓▓▓  \n"
        "\n"
        "  weights: blank 0   ░ 6 %   ▒ 25 %   ▓ 56 %   █ 100 %\n";
    CHECK(head_grid(example(), {}) == expected);
}

TEST_CASE("grid: where room is short, two rows share a line") {
    const AttentionMaps maps = even(repeated("天", 5), 8);  // 8 · (2 · 5 + 2) > 80
    const auto lines = lines_of(head_grid(maps, {Colours::palette, 80}));
    CHECK(without_colours(lines[4]) ==
          "  head 0  head 1  head 2  head 3  head 4  head 5  head 6  head 7");
    CHECK(without_colours(lines[5]).starts_with("  ▀▄      ▀▄ "));
    CHECK(without_colours(lines[6]).starts_with("  ▀▀▀▄    ▀▀▀▄ "));
    CHECK(without_colours(lines[7]).starts_with("  ▀▀▀▀▀   ▀▀▀▀▀ "));
    // first picture: 1 over ½, nothing over ½
    CHECK(lines[5].starts_with("  \x1b[38;5;227m\x1b[48;5;149m▀\x1b[0m\x1b[38;5;149m▄\x1b[0m"));
}

TEST_CASE("grid: pictures go on below when a line is full, evenly") {
    const AttentionMaps maps = even(repeated("天", 16), 12);  // 78 / 18: four beside each other
    int titles = 0;
    for (const std::string& line : lines_of(head_grid(maps, {Colours::direct, 80}))) {
        const std::string plain = without_colours(line);
        CHECK(display_width(plain) <= 80);
        titles += plain.starts_with("  head ");
    }
    CHECK(titles == 3);
}

TEST_CASE("grid: a text too long for two pictures side by side is drawn coarser, and says so") {
    const AttentionMaps maps = even(repeated("天", 100), 2);
    const std::string drawing = in_chinese([&] { return head_grid(maps, {Colours::direct, 80}); });
    CHECK(drawing.find("文字较长：每格取 3 × 3 个注意力权重中最大的一个") != drawing.npos);
    for (const std::string& line : lines_of(drawing))
        CHECK(display_width(without_colours(line)) <= 80);
}
