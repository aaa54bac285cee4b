// An op refuses what does not fit before it computes: each condition broken alone, at its edge, and
// the nearest inputs that do fit. (The flips of scripts/mutate.py that no gradient can notice.)
#include <doctest/doctest.h>

#include <algorithm>

#include "base/check.h"
#include "ops/add.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/last.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/rotary.h"
#include "support/gradcheck.h"

using namespace zhuyi;

namespace {

// "" when the op takes tensors of these shapes, and what it says when it does not.
std::string answer(const std::vector<Shape>& shapes, const OpUnderTest& op, bool recording = true) {
    Tape tape(recording);
    std::vector<std::unique_ptr<Leaf>> leaves;
    std::vector<Tensor> tensors;
    for (const Shape& shape : shapes) {
        leaves.push_back(std::make_unique<Leaf>(shape, leaves.size() + 1));
        tensors.push_back(leaves.back()->tensor(tape));
    }
    try {
        op(tape, tensors);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

using Inputs = std::vector<Tensor>;

}  // namespace

TEST_CASE("shapes: add") {
    const auto op = [](Tape&, const Inputs& in) { return add(in[0], in[1]); };
    CHECK(answer({{2, 3}, {2, 3}}, op) == "");
    CHECK(answer({{2, 3}, {3, 2}}, op) == "add: both sides need the same shape");
}

TEST_CASE("shapes: last") {
    const auto op = [](Tape&, const Inputs& in) { return last(in[0]); };
    CHECK(answer({{2, 3, 4}}, op) == "");
    CHECK(answer({{6, 4}}, op) == "last: x is (B, T, C)");
    Tape tape(false);
    Leaf one({5, 1, 4}, 1), three({2, 3, 4}, 2);
    const Tensor x = one.tensor(tape);
    CHECK(last(x).value == x.value);  // nothing to copy
    CHECK(last(three.tensor(tape)).shape == Shape{2, 1, 4});
}

TEST_CASE("last: writes its rows and not one more") {
    Tape tape(false);
    Leaf x({2, 3, 16}, 1);
    const Tensor room = tape.tensor({100});  // what stands here after a reset is the tape's next
    std::fill_n(room.value, room.size(), Real(7));
    tape.reset();
    const Tensor y = last(x.tensor(tape));
    REQUIRE(y.value == room.value);
    CHECK(std::count(room.value + y.size(), room.value + 100, Real(7)) == 100 - y.size());
}

TEST_CASE("shapes: attention") {
    const auto with = [](Shape Q, Shape K, Shape V, bool recording = true) {
        return answer(
            {Q, K, V}, [](Tape&, const Inputs& in) { return attention(in[0], in[1], in[2], 2); },
            recording);
    };
    const std::string heads = "attention: heads divide the channels";
    const std::string length = "attention: queries and keys have the same length";
    const std::string one_each =
        "attention: one key and one value for each position, at most as many queries";
    CHECK(with({2, 3, 4}, {2, 3, 4}, {2, 3, 6}) == "");
    CHECK(with({2, 3, 5}, {2, 3, 5}, {2, 3, 6}) == heads);
    CHECK(with({2, 3, 4}, {2, 3, 4}, {2, 3, 5}) == heads);
    CHECK(with({2, 3, 4}, {2, 3, 6}, {2, 3, 6}) == length);
    CHECK(with({2, 3, 4}, {1, 3, 4}, {2, 3, 6}) == one_each);
    CHECK(with({2, 3, 4}, {2, 3, 4}, {1, 3, 6}) == one_each);
    CHECK(with({2, 3, 4}, {2, 3, 4}, {2, 2, 6}) == one_each);
    CHECK(with({2, 4, 4}, {2, 3, 4}, {2, 3, 6}, false) == one_each);
    // Fewer queries than keys: the newest positions of a text whose past is kept.
    CHECK(with({2, 1, 4}, {2, 3, 4}, {2, 3, 6}, false) == "");
    CHECK(with({2, 1, 4}, {2, 3, 4}, {2, 3, 6}) ==
          "attention: backward needs every position's query");
}

TEST_CASE("shapes: rotary") {
    const auto with = [](Shape x, Shape angles, Index first) {
        return answer({x, angles},
                      [=](Tape&, const Inputs& in) { return rotary(in[0], in[1], 2, first); });
    };
    const std::string even =
        "rotary: heads divide the channels, and each has an even number of them";
    CHECK(with({2, 3, 8}, {3, 4}, 0) == "");
    CHECK(with({2, 3, 9}, {3, 4}, 0) == even);
    CHECK(with({2, 3, 6}, {3, 3}, 0) == even);
    CHECK(with({2, 3, 8}, {3, 8}, 0) == even);
    CHECK(with({2, 3, 8}, {5, 4}, 2) == "");
    CHECK(with({2, 3, 8}, {5, 4}, 3) == "rotary: positions 3 to 5, but the model has 5");
}

TEST_CASE("shapes: cross_entropy") {
    const auto with = [](std::vector<Token> targets) {
        return answer({{2, 3}},
                      [&](Tape&, const Inputs& in) { return cross_entropy(in[0], targets).mean; });
    };
    CHECK(with({0, 2}) == "");
    CHECK(with({0}) == "cross_entropy: one target for each row of logits");
    for (const Token wrong : {-1, 3}) {
        CAPTURE(wrong);
        CHECK(with({0, wrong}) == "cross_entropy: a target outside the vocabulary");
    }
}

TEST_CASE("shapes: embedding") {
    const auto with = [](std::vector<Token> ids, Index B, Index first) {
        return answer({{5, 2}, {4, 2}}, [&](Tape& tape, const Inputs& in) {
            return embedding(tape, ids, B, in[0], in[1], first);
        });
    };
    const std::string length = "embedding: ids hold B texts of the same length";
    CHECK(with({0, 4, 1, 2}, 2, 2) == "");
    CHECK(with({0, 4, 1, 2}, 2, 3) == "embedding: positions 3 to 4, but the model has 4");
    CHECK(with({0, 4, 1}, 2, 0) == length);
    CHECK(with({0, 4, 1}, 0, 0) == length);
    CHECK(with({}, 2, 0) == length);
    CHECK(with({0, 5}, 2, 0) == "embedding: token 5 is not one of the model's 5");
    CHECK(with({-1, 0}, 2, 0) == "embedding: token -1 is not one of the model's 5");
    // Without a table of positions a text may begin anywhere.
    CHECK(answer({{5, 2}}, [](Tape& tape, const Inputs& in) {
              return embedding(tape, std::vector<Token>{1, 2}, 1, in[0], {}, 100);
          }) == "");
}

TEST_CASE("shapes: layer_norm") {
    const auto op = [](Tape&, const Inputs& in) { return layer_norm(in[0], in[1], in[2]); };
    const std::string refused = "layer_norm: gamma and beta have C elements";
    CHECK(answer({{2, 3}, {3}, {3}}, op) == "");
    CHECK(answer({{2, 3}, {2}, {3}}, op) == refused);
    CHECK(answer({{2, 3}, {3}, {2}}, op) == refused);
}

TEST_CASE("shapes: linear and the tied head") {
    const auto op = [](Tape&, const Inputs& in) { return linear(in[0], Affine{in[1], in[2]}); };
    CHECK(answer({{2, 3}, {3, 4}, {4}}, op) == "");
    CHECK(answer({{2, 3}, {4, 3}, {3}}, op) == "linear: W needs as many rows as x has columns");
    CHECK(answer({{2, 3}, {3, 4}, {3}}, op) == "linear: b needs one element for each column of W");
    const auto head = [](Tape&, const Inputs& in) { return unembedding(in[0], in[1]); };
    CHECK(answer({{2, 3}, {5, 3}}, head) == "");
    CHECK(answer({{2, 3}, {3, 5}}, head) == "unembedding: rows of E are as long as rows of x");
}
