#include "explain/small_examples.h"

#include <doctest/doctest.h>

#include <cmath>

#include "explain/sheet_format.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

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

TEST_CASE("the smaller examples on paper") {
    const std::string dot =
        sheet_as_terminal(dot_sheet(worked_dot()), {.language = Language::chinese});
    CHECK(has(dot, "邀请 · 小 = 0.8000·0.2000 + 0.2000·0.8000 + 0.7000·0.3000 = 0.5300\n"));
    CHECK(has(dot, "   沈  0.6600  1.0817  0.8602  0.7093\n"));
    CHECK(has(sheet_as_terminal(query_sheet(worked_query()), {.language = Language::english}),
              "q  0.3800  0.4800  0.5800\n"));
    const std::string softmax =
        sheet_as_terminal(softmax_sheet(worked_softmax()), {.language = Language::english});
    CHECK(has(softmax, "   ÷ √512    0.2559  0.1998  0.3221  0.2222\n"));
    CHECK(has(softmax, "   ÷ √128    0.2534  0.1545  0.4012  0.1910\n"));
}
