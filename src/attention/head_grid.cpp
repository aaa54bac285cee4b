#include <algorithm>

#include "attention/heat_map.h"
#include "attention/palette.h"
#include "base/format.h"

namespace zhuyi {
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
    const Index T = maps.length(), H = Index(maps.heads.size());
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
double field(In weights, Index T, Index k, Index row, Index column) {
    double largest = -1;
    for (Index t = row * k; t < std::min(T, (row + 1) * k); ++t)
        for (Index s = column * k; s < std::min(t + 1, (column + 1) * k); ++s)
            largest = std::max(largest, double(weights[std::size_t(t * T + s)]));
    return largest < 0 ? -1 : brightness(largest);
}

// Line `y` of one picture; y counts lines of the terminal.
void draw_line(Line& line, In weights, Index T, const Layout& layout, Index y,
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

std::string panel_title(Index head, Language language) {
    const bool chinese = language == Language::chinese;
    if (head == kMeanHead) return chinese ? "平均" : "mean";
    return format(chinese ? "头 %td" : "head %td", head);
}

std::string block_of_panels(const AttentionMaps& maps, std::size_t layer, const Layout& layout,
                            const Picture& picture) {
    Line title(picture.colours);
    title.strong(
        format(picture.language == Language::chinese ? "块 %td" : "block %td", maps.layers[layer]));
    std::string drawing = title.finish();
    const std::size_t H = maps.heads.size(), per_line = std::size_t(layout.per_line);
    const Index lines = layout.cell == 1 ? ceil_div(layout.side, 2) : layout.side;
    for (std::size_t first = 0; first < H; first += per_line) {
        const std::size_t end = std::min(H, first + per_line);
        Line names(picture.colours);
        for (std::size_t h = first; h < end; ++h) {
            names.gap(h == first ? kMargin : kGap);
            names.faint(fit_left(panel_title(maps.heads[h], picture.language), layout.panel));
        }
        drawing += names.finish();
        for (Index y = 0; y < lines; ++y) {
            Line line(picture.colours);
            for (std::size_t h = first; h < end; ++h) {
                line.gap(h == first ? kMargin : kGap);
                draw_line(line, maps.map(layer, h), maps.length(), layout, y, picture);
            }
            drawing += line.finish();
        }
    }
    return drawing;
}

}  // namespace

std::string head_grid(const AttentionMaps& maps, const Picture& picture) {
    const bool chinese = picture.language == Language::chinese;
    int title = 0;
    for (Index head : maps.heads)
        title = std::max(title, display_width(panel_title(head, picture.language)));
    const Layout layout = layout_of(maps, picture, title);

    std::string text;
    for (const std::string& token : maps.tokens) text += side_label(token);
    std::string drawing = cut_to_width(text, picture.width) + "\n";
    Line axes(picture.colours);
    axes.faint(chinese
                   ? "行 = 查询（从上到下），列 = 键（从左到右）；每行之和为 1"
                   : "rows = query, downwards; columns = key, to the right; each row sums to 1");
    drawing += axes.finish();
    if (layout.coarse > 1)
        drawing += format(chinese ? "文字较长：每格取 %td × %td 个权重中最大的一个\n"
                                  : "long text: each cell shows the largest of %td × %td weights\n",
                          layout.coarse, layout.coarse);
    for (std::size_t l = 0; l < maps.layers.size(); ++l)
        drawing += "\n" + block_of_panels(maps, l, layout, picture);
    return drawing + "\n" + legend(picture, kMargin);
}

}  // namespace zhuyi
