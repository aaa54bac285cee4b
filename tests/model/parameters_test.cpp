#include "model/parameters.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "support/close.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

GptConfig sizes(Index context, Index channels, Index heads, Index layers, Index vocabulary) {
    GptConfig config;
    config.context = context, config.channels = channels, config.heads = heads;
    config.layers = layers, config.vocabulary = vocabulary;
    return config;
}

Index total(const std::vector<Parameter>& table, Kind kind) {
    Index sum = 0;
    for (const Parameter& p : table) sum += p.kind == kind ? p.shape.size() : 0;
    return sum;
}

}  // namespace

TEST_CASE("parameters: the published sizes of GPT-2") {
    CHECK(count(parameter_table(sizes(1024, 768, 12, 12, 50257))) == 124'439'808);
    CHECK(count(parameter_table(sizes(1024, 1024, 16, 24, 50257))) == 354'823'168);
    CHECK(count(parameter_table(sizes(1024, 1280, 20, 36, 50257))) == 774'030'080);
}

TEST_CASE("parameters: the attention of the course, 4 matrices × 512² × 12 blocks") {
    const auto table = parameter_table(sizes(16, 512, 4, 12, 3000));
    Index attention = 0;
    for (Kind kind : {Kind::W_Q, Kind::W_K, Kind::W_V, Kind::W_O}) attention += total(table, kind);
    CHECK(attention == 12'582'912);
}

TEST_CASE("parameters: a table of a model that fits no machine costs nothing") {
    const auto table = parameter_table(sizes(2048, 12288, 96, 96, 50257));
    CHECK(total(table, Kind::W_Q) == 14'495'514'624);
    CHECK(total(table, Kind::token_embedding) == 617'558'016);
}

TEST_CASE("parameters: rows do not overlap and begin at cache lines") {
    const auto table = parameter_table(tiny_config());
    Index end = 0;
    for (const Parameter& p : table) {
        CHECK(p.offset >= end);
        CHECK(p.offset % 16 == 0);
        end = p.offset + p.shape.size();
    }
    CHECK(buffer_length(table) >= end);
}

TEST_CASE(
    "parameters: initial deviations are GPT-2's, smaller where a branch meets the residual "
    "stream") {
    const GptConfig config = sizes(64, 64, 4, 8, 100);
    Parameters parameters(parameter_table(config), false);
    parameters.initialise(3);
    const auto deviation = [&](const char* name) {
        const Tensor t = parameters.tensor(name);
        double squares = 0;
        for (Real x : t.values()) squares += double(x) * double(x);
        return std::sqrt(squares / double(t.size()));
    };
    CHECK(close(deviation("block.0.attention.W_Q"), 0.02, 0, 0.05));
    CHECK(close(deviation("block.7.ffn.W_2"), 0.02 / 4, 0, 0.05));  // √(2 · 8) = 4
    CHECK(deviation("block.3.attention.b_Q") == 0);
    CHECK(deviation("final_norm.gamma") == 1);
}

TEST_CASE("parameters: the seed decides every value") {
    Parameters a(parameter_table(tiny_config()), false), b(parameter_table(tiny_config()), false);
    a.initialise(1), b.initialise(1);
    CHECK(a.fingerprint() == b.fingerprint());
    b.initialise(2);
    CHECK(a.fingerprint() != b.fingerprint());
}

TEST_CASE("freeze: marks whole parts, and nothing else") {
    auto table = parameter_table(tiny_config());
    freeze(table, "embedding, block.1");
    for (const Parameter& p : table) {
        const bool expected = p.name.starts_with("embedding.") || p.name.starts_with("block.1.");
        CHECK_MESSAGE(p.frozen == expected, p.name);
    }
    CHECK_THROWS_AS(freeze(table, "attension"), UsageError);
    CHECK_THROWS_AS(freeze(table, "block.2"), UsageError);  // there are blocks 0 and 1
}

TEST_CASE("config: heads that do not divide the channels are refused, with heads that do") {
    GptConfig config = tiny_config();
    config.heads = 5;
    CHECK_THROWS_WITH_AS(check(config), doctest::Contains("--heads=4 or --heads=6"), UsageError);
}
