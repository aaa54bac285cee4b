#include "explain/examples.h"

#include <doctest/doctest.h>

#include <cmath>

#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

TEST_CASE("dot: 邀请 is nearest to 沈, by the dot product and by the angle") {
    const Sheet sheet = dot_sheet();
    const Sheet::Table& pairs = sheet.table("cosine", "pairs");
    const double dots[] = {0.53, 0.66, 0.40};
    for (Index i = 0; i < 3; ++i) {  // a · b, ‖a‖, ‖b‖, cosine
        const Sheet::Row& pair = pairs.row(i);
        CHECK(close(pair.number(0), dots[i], 1e-6));
        CHECK(close(pair.number(3) * pair.number(1) * pair.number(2), dots[i], 1e-6));
        CHECK(close(pair.number(1), std::sqrt(0.64 + 0.04 + 0.49), 1e-9));
    }
    CHECK(pairs.row("沈").number(3) > pairs.row("小").number(3));
}

TEST_CASE("query: one row through W_Q") {
    const double course[] = {0.38, 0.48, 0.58};
    const Numbers q = query_sheet().table("product", "q").row(0).numbers();
    for (Index i = 0; i < 3; ++i) CHECK(close(q[i], course[i], 1e-6));
}

TEST_CASE("softmax: the course's row of scores") {
    const Sheet sheet = softmax_sheet();
    const Sheet::Table& table = sheet.table("softmax");
    Numbers scores;
    for (Index i = 0; i < 4; ++i) scores.push_back(table.row(i).number(0));
    for (Index i = 0; i < 4; ++i) CHECK(close(table.row(i).number(3), softmax(scores)[i], 1e-6));
    CHECK(close(table.row(2).number(3), 0.9943, 1e-4));
}

TEST_CASE("scaling: random vectors of real dimensions, and what softmax makes of their scores") {
    const Sheet sheet = softmax_sheet();
    // √d_k, deviation, largest weight, the same scaled, entropy, the same scaled
    const Sheet::Table& rows = sheet.table("scaling");
    REQUIRE(rows.rows.size() == 4);
    const double largest[] = {0.65, 0.88, 0.94, 0.97};
    for (Index i = 0; i < 4; ++i) {
        const Sheet::Row& r = rows.row(i);
        CAPTURE(r.label);
        CHECK(close(r.number(1), r.number(0), 0.05 * r.number(0)));
        CHECK(close(r.number(2), largest[i], 0.02));
        CHECK(close(r.number(3), 0.51, 0.03));  // the same for every d_k
        CHECK(r.number(4) < r.number(5));
    }
    const Sheet::Table& gradients = sheet.table("scaling", "gradients");
    const auto gradient = [&](Index row, Index cell) {
        return std::stod(gradients.row(row).words(cell));
    };
    CHECK(gradient(3, 0) < 1e-3 * gradient(0, 0));  // nothing gets through
    CHECK(gradient(3, 1) > 100 * gradient(3, 0));
    // divided by √d_k, scores have variance 1 for every d_k; 1/2 is the largest derivative there is
    for (Index i = 0; i < 4; ++i) {
        const double scaled = gradient(i, 1) * rows.row(i).number(0);
        CHECK((scaled > 0.3 && scaled <= 0.5));
    }
}

TEST_CASE("scaling: the size of the derivative is that of a finite difference") {
    // four equal scores: p = 1/4 each, ‖diag(p) - p pᵀ‖ = √(4·(3/16)² + 12·(1/16)²) = √3 / 4
    const Numbers p = softmax(Numbers(4, 0.0));
    double squares = 0;
    for (std::size_t j = 0; j < 4; ++j) {
        Numbers above(4, 0.0), below(4, 0.0);
        above[j] += 1e-5, below[j] -= 1e-5;
        const Numbers a = softmax(above), b = softmax(below);
        for (std::size_t i = 0; i < 4; ++i) squares += std::pow((a[i] - b[i]) / 2e-5, 2);
    }
    CHECK(close(std::sqrt(squares), std::sqrt(3.0) / 4, 1e-6));
}

TEST_CASE("the smaller examples on paper") {
    const std::string dot = in_chinese([] { return sheet_as_terminal(dot_sheet(), {}); });
    CHECK(has(dot, "邀请 · 小 = 0.8000·0.2000 + 0.2000·0.8000 + 0.7000·0.3000 = 0.5300\n"));
    CHECK(has(dot, "   沈  0.6600  1.0817  0.8602  0.7093\n"));
    CHECK(has(sheet_as_terminal(query_sheet(), {}), "q  0.3800  0.4800  0.5800\n"));
    const std::string softmax = sheet_as_terminal(softmax_sheet(), {});
    CHECK(has(softmax, "√128 = 11.3"));
    CHECK(has(softmax, "   d_k = 512  22.6274"));
}

TEST_CASE("the printed table: the first slip is found, and 14 of 18 rows do not follow") {
    const Sheet sheet = printed_sheet();
    // printed, what follows from the printed before, right, the verdict
    const auto cell = [&](const char* stage, const char* row, Index number) {
        return sheet.table(stage).row(row).words(number);
    };
    CHECK(cell("Q", "猫", 3) == "right");
    CHECK(cell("Q", "吃", 3) == "← a slip");
    CHECK(cell("scores", "猫", 3) == "follows, from wrong numbers");
    CHECK(cell("scores", "吃", 3) == "← a slip");
    CHECK(cell("weights", "猫", 3) == "follows, from wrong numbers");
    CHECK(cell("weights", "吃", 3) == "← a slip");
    CHECK(cell("output", "猫", 3) == "follows, from wrong numbers");
    CHECK(has(cell("scores", "吃", 1), "0.6896"));
    CHECK(has(cell("weights", "吃", 1), "0.3797"));
    CHECK(has(cell("output", "吃", 1), "0.4306"));
    const std::string road = in_chinese([] { return sheet_as_markdown(printed_sheet(), {}); });
    CHECK(has(road, "第一处错在 Q[吃]；18 行中有 14 行"));
}
