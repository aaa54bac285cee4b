#include "attention/pictures.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr Words kQuery{"query ↓", "查询 Query ↓"};
constexpr Words kKeys{"key (looked at) →", "键 Key（被看的字）→"};

// The rows of one band of columns: labels on the left, cells to the right.
class Band {
  public:
    Band(const AttentionMaps& maps, const Picture& picture)
        : weights_(maps.map(0, 0)), tokens_(maps.tokens), picture_(picture) {
        label_ = display_width(say(kQuery));
        for (const std::string& token : tokens_)
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
    Index length() const { return tokens_.count(); }

    std::string axis(Index from, Index to) const {
        std::string words = say(kKeys);
        if (to - from < length()) words += format("  %td…%td", from, to - 1);
        Line line(picture_);
        line.gap(margin());
        line.faint(fit_left(words, std::max(int(to - from) * cell_, display_width(words))));
        return line.finish();
    }

    std::string header(Index from, Index to) const {
        std::size_t height = 1;
        for (Index s = from; s < to; ++s) height = std::max(height, top_label(tokens_[s]).size());
        std::string lines;
        for (std::size_t y = 0; y < height; ++y) {
            Line line(picture_);
            line.faint(fit_right(y + 1 == height ? say(kQuery) : "", label_));
            line.gap(1);
            for (Index s = from; s < to; ++s) {
                const std::vector<std::string> glyphs = top_label(tokens_[s]);
                const std::size_t first = height - glyphs.size();  // they stand on the map
                const std::string glyph = y < first ? "" : glyphs[y - first];
                line.text(cell_ == 2 ? fit_left(glyph, cell_) : fit_right(glyph, cell_));
            }
            lines += line.finish();
        }
        return lines;
    }

    std::string row(Index t, Index from, Index to) const {
        Line line(picture_);
        line.text(fit_right(side_label(tokens_[t]), label_));
        line.gap(1);
        for (Index s = from; s < to; ++s) {
            const double weight = double(weights_[t * length() + s]);
            if (s > t)
                line.gap(cell_);
            else if (picture_.colours == Colours::none)
                line.text(weight < 0.005 ? "  ·" : format("%3.0f", 100 * weight));
            else
                line.cell(brightness(weight), cell_);
        }
        return line.finish();
    }

    View<const Real> weights_;  // (T, T)
    const List<std::string>& tokens_;
    const Picture& picture_;
    int label_, cell_;
};

}  // namespace

std::string heat_map(const AttentionMaps& maps, const Picture& picture) {
    const Band band(maps, picture);
    Line title(picture);
    title.strong(block_words(maps.blocks[0]) + " · " + head_words(maps.heads[0]));
    title.faint(say({"   each row sums to 1", "   每行之和为 1"}));
    std::string drawing = title.finish();
    const Index T = maps.length(), most = band.most_columns();
    for (Index from = 0; from < T; from += most)
        drawing += "\n" + band.draw(from, std::min(T, from + most));
    drawing += "\n";
    if (picture.colours != Colours::none) return drawing + legend(picture, band.margin());
    constexpr Words kPercent{"numbers are percent of a row; · is below 0.5",
                             "数字是占一行的百分比；· 表示不足 0.5"};
    return drawing + std::string(std::size_t(band.margin()), ' ') + say(kPercent) + "\n";
}

std::string last_row(const AttentionMaps& maps, const Picture& picture) {
    constexpr Index kMost = 12;
    const Index T = maps.length();
    const View<const Real> row = maps.map(0, 0).part((T - 1) * T, T);
    List<Index> order;
    for (Index s = 0; s < T; ++s) order.push_back(s);
    std::ranges::stable_sort(order, std::ranges::greater(), [row](Index s) { return row[s]; });
    std::map<std::string, int> times;
    for (const std::string& token : maps.tokens) ++times[token];

    const std::string looks = say({"%s looks at:", "%s 在看："}, side_label(maps.tokens.back()));
    std::string text, line = looks;
    for (Index rank = 0; rank < std::min(T, kMost); ++rank) {
        const Index s = order[rank];
        std::string entry = "  " + side_label(maps.tokens[s]);
        if (times[maps.tokens[s]] > 1) entry += format("[%td]", s);
        entry += format(" %.1f %%", 100 * double(row[s]));
        if (display_width(line) + display_width(entry) > picture.width) {
            text += line + "\n";
            line = " ";
        }
        line += entry;
    }
    return text + line + "\n";
}

