// The tutorial's printed table of 猫 吃 鱼, as a sheet.
#include <cmath>

#include "base/format.h"
#include "base/grid.h"
#include "explain/examples.h"

namespace zhuyi {
namespace {

Grid times(const Grid& a, const Grid& b) {
    Grid y(a.rows, b.columns);
    for (Index i = 0; i < a.rows; ++i)
        for (Index k = 0; k < a.columns; ++k)
            for (Index j = 0; j < b.columns; ++j) y.at(i, j) += a.at(i, k) * b.at(k, j);
    return y;
}

Grid times_transposed(const Grid& a, const Grid& b) {
    Grid y(a.rows, b.rows);
    for (Index i = 0; i < a.rows; ++i)
        for (Index j = 0; j < b.rows; ++j) y.at(i, j) = dot(a.row(i), b.row(j));
    return y;
}

Grid softmax_rows(const Grid& x) {
    Grid y(0, x.columns);
    for (Index r = 0; r < x.rows; ++r)
        for (const double p : softmax(x.row(r))) y.values.push_back(p);
    y.rows = x.rows;
    return y;
}

// Returns whether the rows agree to the last digit that is printed.
bool same_row(const Grid& a, const Grid& b, Index row, int decimals) {
    for (Index c = 0; c < a.columns; ++c)
        if (std::abs(a.at(row, c) - b.at(row, c)) > 1.01 * std::pow(10.0, -decimals)) return false;
    return true;
}

std::string text_of(const Grid& x, Index row, int decimals) {
    std::string text;
    for (const double v : x.row(row))
        text += (text.empty() ? "" : "  ") + format("%.*f", decimals, v);
    return text;
}

// A step of the table, (3, columns) each.
struct Stage {
    const char* key;
    Label name;
    int decimals;
    Grid printed;
    Grid follows;  // from what was printed before it
    Grid right;    // as its own program computes it
};

std::vector<Stage> stages() {
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
    return {{"Q", "Q = X · W_Q", 2, Q, of("projections", "Q"), of("projections", "Q")},
            {"K", "K = X · W_K", 2, K, of("projections", "K"), of("projections", "K")},
            {"V", "V = X · W_V", 2, V, of("projections", "V"), of("projections", "V")},
            {"scores", "Q · Kᵀ", 3, S, times_transposed(Q, K), of("scores", "products")},
            {"weights",
             {"weights (÷ √2 left out)", "注意力权重（漏了 ÷ √2）"},
             3,
             A,
             softmax_rows(S),
             of("softmax", "weights")},
            {"output",
             {"output = weights · V", "输出 = 注意力权重 · V"},
             3,
             Z,
             times(A, V),
             of("mix", "mix")}};
}

}  // namespace

Sheet printed_sheet() {
    Sheet sheet{{"猫 吃 鱼: the printed table beside the right one", "猫 吃 鱼：印的表与正确的表"}};
    constexpr const char* tokens[] = {"猫", "吃", "鱼"};
    std::string first;
    Index wrong = 0;
    for (const Stage& stage : stages()) {
        sheet.section(stage.key, stage.name);
        Sheet::Table& table =
            sheet.list(stage.key, {{"printed", "印的"},
                                   {"from the printed before", "由印的前几步算出"},
                                   {"right", "正确"},
                                   ""});
        for (Index r = 0; r < 3; ++r) {
            const bool slip = !same_row(stage.printed, stage.follows, r, stage.decimals);
            const bool is_right = same_row(stage.printed, stage.right, r, stage.decimals);
            wrong += slip;
            if (slip && first.empty()) first = std::string(stage.key) + "[" + tokens[r] + "]";
            const std::string verdict =
                slip       ? say({"← a slip", "← 算错了"})
                : is_right ? say({"right", "正确"})
                           : say({"follows, from wrong numbers", "这步没错，错在前面"});
            table.add(tokens[r], {text_of(stage.printed, r, stage.decimals),
                                  text_of(stage.follows, r, stage.decimals),
                                  text_of(stage.right, r, 4), verdict});
        }
    }
    sheet.sections.push_back({"road", {"Where the road was left", "从哪里走错"}});
    sheet.text(
        {"The first slip is %s; %td of 18 rows do not follow from what was printed before. "
         "Besides, ÷ √2 is named and then left out, so that the weights are those of unscaled "
         "scores. The right ones: zhuyi explain --example.",
         "第一处错在 %s；18 行中有 %td 行，由印出的前几步算不出来。另外，文中说要 ÷ "
         "√2，手算时却漏了，所以权重"
         "是未缩放的。正确的演算：zhuyi explain --example。"},
        first, wrong);
    return sheet;
}

}  // namespace zhuyi
