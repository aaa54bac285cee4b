// Every op's backward against central differences, for every element of every input: to seven
// digits in double, to two in float.
#include <doctest/doctest.h>

#include "ops/add.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/embedding.h"
#include "ops/gelu.h"
#include "ops/last.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/rotary.h"
#include "support/gradcheck.h"

using namespace zhuyi;

namespace {

void check_gradient(const char* what, const OpUnderTest& op, const std::vector<Leaf*>& inputs) {
    const GradcheckResult result = gradcheck(op, inputs);
    INFO(what << ": " << result.where);
    CHECK(result.worst < kGradientLimit);
}

using Inputs = std::vector<Tensor>;

}  // namespace

TEST_CASE("gradient of add") {
    Leaf a({2, 3}, 1), b({2, 3}, 2);
    check_gradient("add", [](Tape&, const Inputs& in) { return add(in[0], in[1]); }, {&a, &b});
}

TEST_CASE("gradient of gelu, also far out where it is flat") {
    Leaf near({3, 19}, 1), far({3, 19}, 2, 6);
    for (Leaf* x : {&near, &far})
        for (Activation form : {Activation::gelu_new, Activation::gelu})
            check_gradient("gelu", [=](Tape&, const Inputs& in) { return gelu(in[0], form); }, {x});
}

TEST_CASE("gradient of last") {
    Leaf x({2, 3, 5}, 1);
    check_gradient("last", [](Tape&, const Inputs& in) { return add(last(in[0]), last(in[0])); },
                   {&x});
}

TEST_CASE("gradient of dropout") {
    Leaf x({4, 37}, 1);
    check_gradient("dropout", [](Tape&, const Inputs& in) { return dropout(in[0], 0.3); }, {&x});
}

TEST_CASE("gradient of layer_norm, with rows shorter and longer than 16 lanes") {
    for (Index C : {3, 16, 21, 40}) {
        Leaf x({2, 3, C}, 1), gamma({C}, 2), beta({C}, 3);
        check_gradient("layer_norm",
                       [](Tape&, const Inputs& in) { return layer_norm(in[0], in[1], in[2]); },
                       {&x, &gamma, &beta});
    }
}

TEST_CASE("gradient of linear, with and without a bias") {
    Leaf x({2, 3, 5}, 1), W({5, 18}, 2), b({18}, 3);
    check_gradient("linear with bias",
                   [](Tape&, const Inputs& in) {
                       return linear(in[0], Affine{in[1], in[2]});
                   },
                   {&x, &W, &b});
    check_gradient("linear without",
                   [](Tape&, const Inputs& in) {
                       return linear(in[0], Affine{in[1], {}});
                   },
                   {&x, &W});
}

TEST_CASE("gradient of gelu of linear, fused and not") {
    Leaf x({2, 3, 5}, 1), W({5, 18}, 2), b({18}, 3);
    for (Activation form : {Activation::gelu_new, Activation::gelu})
        check_gradient("gelu of linear",
                       [=](Tape&, const Inputs& in) {
                           return gelu_of_linear(in[0], Affine{in[1], in[2]}, form);
                       },
                       {&x, &W, &b});
}

TEST_CASE("gradient of three linear maps of one x") {
    Leaf x({2, 2, 6}, 1), W_Q({6, 6}, 2), W_K({6, 6}, 3), W_V({6, 6}, 4), b({6}, 5);
    check_gradient(
        "linear × 3",
        [](Tape&, const Inputs& in) {
            const auto [Q, K, V] =
                linear(in[0], {Affine{in[1], in[4]}, Affine{in[2], in[4]}, Affine{in[3], in[4]}});
            return add(add(Q, K), add(K, V));
        },
        {&x, &W_Q, &W_K, &W_V, &b});
}

TEST_CASE("gradient of the tied head") {
    Leaf x({4, 6}, 1), E({19, 6}, 2);
    check_gradient("unembedding", [](Tape&, const Inputs& in) { return unembedding(in[0], in[1]); },
                   {&x, &E});
}

TEST_CASE("gradient of embedding: repeated tokens add up") {
    Leaf E({5, 3}, 1), P({4, 3}, 2);
    const std::vector<Token> ids{3, 1, 3, 3, 0, 1};  // B = 2, T = 3; position 3 unused
    check_gradient(
        "embedding",
        [&](Tape& tape, const Inputs& in) { return embedding(tape, ids, 2, in[0], in[1]); },
        {&E, &P});
}

TEST_CASE("gradient of attention: causal or not, any d_k and d_v, one head or more") {
    struct Case {
        Index B, H, T, d_k, d_v;
        Mask mask;
    };
    for (const Case& c : {Case{1, 1, 3, 2, 2, Mask::none}, Case{2, 2, 5, 3, 4, Mask::causal},
                          Case{1, 3, 18, 2, 1, Mask::causal}, Case{1, 2, 4, 17, 5, Mask::none}}) {
        Leaf Q({c.B, c.T, c.H * c.d_k}, 1), K({c.B, c.T, c.H * c.d_k}, 2),
            V({c.B, c.T, c.H * c.d_v}, 3);
        check_gradient(
            "attention",
            [&](Tape&, const Inputs& in) { return attention(in[0], in[1], in[2], c.H, c.mask); },
            {&Q, &K, &V});
    }
}

TEST_CASE("gradient of rotary: any even head, one or more, also after a past") {
    struct Case {
        Index B, H, T, D, first;
    };
    for (const Case& c : {Case{1, 1, 3, 2, 0}, Case{2, 2, 5, 6, 3}, Case{1, 3, 4, 38, 0}}) {
        std::vector<Real> table = rotary_angles(c.first + c.T, c.D);
        const Tensor angles{table.data(), nullptr, nullptr, {c.first + c.T, c.D}};
        Leaf x({c.B, c.T, c.H * c.D}, 1);
        check_gradient("rotary",
                       [&](Tape&, const Inputs& in) { return rotary(in[0], angles, c.H, c.first); },
                       {&x});
    }
}

TEST_CASE("gradient of attention when the weights are computed again (long texts)") {
    Leaf Q({1, 260, 1}, 1), K({1, 260, 1}, 2), V({1, 260, 1}, 3);
    check_gradient("long attention",
                   [&](Tape&, const Inputs& in) { return attention(in[0], in[1], in[2], 1); },
                   {&Q, &K, &V});
}

TEST_CASE("gradient of cross_entropy") {
    Leaf logits({6, 21}, 1, 2);
    const std::vector<Token> targets{0, 20, 7, 7, 3, 16};
    check_gradient("cross_entropy",
                   [&](Tape&, const Inputs& in) { return cross_entropy(in[0], targets).mean; },
                   {&logits});
}
