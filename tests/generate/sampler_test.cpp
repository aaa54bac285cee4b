#include "generate/sampler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/close.h"

using namespace zhuyi;

// Scores ln 1, ln 2, ln 5 are probabilities 1/8, 2/8, 5/8.
TEST_CASE("sampler: temperature, top-k and top-p by pencil") {
    const std::vector<Real> logits{0, Real(0.6931471805599453), Real(1.6094379124341003)};
    SamplerConfig c;
    c.temperature = 1;
    auto all = candidates(logits, c);
    REQUIRE(all.size() == 3);
    CHECK(all[0].token == 2);
    CHECK(close(all[0].probability, 0.625, 1e-7));
    CHECK(close(all[2].probability, 0.125, 1e-7));

    c.temperature = 0.5;  // squares: 1 + 4 + 25
    CHECK(close(candidates(logits, c)[0].probability, 25.0 / 30, 1e-7));

    c.temperature = 1, c.top_k = 2;  // 2/7, 5/7
    CHECK(close(candidates(logits, c)[1].probability, 2.0 / 7, 1e-7));

    c.top_k = 0, c.top_p = 0.6;  // the first alone reaches it
    CHECK(candidates(logits, c).size() == 1);
    c.top_p = 0.7;
    CHECK(candidates(logits, c).size() == 2);

    c.temperature = 0;
    CHECK(candidates(logits, c)[0].token == 2);
    CHECK(candidates(logits, c)[0].probability == 1);
}

TEST_CASE("sampler: equal scores go to the smaller token, and a draw lands in its share") {
    const std::vector<Real> logits{1, 1, 1, 1};
    SamplerConfig c;
    c.temperature = 1, c.top_k = 2;
    const auto two = candidates(logits, c);
    CHECK(two[0].token == 0);
    CHECK(two[1].token == 1);
    CHECK(pick(two, 0.49) == 0);
    CHECK(pick(two, 0.51) == 1);
    CHECK(pick(two, 0.9999999999999999) == 1);
}

// A token that was there twice, one that was there once, one that was not.
TEST_CASE("sampler: the penalties against repetition by pencil") {
    const std::vector<Real> logits{2, -1, 1};
    const std::vector<Token> so_far{0, 1, 0};
    const auto score = [&](const SamplerConfig& c, Token token) {
        double probabilities[3];
        for (const Candidate& one : candidates(logits, c, so_far))
            probabilities[one.token] = one.probability;
        return std::log(probabilities[token] / probabilities[2]) + 1;  // token 2 keeps its score 1
    };
    SamplerConfig c;
    c.temperature = 1, c.repetition_penalty = 2;
    CHECK(close(score(c, 0), 1.0, 1e-6));   // 2 / 2
    CHECK(close(score(c, 1), -2.0, 1e-6));  // -1 · 2
    c.repetition_penalty = 1, c.frequency_penalty = 0.5;
    CHECK(close(score(c, 0), 1.0, 1e-6));   // 2 - 2 · 0.5
    CHECK(close(score(c, 1), -1.5, 1e-6));  // -1 - 0.5
}

TEST_CASE("sampler: no run of n tokens stands twice") {
    const std::vector<Real> logits{3, 2, 1};
    SamplerConfig c;
    c.temperature = 0, c.no_repeat = 2;
    const auto next = [&](const std::vector<Token>& so_far) {
        return candidates(logits, c, so_far)[0].token;
    };
    CHECK(next({}) == 0);
    CHECK(next({1, 0, 2, 1}) == 1);  // 1 0 is there already
    CHECK(next({1, 0, 1, 1, 1}) == 2);
    CHECK(next({1, 0, 1, 1, 2, 2, 1, 2, 1}) == 0);  // all three would repeat: nothing is forbidden
    c.no_repeat = 1;
    CHECK(next({0, 0}) == 1);
    c.no_repeat = 3;
    CHECK(next({1, 2, 0, 1, 2}) == 1);
}

// Probabilities 5/8, 2/8, 1/8: shares of the first are 1, 0.4, 0.2.
TEST_CASE("sampler: min-p keeps what is near the likeliest") {
    const std::vector<Real> logits{0, Real(0.6931471805599453), Real(1.6094379124341003)};
    SamplerConfig c;
    c.temperature = 1;
    const auto kept = [&](double least) {
        c.min_p = least;
        return candidates(logits, c).size();
    };
    CHECK(kept(0) == 3);
    CHECK(kept(0.19) == 3);
    CHECK(kept(0.3) == 2);
    CHECK(kept(0.5) == 1);
    CHECK(kept(1) == 1);
    CHECK(candidates(logits, c)[0].probability == 1);
}

TEST_CASE("sampler: a log-probability is the model's own, whatever is sampled") {
    const std::vector<Real> logits{0, Real(0.6931471805599453), Real(1.6094379124341003)};
    CHECK(close(log_probability(logits, 2), std::log(5.0 / 8), 1e-7));
    CHECK(close(log_probability(logits, 0), std::log(1.0 / 8), 1e-7));
}

TEST_CASE("sampler: regression: scores that are no numbers give a token, not none") {
    const Real nothing = std::numeric_limits<Real>::quiet_NaN();
    const std::vector<Real> logits{nothing, nothing, nothing};
    CHECK(candidates(logits, {}).size() == 1);
    SamplerConfig c;
    c.min_p = 1, c.top_p = 0;
    CHECK(candidates(logits, c).size() == 1);
}

TEST_CASE("sampler: a draw that sorts only what it needs is the draw from all") {
    std::vector<Real> logits;
    const Random random(3, Stream::initialisation, 0);
    for (Index v = 0; v < 300; ++v) logits.push_back(Real(3 * random.normal(v)));
    for (const double temperature : {0.3, 1.0, 50.0})
        for (const double p : {1.0, 0.9}) {
            SamplerConfig c;
            c.temperature = temperature, c.top_p = p;
            const auto all = candidates(logits, c);
            double sum = 0;
            for (const Candidate& one : all) sum += one.probability;
            CHECK(close(sum, 1, 1e-12));
            std::size_t given = 0;
            for (int i = 0; i < 200; ++i) {
                const double uniform = random.uniform(1000 + i);
                const auto enough = candidates(logits, c, {}, uniform);
                CHECK(pick(enough, uniform) == pick(all, uniform));
                given += enough.size();
            }
            if (p == 1) CHECK(given < 200 * all.size());
        }
}
