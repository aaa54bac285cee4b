// The tutorial's printed table of 猫 吃 鱼, as a sheet.
#include <cmath>

#include "base/format.h"
#include "base/grid.h"
#include "explain/examples.h"

namespace zhuyi {
// Returns whether the rows agree to the last digit that is printed.
static bool same_row(const Grid& a, const Grid& b, Index row, int decimals) {
    for (Index c = 0; c < a.columns; ++c)
        if (std::abs(a.at(row, c) - b.at(row, c)) > 1.01 * std::pow(10.0, -decimals)) return false;
    return true;
}

static std::string text_of(const Grid& x, Index row, int decimals) {
    return joined(x.row(row), "  ", [&](double v) { return format("%.*f", decimals, v); });
}

constexpr const char* kTokens[] = {"猫", "吃", "鱼"};
constexpr Words kSlip = {"← a slip", "← 算错了"};

// Writes one step of the table: what is printed, what follows from what was printed before it, and
// what is right; (3, columns) each.
static void write_step(Sheet& sheet, const char* key, const Label& name, int decimals,
                       const Grid& printed, const Grid& follows, const Grid& right) {
    sheet.section(key, name);
    Sheet::Table& table = sheet.list(key, {{"printed", "印的"},
                                           {"from the printed before", "由印的前几步算出"},
                                           {"right", "正确"},
                                           ""});
    for (Index r = 0; r < 3; ++r) {
        const std::string verdict =
            !same_row(printed, follows, r, decimals) ? say(kSlip)
            : same_row(printed, right, r, decimals)
                ? say({"right", "正确"})
                : say({"follows, from wrong numbers", "这步没错，错在前面"});
        table.add(kTokens[r], {text_of(printed, r, decimals), text_of(follows, r, 4),
                               text_of(right, r, 4), verdict});
    }
}

static void write_steps(Sheet& sheet) {
    const Sheet right = example_sheet(1, Mask::none);
    const auto of = [&](const char* section, const char* key) {
        return right.table(section, key).grid();
    };
    const Grid Q(3, 2, {0.60, 0.47, 0.58, 0.90, 0.72, 0.65});
    const Grid K(3, 2, {0.32, 0.56, 0.50, 0.71, 0.68, 0.42});
    const Grid V(3, 2, {0.35, 0.42, 0.62, 0.28, 0.54, 0.63});
    const Grid S(3, 3, {0.455, 0.634, 0.605, 0.572, 0.869, 0.753, 0.533, 0.767, 0.763});
    const Grid A(3, 3, {0.298, 0.356, 0.346, 0.246, 0.422, 0.332, 0.276, 0.354, 0.370});
    const Grid Z(3, 2, {0.512, 0.443, 0.527, 0.422, 0.519, 0.468});
    for (const auto& [name, printed] : {std::pair("Q", Q), std::pair("K", K), std::pair("V", V)}) {
        const Grid y = of("projections", name);
        write_step(sheet, name, format("%s = X · W_%s", name, name), 2, printed, y, y);
    }
    write_step(sheet, "scores", "Q · Kᵀ", 3, S, times(Q, transposed(K)), of("scores", "products"));
    write_step(sheet, "weights", {"weights (÷ √2 left out)", "注意力权重（漏了 ÷ √2）"}, 3, A,
               softmax_rows(S), of("softmax", "weights"));
    write_step(sheet, "output", {"output = weights · V", "输出 = 注意力权重 · V"}, 3, Z,
               times(A, V), of("mix", "mix"));
}

Sheet printed_sheet() {
    Sheet sheet{{"猫 吃 鱼: the printed table beside the right one", "猫 吃 鱼：印的表与正确的表"}};
    write_steps(sheet);
    List<std::string> slips;
    for (const Sheet::Section& section : sheet.sections)
        for (const Sheet::Row& row : section.table(section.key).rows)
            if (row.words(3) == say(kSlip)) slips.push_back(section.key + "[" + row.label + "]");
    sheet.sections.push_back({"road", {"Where the road was left", "从哪里走错"}});
    sheet.text(
        {"The first slip is %s; %td of 18 rows do not follow from what was printed before. "
         "Besides, ÷ √2 is named and then left out, so that the weights are those of unscaled "
         "scores. The right ones: zhuyi explain --example.",
         "第一处错在 %s；18 行中有 %td 行，由印出的前几步算不出来。另外，文中说要 ÷ √2，手算时却漏"
         "了，所以权重是未缩放的。正确的演算：zhuyi explain --example。"},
        slips[0], slips.count());
    return sheet;
}

}  // namespace zhuyi
