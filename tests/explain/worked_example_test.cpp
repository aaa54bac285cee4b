#include "explain/worked_example.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "support/close.h"

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

TEST_CASE("dot: 邀请 is nearest to 沈, by the dot product and by the angle") {
    const WorkedDot d = worked_dot();
    const double dots[] = {0.53, 0.66, 0.40};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(close(d.pairs[i].dot, dots[i], 1e-6));
        CHECK(close(d.pairs[i].cosine * d.query_length * d.pairs[i].length, dots[i], 1e-6));
    }
    CHECK(d.pairs[1].cosine > d.pairs[0].cosine);
    CHECK(close(d.query_length, std::sqrt(0.64 + 0.04 + 0.49), 1e-9));
}

TEST_CASE("query: one row through W_Q") {
    const WorkedQuery w = worked_query();
    const double course[] = {0.38, 0.48, 0.58};
    for (std::size_t i = 0; i < 3; ++i) CHECK(close(w.q[i], course[i], 1e-6));
}

TEST_CASE("softmax: dividing by √d_k lets a gradient through") {
    const WorkedSoftmax w = worked_softmax();
    const Numbers expected = softmax(w.scores);
    for (std::size_t i = 0; i < 4; ++i) CHECK(close(w.rows[0].weights[i], expected[i], 1e-6));
    CHECK(close(w.rows[0].largest, 0.9943, 1e-4));
    CHECK(w.rows[1].d_k == 512);
    CHECK(close(w.rows[1].scaled[2], 8.7 / std::sqrt(512.0), 1e-12));
    for (std::size_t r : {1u, 2u}) {
        CHECK(w.rows[r].entropy > 10 * w.rows[0].entropy);
        CHECK(w.rows[r].gradient > 10 * w.rows[0].gradient);
        CHECK(w.rows[r].gradient_to_scores > w.rows[0].gradient_to_scores);
    }
}

TEST_CASE("softmax: the size of the gradient is that of a finite difference") {
    const WorkedSoftmax::Row row = worked_softmax().rows[2];
    double squares = 0;
    for (std::size_t j = 0; j < 4; ++j) {
        Numbers above = row.scaled, below = row.scaled;
        above[j] += 1e-5, below[j] -= 1e-5;
        const Numbers a = softmax(above), b = softmax(below);
        for (std::size_t i = 0; i < 4; ++i) squares += std::pow((a[i] - b[i]) / 2e-5, 2);
    }
    CHECK(close(row.gradient, std::sqrt(squares), 1e-6));
}
