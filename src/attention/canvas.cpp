#include "attention/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "attention/palette.h"
#include "base/format.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kFaint = "\x1b[2m";

// How a token's name writes a byte that is no whole character: ⟨E8⟩.
constexpr std::string_view kOpen = "⟨", kClose = "⟩";
constexpr std::size_t kByteName = kOpen.size() + 2 + kClose.size();

}  // namespace

void Line::style(const std::string& sequence) {
    if (colours_ == Colours::none || sequence == style_) return;
    if (!style_.empty()) line_ += plain_again(colours_);
    line_ += sequence;
    style_ = sequence;
}

void Line::text(std::string_view text) {
    style("");
    line_ += text;
}

void Line::strong(std::string_view text) {
    style(kBold);
    line_ += text;
}

void Line::faint(std::string_view text) {
    style(kFaint);
    line_ += text;
}

void Line::gap(int columns) { text(std::string(std::size_t(std::max(columns, 0)), ' ')); }

void Line::cell(double brightness, int columns) {
    style(background(brightness, colours_));
    line_.append(std::size_t(columns), ' ');
}

void Line::halves(double upper, double lower) {
    if (upper < 0 && lower < 0) return gap(1);
    if (lower < 0) {
        style(foreground(upper, colours_));
        line_ += "▀";
    } else if (upper < 0) {
        style(foreground(lower, colours_));
        line_ += "▄";
    } else {
        style(foreground(upper, colours_) + background(lower, colours_));
        line_ += "▀";
    }
}

std::string Line::finish() {
    style("");
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
            sign != std::end(kSigns) ? sign->first.size() : std::size_t(utf8::front(name).length);
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
                                                        : std::size_t(utf8::front(rest).length);
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
        constexpr Words kShades{"weights: blank 0   ░ 6 %   ▒ 25 %   ▓ 56 %   █ 100 %",
                                "注意力权重：空白 0   ░ 6 %   ▒ 25 %   ▓ 56 %   █ 100 %"};
        return std::string(std::size_t(margin), ' ') + say(kShades) + "\n";
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
