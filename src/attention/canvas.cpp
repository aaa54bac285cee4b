#include "attention/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/utf8.h"
#include "text/tokenizer.h"

namespace zhuyi {
// Hue goes from blue (266°) through cyan (195°) and green (148°) to yellow (104°) while lightness
// rises evenly; chroma is as large as sRGB allows there. Between them sRGB is mixed linearly, which
// stays within 0.01 of the straight line.
constexpr std::array<Rgb, 9> kColours{{{0x07, 0x17, 0x5a},
                                       {0x00, 0x34, 0x71},
                                       {0x00, 0x50, 0x87},
                                       {0x00, 0x6f, 0x8e},
                                       {0x1b, 0x8f, 0x8f},
                                       {0x27, 0xaf, 0x8d},
                                       {0x66, 0xcb, 0x79},
                                       {0xb3, 0xde, 0x64},
                                       {0xfb, 0xed, 0x58}}};

constexpr std::array<int, 9> kPalette{17, 18, 24, 30, 36, 77, 149, 185, 227};

constexpr std::array<const char*, 5> kShades{" ", "░", "▒", "▓", "█"};

template <class Table>
auto nearest(const Table& table, double x) {
    const double last = double(table.size() - 1);
    return table[std::size_t(std::lround(std::clamp(x, 0.0, 1.0) * last))];
}

// 38 sets the colour of what is drawn, 48 of its background (ISO 8613-6, as xterm reads it).
static std::string sequence(int ground, double x, Colours colours) {
    if (colours == Colours::palette) return format("\x1b[%d;5;%dm", ground, palette_colour(x));
    if (colours == Colours::none) return "";
    const Rgb c = colour(x);
    return format("\x1b[%d;2;%d;%d;%dm", ground, c.red, c.green, c.blue);
}

// (A NaN, of a model gone astray, is drawn as nothing.)
double brightness(double weight) { return weight > 0 ? std::sqrt(std::min(weight, 1.0)) : 0; }

Rgb colour(double x) {
    const double place = std::clamp(x, 0.0, 1.0) * double(kColours.size() - 1);
    const std::size_t low = std::min(std::size_t(place), kColours.size() - 2);
    const double share = place - double(low);
    const Rgb a = kColours[low], b = kColours[low + 1];
    const auto between = [share](int from, int to) {
        return int(std::lround(from + share * (to - from)));
    };
    return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

int palette_colour(double x) { return nearest(kPalette, x); }
const char* shade(double x) { return nearest(kShades, x); }

std::string foreground(double x, Colours colours) { return sequence(38, x, colours); }
std::string background(double x, Colours colours) { return sequence(48, x, colours); }
std::string plain_again(Colours colours) { return colours == Colours::none ? "" : "\x1b[0m"; }

// How a token's name writes a byte that is no whole character: ⟨E8⟩.
constexpr std::string_view kOpen = "⟨", kClose = "⟩";
constexpr std::size_t kByteName = kOpen.size() + 2 + kClose.size();

void Line::put(const std::string& style, std::string_view text) {
    if (colours_ != Colours::none && style != style_) {
        if (!style_.empty()) line_ += plain_again(colours_);
        line_ += style;
        style_ = style;
    }
    line_ += text;
}

void Line::gap(int columns) { text(std::string(std::size_t(std::max(columns, 0)), ' ')); }

void Line::cell(double brightness, int columns) {
    put(background(brightness, colours_), std::string(std::size_t(columns), ' '));
}

void Line::halves(double upper, double lower) {
    if (upper < 0 && lower < 0) return gap(1);
    if (lower < 0)
        put(foreground(upper, colours_), "▀");
    else if (upper < 0)
        put(foreground(lower, colours_), "▄");
    else
        put(foreground(upper, colours_) + background(lower, colours_), "▀");
}

std::string Line::finish() {
    text("");
    std::string line = std::move(line_) + "\n";
    line_.clear();
    return line;
}

std::string side_label(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"\\n", "↵"},       {"\\r", "␍"},     {"\\t", "⇥"},   {"\\s", "␣"},
        {"\\u{3000}", "␣"}, {"\\u{A0}", "␣"}, {"\\\\", "\\"}, {kEndOfTextName, "∎"}};
    std::string label;
    while (!name.empty()) {
        const auto sign = std::ranges::find_if(
            kSigns, [&](const auto& known) { return name.starts_with(known.first); });
        const std::size_t length =
            sign != std::end(kSigns) ? sign->first.size() : utf8::front(name).length;
        label += sign != std::end(kSigns) ? sign->second : name.substr(0, length);
        name.remove_prefix(length);
    }
    return label;
}

std::vector<std::string> top_label(std::string_view name) {
    const std::string label = side_label(name);
    std::vector<std::string> glyphs;
    for (std::string_view rest = label; !rest.empty();) {
        const std::size_t brace = rest.starts_with("\\u{") ? rest.find('}') : rest.npos;
        const bool byte = rest.starts_with(kOpen) && rest.size() >= kByteName &&
                          rest.substr(kByteName - kClose.size()).starts_with(kClose);
        const std::size_t length = byte                 ? kByteName
                                   : brace != rest.npos ? brace + 1
                                                        : utf8::front(rest).length;
        glyphs.emplace_back(byte                 ? rest.substr(kOpen.size(), 2)
                            : brace != rest.npos ? "◌"
                                                 : rest.substr(0, length));
        rest.remove_prefix(length);
    }
    return glyphs;
}

// With brightness √w, the weight w stands at √w of the bar's length.
std::string legend(const Picture& picture, int margin) {
    if (picture.colours == Colours::none) {
        constexpr Words kLegend{"weights: blank 0   ░ 6 %   ▒ 25 %   ▓ 56 %   █ 100 %",
                                "注意力权重：空白 0   ░ 6 %   ▒ 25 %   ▓ 56 %   █ 100 %"};
        return std::string(std::size_t(margin), ' ') + say(kLegend) + "\n";
    }
    constexpr int kLength = 41;
    constexpr std::array<int, 7> kPercent{0, 1, 4, 10, 25, 50, 100};
    Line bar(picture);
    bar.gap(margin);
    for (int i = 0; i < kLength; ++i) bar.cell(double(i) / (kLength - 1), 1);
    std::string numbers(std::size_t(margin), ' ');
    for (int percent : kPercent) {
        const int place = margin + int(std::lround((kLength - 1) * brightness(percent / 100.0)));
        numbers.resize(std::max(numbers.size(), std::size_t(place)), ' ');
        numbers += std::to_string(percent);
    }
    Line below(picture);
    below.text(numbers);
    below.faint(say({" %% of a row; bright: much", " %%，越亮看得越多"}));
    return bar.finish() + below.finish();
}

}  // namespace zhuyi
