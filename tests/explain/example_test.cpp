#include "explain/example.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

// Every number agrees to the four decimals that the course writes.
void check_numbers(const Grid& found, const Numbers& course) {
    REQUIRE(found.values.size() == course.size());
    for (std::size_t i = 0; i < course.size(); ++i) {
        CAPTURE(i);
        CHECK(close(found.values[i], course[i], 0.5001e-4));
    }
}

}  // namespace

TEST_CASE("猫 吃 鱼: queries, keys, values, scores and their scaling are the course's") {
    const WorkedExample e = worked_example(1, Mask::none);
    check_numbers(e.Q, {0.6000, 0.4700, 0.4000, 0.5400, 0.5600, 0.6500});
    check_numbers(e.K, {0.4000, 0.6300, 0.6000, 0.5600, 0.6400, 0.5900});
    check_numbers(e.V, {0.3900, 0.6000, 0.6300, 0.4500, 0.4000, 0.7100});
    const WorkedHead& head = e.each_head.at(0);
    check_numbers(head.products,
                  {0.5361, 0.6232, 0.6613, 0.5002, 0.5424, 0.5746, 0.6335, 0.7000, 0.7419});
    check_numbers(head.scaled,
                  {0.3791, 0.4407, 0.4676, 0.3537, 0.3835, 0.4063, 0.4480, 0.4950, 0.5246});
}

TEST_CASE("猫 吃 鱼: exponentials, weights and output are the course's") {
    const WorkedExample e = worked_example(1, Mask::none);
    const WorkedHead& head = e.each_head.at(0);
    check_numbers(head.exponentials,
                  {1.4609, 1.5537, 1.5962, 1.4243, 1.4675, 1.5013, 1.5651, 1.6405, 1.6898});
    CHECK(close(head.sums[0], 4.611, 0.5e-3));
    CHECK(close(head.sums[1], 4.393, 0.5e-3));
    CHECK(close(head.sums[2], 4.895, 0.5e-3));
    check_numbers(head.weights,
                  {0.3168, 0.3370, 0.3462, 0.3242, 0.3340, 0.3417, 0.3197, 0.3351, 0.3452});
    check_numbers(e.output, {0.4743, 0.5875, 0.4736, 0.5875, 0.4739, 0.5877});
    // The slip that circulates with the example: 猫 does not give 吃 35.6 %.
    CHECK(!close(head.weights.at(0, 1), 0.356, 0.005));
}

TEST_CASE("猫 吃 鱼 with a causal mask: what comes later has no weight, the last row stays") {
    const WorkedExample masked = worked_example(1, Mask::causal);
    const WorkedExample plain = worked_example(1, Mask::none);
    const Grid& p = masked.each_head.at(0).weights;
    CHECK(p.at(0, 0) == 1);
    CHECK(p.at(0, 1) == 0);
    CHECK(p.at(1, 2) == 0);
    CHECK(close(p.at(1, 0), 1.4243 / (1.4243 + 1.4675), 1e-4));
    for (Index s = 0; s < 3; ++s) CHECK(p.at(2, s) == plain.each_head.at(0).weights.at(2, s));
    CHECK(close(masked.output.at(0, 0), 0.39, 1e-6));  // 猫 sees only itself
}

TEST_CASE("猫 吃 鱼 with two heads: head 0 is the course's, W_O mixes the heads") {
    const WorkedExample e = worked_example(2, Mask::none);
    const WorkedExample one = worked_example(1, Mask::none);
    CHECK(e.Q.columns == 4);
    CHECK(e.mix.columns == 4);
    CHECK(e.output.columns == 4);
    REQUIRE(e.each_head.size() == 2);
    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(e.each_head[0].weights.values[i] == one.each_head[0].weights.values[i]);
        CHECK(close(e.mean_weights.values[i],
                    (e.each_head[0].weights.values[i] + e.each_head[1].weights.values[i]) / 2,
                    1e-12));
    }
    for (Index t = 0; t < 3; ++t)
        for (Index c = 0; c < 4; ++c) {
            double sum = 0;
            for (Index h = 0; h < 2; ++h)
                for (Index d = 0; d < 2; ++d)
                    sum += e.each_head[std::size_t(h)].mix.at(t, d) * e.W_O.at(2 * h + d, c);
            CHECK(close(e.output.at(t, c), sum, 1e-6));
        }
}

TEST_CASE("猫 吃 鱼: there are weights for one head and for two") {
    CHECK_THROWS_AS(worked_example(3, Mask::none), UsageError);
    CHECK_THROWS_AS(worked_example(0, Mask::none), UsageError);
}

TEST_CASE("猫 吃 鱼 on paper, line by line as in the course") {
    const std::string text = sheet_as_terminal(example_sheet(worked_example(1, Mask::none)),
                                               {.language = Language::chinese});
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
    const std::string text = sheet_as_terminal(example_sheet(worked_example(2, Mask::causal)),
                                               {.language = Language::english});
    CHECK(has(text, "[1, 3, 4] → [1, 3, 2, 2] → [1, 2, 3, 2]"));
    CHECK(has(text, "[1, 2, 3, 2] → [1, 3, 2, 2] → [1, 3, 4]"));
    CHECK(has(text, "[1, 2, 3, 3] → [1, 3, 3]"));
    CHECK(has(text, "   猫  0.3791       ·       ·\n"));
}
