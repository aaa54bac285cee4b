#include "explain/examples.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

// Every number agrees to the four decimals that the course writes.
void check_numbers(const Sheet& sheet, const char* section, const char* table,
                   const Numbers& course) {
    const Grid found = sheet.table(section, table).grid();
    REQUIRE(found.values.size() == course.size());
    for (Index i = 0; i < course.count(); ++i) {
        CAPTURE(i);
        CHECK(close(found.values[i], course[i], 0.5001e-4));
    }
}

}  // namespace

TEST_CASE("猫 吃 鱼: queries, keys, values, scores and their scaling are the course's") {
    const Sheet e = example_sheet(1, Mask::none);
    check_numbers(e, "projections", "Q", {0.6000, 0.4700, 0.4000, 0.5400, 0.5600, 0.6500});
    check_numbers(e, "projections", "K", {0.4000, 0.6300, 0.6000, 0.5600, 0.6400, 0.5900});
    check_numbers(e, "projections", "V", {0.3900, 0.6000, 0.6300, 0.4500, 0.4000, 0.7100});
    check_numbers(e, "scores", "products",
                  {0.5361, 0.6232, 0.6613, 0.5002, 0.5424, 0.5746, 0.6335, 0.7000, 0.7419});
    check_numbers(e, "scaled", "scaled",
                  {0.3791, 0.4407, 0.4676, 0.3537, 0.3835, 0.4063, 0.4480, 0.4950, 0.5246});
}

TEST_CASE("猫 吃 鱼: exponentials, weights and output are the course's") {
    const Sheet e = example_sheet(1, Mask::none);
    check_numbers(e, "softmax", "exponentials",
                  {1.4609, 1.5537, 1.5962, 4.6109, 1.4243, 1.4675, 1.5013, 4.3930, 1.5651, 1.6405,
                   1.6898, 4.8953});  // with the sum of each row
    check_numbers(e, "softmax", "weights",
                  {0.3168, 0.3370, 0.3462, 0.3242, 0.3340, 0.3417, 0.3197, 0.3351, 0.3452});
    check_numbers(e, "mix", "mix", {0.4743, 0.5875, 0.4736, 0.5875, 0.4739, 0.5877});
    // The slip that circulates with the example: 猫 does not give 吃 35.6 %.
    CHECK(!close(e.table("softmax", "weights").row("猫").number(1), 0.356, 0.005));
}

TEST_CASE("猫 吃 鱼 with a causal mask: what comes later has no weight, the last row stays") {
    const Sheet masked = example_sheet(1, Mask::causal), plain = example_sheet(1, Mask::none);
    const Grid p = masked.table("softmax", "weights").grid();
    CHECK(p.at(0, 0) == 1);
    CHECK(p.at(0, 1) == 0);
    CHECK(p.at(1, 2) == 0);
    CHECK(close(p.at(1, 0), 1.4243 / (1.4243 + 1.4675), 1e-4));
    CHECK(p.row_copy(2) == plain.table("softmax", "weights").row("鱼").numbers());
    CHECK(
        close(masked.table("mix", "mix").row("猫").number(0), 0.39, 1e-6));  // it sees only itself
}

TEST_CASE("猫 吃 鱼 with two heads: head 0 is the course's, W_O mixes the heads") {
    const Sheet e = example_sheet(2, Mask::none), one = example_sheet(1, Mask::none);
    CHECK(e.table("projections", "Q").grid().columns == 4);
    const Grid weights[] = {e.at("softmax", 0).table("weights").grid(),
                            e.at("softmax", 1).table("weights").grid()};
    CHECK(weights[0].values == one.table("softmax", "weights").grid().values);
    const Grid mean = e.table("mean", "mean_weights").grid();
    for (Index i = 0; i < 9; ++i)
        CHECK(close(mean.values[i], (weights[0].values[i] + weights[1].values[i]) / 2, 1e-12));
    const Grid W_O = e.table("output", "W_O").grid(), output = e.table("output").grid();
    CHECK(e.table("concatenation").grid().columns == 4);
    for (Index t = 0; t < 3; ++t)
        for (Index c = 0; c < 4; ++c) {
            double sum = 0;
            for (Index h = 0; h < 2; ++h)
                for (Index d = 0; d < 2; ++d)
                    sum += e.at("mix", h).table("mix").row(t).number(d) * W_O.at(2 * h + d, c);
            CHECK(close(output.at(t, c), sum, 1e-6));
        }
}

TEST_CASE("猫 吃 鱼: there are weights for one head and for two") {
    CHECK_THROWS_AS(example_sheet(3, Mask::none), UsageError);
    CHECK_THROWS_AS(example_sheet(0, Mask::none), UsageError);
}

TEST_CASE("猫 吃 鱼 on paper, line by line as in the course") {
    const std::string text =
        in_chinese([] { return sheet_as_terminal(example_sheet(1, Mask::none), {}); });
    for (const char* line :
         {"   猫  0.6000  0.4700\n   吃  0.4000  0.5400\n   鱼  0.5600  0.6500\n",
          "   Q[猫]·K[吃] = 0.6000·0.6000 + 0.4700·0.5600 = 0.6232\n",
          "   鱼  0.6335  0.7000  0.7419\n", "   吃  0.3537  0.3835  0.4063\n",
          "   猫  1.4609  1.5537  1.5962  4.6109\n", "   猫  0.3168  0.3370  0.3462\n",
          "   0.3370 · V[吃]  0.2123  0.1516\n", "   输出[猫]        0.4743  0.5875\n"}) {
        CAPTURE(line);
        CHECK(has(text, line));
    }
}

TEST_CASE("猫 吃 鱼 with two heads and a mask: the shapes of the course") {
    const std::string text = sheet_as_terminal(example_sheet(2, Mask::causal), {});
    CHECK(has(text, "[1, 3, 4] → [1, 3, 2, 2] → [1, 2, 3, 2]"));
    CHECK(has(text, "[1, 2, 3, 2] → [1, 3, 2, 2] → [1, 3, 4]"));
    CHECK(has(text, "[1, 2, 3, 3] → [1, 3, 3]"));
    CHECK(has(text, "   猫  0.3791       ·       ·\n"));
}