namespace {

constexpr int kMargin = 2, kGap = 2;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

// How the small pictures are laid out.
struct Layout {
    Index side;      // weights of a picture's edge, after making it coarser
    Index coarse;    // k: one weight drawn for k × k
    int cell;        // columns of a weight: 1 (half a line high) or 2 (a whole line)
    int panel;       // columns of a picture, and of its title
    Index per_line;  // pictures side by side
};

Layout layout_of(const AttentionMaps& maps, const Picture& picture, int title) {
    const Index T = maps.length(), H = maps.heads.count();
    const Index room = std::max(picture.width - kMargin + kGap, kGap + 4);
    const bool spacious = H * (2 * T + kGap) <= room;
    Layout layout{};
    layout.cell = spacious || picture.colours == Colours::none ? 2 : 1;
    // At least two side by side, or comparing them becomes a matter of scrolling.
    const Index widest = std::max<Index>(room / std::min<Index>(H, 2) - kGap, 1);
    layout.coarse = 1;
    while (ceil_div(T, layout.coarse) * layout.cell > widest && layout.coarse < T) ++layout.coarse;
    layout.side = ceil_div(T, layout.coarse);
    layout.panel = std::max(int(layout.side) * layout.cell, title);
    const Index fitting = std::clamp<Index>(room / (layout.panel + kGap), 1, H);
    layout.per_line = ceil_div(H, ceil_div(H, fitting));  // 12 heads where 5 fit: 4 + 4 + 4
    return layout;
}

// The largest weight of a k × k field, or -1 where the field lies wholly above the diagonal.
double field(View<const Real> weights, Index T, Index k, Index row, Index column) {
    double largest = -1;
    for (Index t = row * k; t < std::min(T, (row + 1) * k); ++t)
        for (Index s = column * k; s < std::min(t + 1, (column + 1) * k); ++s)
            largest = std::max(largest, double(weights[t * T + s]));
    return largest < 0 ? -1 : brightness(largest);
}

// Line `y` of one picture; y counts lines of the terminal.
void draw_line(Line& line, View<const Real> weights, Index T, const Layout& layout, Index y,
               const Picture& picture) {
    for (Index s = 0; s < layout.side; ++s) {
        const auto at = [&](Index row) {
            return row < layout.side ? field(weights, T, layout.coarse, row, s) : -1;
        };
        if (layout.cell == 1) {
            line.halves(at(2 * y), at(2 * y + 1));
            continue;
        }
        const double x = at(y);
        if (x < 0)
            line.gap(2);
        else if (picture.colours == Colours::none)
            line.text(std::string(shade(x)) + shade(x));
        else
            line.cell(x, 2);
    }
    line.gap(layout.panel - int(layout.side) * layout.cell);
}

std::string block_of_panels(const AttentionMaps& maps, Index block, const Layout& layout,
                            const Picture& picture) {
    Line title(picture);
    title.strong(block_words(maps.blocks[block]));
    std::string drawing = title.finish();
    const Index H = maps.heads.count();
    const Index lines = layout.cell == 1 ? ceil_div(layout.side, 2) : layout.side;
    for (Index first = 0; first < H; first += layout.per_line) {
        const Index end = std::min(H, first + layout.per_line);
        Line names(picture);
        for (Index h = first; h < end; ++h) {
            names.gap(h == first ? kMargin : kGap);
            names.faint(fit_left(head_words(maps.heads[h]), layout.panel));
        }
        drawing += names.finish();
        for (Index y = 0; y < lines; ++y) {
            Line line(picture);
            for (Index h = first; h < end; ++h) {
                line.gap(h == first ? kMargin : kGap);
                draw_line(line, maps.map(block, h), maps.length(), layout, y, picture);
            }
            drawing += line.finish();
        }
    }
    return drawing;
}

}  // namespace

std::string head_grid(const AttentionMaps& maps, const Picture& picture) {
    int title = 0;
    for (Index head : maps.heads) title = std::max(title, display_width(head_words(head)));
    const Layout layout = layout_of(maps, picture, title);

    std::string drawing = cut_to_width(joined(maps.tokens, "", side_label), picture.width) + "\n";
    Line axes(picture);
    axes.faint(say({"rows = query, downwards; columns = key, to the right; each row sums to 1",
                    "行 = 查询 Query（从上到下），列 = 键 Key（从左到右）；每行之和为 1"}));
    drawing += axes.finish();
    if (layout.coarse > 1)
        drawing += say({"long text: each cell shows the largest of %1$td × %1$td weights\n",
                        "文字较长：每格取 %1$td × %1$td 个注意力权重中最大的一个\n"},
                       layout.coarse);
    for (Index l = 0; l < maps.blocks.count(); ++l)
        drawing += "\n" + block_of_panels(maps, l, layout, picture);
    return drawing + "\n" + legend(picture, kMargin);
}

std::string drawing(const AttentionMaps& maps, const Picture& picture) {
    if (maps.blocks.size() == 1 && maps.heads.size() == 1)
        return heat_map(maps, picture) + "\n" + last_row(maps, picture);
    constexpr Words kMore{"One head large, with its numbers: --layer 0 --head 0 (or mean)\n",
                          "放大看一个头和它的数：--layer 0 --head 0（或 mean）\n"};
    return head_grid(maps, picture) + "\n" + say(kMore);
}

}  // namespace zhuyi
