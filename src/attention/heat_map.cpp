#include "attention/heat_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "attention/palette.h"
#include "base/format.h"

namespace zhuyi {
namespace {

constexpr Words kQuery{"query ↓", "查询 ↓"};
constexpr Words kKeys{"key (looked at) →", "键（被看的字）→"};

// The rows of one band of columns: labels on the left, cells to the right.
class Band {
  public:
    Band(In weights, const std::vector<std::string>& tokens, const Picture& picture)
        : weights_(weights), tokens_(tokens), picture_(picture) {
        label_ = display_width(kQuery.in(picture.language));
        for (const std::string& token : tokens)
            label_ = std::max(label_, display_width(side_label(token)));
        label_ = std::min(label_, 16);
        cell_ = picture.colours == Colours::none ? 3 : 2;
    }

    int margin() const { return label_ + 1; }
    Index most_columns() const { return std::max<Index>(1, (picture_.width - margin()) / cell_); }

    // Keys [from, to). Queries before `from` see none of them and are left out.
    std::string draw(Index from, Index to) const {
        std::string drawing = axis(from, to) + header(from, to);
        for (Index t = from; t < length(); ++t) drawing += row(t, from, to);
        return drawing;
    }

  private:
    Index length() const { return Index(tokens_.size()); }
    const std::string& token(Index t) const { return tokens_[std::size_t(t)]; }

    std::string axis(Index from, Index to) const {
        std::string words = kKeys.in(picture_.language);
        if (to - from < length()) words += format("  %td…%td", from, to - 1);
        Line line(picture_.colours);
        line.gap(margin());
        line.faint(fit_left(words, std::max(int(to - from) * cell_, display_width(words))));
        return line.finish();
    }

    std::string header(Index from, Index to) const {
        std::size_t height = 1;
        for (Index s = from; s < to; ++s) height = std::max(height, top_label(token(s)).size());
        std::string lines;
        for (std::size_t y = 0; y < height; ++y) {
            Line line(picture_.colours);
            line.faint(fit_right(y + 1 == height ? kQuery.in(picture_.language) : "", label_));
            line.gap(1);
            for (Index s = from; s < to; ++s) {
                const std::vector<std::string> glyphs = top_label(token(s));
                const std::size_t first = height - glyphs.size();  // they stand on the map
                const std::string glyph = y < first ? "" : glyphs[y - first];
                line.text(cell_ == 2 ? fit_left(glyph, cell_) : fit_right(glyph, cell_));
            }
            lines += line.finish();
        }
        return lines;
    }

    std::string row(Index t, Index from, Index to) const {
        Line line(picture_.colours);
        line.text(fit_right(side_label(token(t)), label_));
        line.gap(1);
        for (Index s = from; s < to; ++s) {
            const double weight = double(weights_[std::size_t(t * length() + s)]);
            if (s > t)
                line.gap(cell_);
            else if (picture_.colours == Colours::none)
                line.text(weight < 0.005 ? "  ·" : format("%3.0f", 100 * weight));
            else
                line.cell(brightness(weight), cell_);
        }
        return line.finish();
    }

    In weights_;  // (T, T)
    const std::vector<std::string>& tokens_;
    const Picture& picture_;
    int label_, cell_;
};

std::string title(const AttentionMaps& maps, std::size_t layer, std::size_t head,
                  Language language) {
    const bool chinese = language == Language::chinese;
    std::string text = format(chinese ? "块 %td · " : "block %td · ", maps.layers[layer]);
    if (maps.heads[head] == kMeanHead) return text + (chinese ? "各头平均" : "mean of the heads");
    return text + format(chinese ? "头 %td" : "head %td", maps.heads[head]);
}

}  // namespace

std::string heat_map(const AttentionMaps& maps, std::size_t layer, std::size_t head,
                     const Picture& picture) {
    constexpr Words kRows{"each row sums to 1", "每行之和为 1"};
    const Band band(maps.map(layer, head), maps.tokens, picture);
    Line first(picture.colours);
    first.strong(title(maps, layer, head, picture.language));
    first.faint(std::string("   ") + kRows.in(picture.language));
    std::string drawing = first.finish();
    const Index T = maps.length(), most = band.most_columns();
    for (Index from = 0; from < T; from += most)
        drawing += "\n" + band.draw(from, std::min(T, from + most));
    drawing += "\n";
    if (picture.colours != Colours::none) return drawing + legend(picture, band.margin());
    constexpr Words kPercent{"numbers are percent of a row; · is below 0.5",
                             "数字是占一行的百分比；· 表示不足 0.5"};
    return drawing + std::string(std::size_t(band.margin()), ' ') + kPercent.in(picture.language) +
           "\n";
}

std::string last_row(const AttentionMaps& maps, std::size_t layer, std::size_t head,
                     const Picture& picture) {
    constexpr std::size_t kMost = 12;
    const std::size_t T = maps.tokens.size();
    const In row = maps.map(layer, head).last(T);
    std::vector<std::size_t> order(T);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [row](std::size_t a, std::size_t b) { return row[a] > row[b]; });
    std::map<std::string, int> times;
    for (const std::string& token : maps.tokens) ++times[token];

    constexpr Words kLooks{" looks at:", " 在看："};
    std::string text, line = side_label(maps.tokens.back()) + kLooks.in(picture.language);
    for (std::size_t rank = 0; rank < std::min(T, kMost); ++rank) {
        const std::size_t s = order[rank];
        std::string entry = "  " + side_label(maps.tokens[s]);
        if (times[maps.tokens[s]] > 1) entry += format("[%zu]", s);
        entry += format(" %.1f %%", 100 * double(row[s]));
        if (display_width(line) + display_width(entry) > picture.width) {
            text += line + "\n";
            line = " ";
        }
        line += entry;
    }
    return text + line + "\n";
}

}  // namespace zhuyi
