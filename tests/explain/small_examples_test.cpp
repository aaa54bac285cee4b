#include "explain/small_examples.h"

#include <doctest/doctest.h>

#include <cmath>

#include "formats/sheet_format.h"
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

TEST_CASE("softmax: the course's row of scores") {
    const WorkedSoftmax w = worked_softmax();
    const Numbers expected = softmax(w.scores);
    for (std::size_t i = 0; i < 4; ++i) CHECK(close(w.weights[i], expected[i], 1e-6));
    CHECK(close(w.weights[2], 0.9943, 1e-4));
}

TEST_CASE("scaling: random vectors of real dimensions, and what softmax makes of their scores") {
    const std::vector<WorkedScaling> rows = worked_scaling();
    REQUIRE(rows.size() == 4);
    const double largest[] = {0.65, 0.88, 0.94, 0.97};
    for (std::size_t i = 0; i < 4; ++i) {
        const WorkedScaling& r = rows[i];
        CAPTURE(r.d_k);
        CHECK(close(r.deviation, std::sqrt(double(r.d_k)), 0.05 * std::sqrt(double(r.d_k))));
        CHECK(close(r.plain.largest, largest[i], 0.02));
        CHECK(close(r.divided.largest, 0.51, 0.03));  // the same for every d_k
        CHECK(r.plain.entropy < r.divided.entropy);
    }
    CHECK(rows[3].plain.gradient < 1e-3 * rows[0].plain.gradient);  // nothing gets through
    CHECK(rows[3].divided.gradient > 100 * rows[3].plain.gradient);
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
    // divided by √d_k, scores have variance 1 for every d_k; 1/2 is the largest there is
    for (const WorkedScaling& r : worked_scaling()) {
        const double scaled = r.divided.gradient * std::sqrt(double(r.d_k));
        CHECK((scaled > 0.3 && scaled <= 0.5));
    }
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
    CHECK(has(softmax, "√128 = 11.3"));
    CHECK(has(softmax, "   d_k = 512  22.6274"));
}
