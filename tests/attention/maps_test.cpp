#include "attention/maps.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "base/check.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "text/tokenizer.h"

using namespace zhuyi;

namespace {

constexpr double kNear = 1e-5;

CharacterTokenizer some_characters() {
    const std::vector<std::string_view> texts{"小沈阳小沈小", "江西\n "};
    return CharacterTokenizer::from_texts(texts, 1, 2);
}

struct Fixture {
    CharacterTokenizer tokenizer = some_characters();
    TinyGpt gpt{config(tokenizer.size())};

    static GptConfig config(Index vocabulary) {
        GptConfig config = tiny_config();
        config.vocabulary = vocabulary;
        return config;
    }
    AttentionMaps maps(std::string_view text) {
        return attention_maps(gpt.model, tokenizer, tokenizer.encode(text));
    }
};

// Q and K of one block, as another watcher sees them.
struct QueriesAndKeys : Watcher {
    std::vector<Real> Q, K;
    void value(std::string_view name, const Tensor& tensor) override {
        const In values = tensor.values();
        if (name == "block.1.attention.Q") Q.assign(values.begin(), values.end());
        if (name == "block.1.attention.K") K.assign(values.begin(), values.end());
    }
};

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST_CASE("attention maps: every row is a distribution over what stands before it") {
    Fixture fixture;
    const AttentionMaps maps = fixture.maps("小沈阳江西");
    CHECK(maps.length() == 5);
    CHECK(maps.blocks == std::vector<Index>{0, 1});
    CHECK(maps.heads == std::vector<Index>{0, 1});
    REQUIRE(maps.weights.size() == 2 * 2 * 5 * 5);
    for (Index l = 0; l < 2; ++l)
        for (Index h = 0; h < 2; ++h)
            for (Index t = 0; t < 5; ++t) {
                double sum = 0;
                for (Index s = 0; s < 5; ++s) {
                    const double weight = double(maps.map(l, h)[t * 5 + s]);
                    if (s > t) CHECK(weight == 0);
                    if (s <= t) CHECK(weight > 0);
                    sum += weight;
                }
                CHECK(close(sum, 1, kNear));
            }
    CHECK(maps.map(1, 0)[0] == 1);  // the first token has only itself to look at
}

TEST_CASE("attention maps: the weights are softmax(Q Kᵀ / √d_k) of this block and head") {
    Fixture fixture;
    const AttentionMaps maps = fixture.maps("小沈阳江");
    const std::vector<Token> ids = fixture.tokenizer.encode("小沈阳江");
    QueriesAndKeys seen;
    Tape tape(false);
    const Watching watching(tape, seen);
    fixture.gpt.model.logits(tape, ids, 1, {});

    const std::size_t T = 4, C = 12, D = 6, head = 1;
    REQUIRE(seen.Q.size() == T * C);
    std::vector<double> e(T);
    double sum = 0;
    for (std::size_t s = 0; s < T; ++s) {  // the last row sees all
        double score = 0;
        for (std::size_t d = head * D; d < (head + 1) * D; ++d)
            score += double(seen.Q[(T - 1) * C + d]) * double(seen.K[s * C + d]);
        sum += e[s] = std::exp(score / std::sqrt(double(D)));
    }
    for (std::size_t s = 0; s < T; ++s)
        CHECK(close(double(maps.map(1, head)[(T - 1) * T + s]), e[s] / sum, kNear));
}

TEST_CASE("attention maps: tokens are called as in vocabulary.txt") {
    Fixture fixture;
    CHECK(fixture.maps("小 \n").tokens == std::vector<std::string>{"小", "\\s", "\\n"});
    // 猫 has no token: three bytes, three rows
    CHECK(fixture.maps("猫").tokens == std::vector<std::string>{"⟨E7⟩", "⟨8C⟩", "⟨AB⟩"});
}

TEST_CASE("attention maps: one block, one head, the mean of the heads") {
    Fixture fixture;
    const AttentionMaps maps = fixture.maps("小沈阳");
    const AttentionMaps block = one_block(maps, 1);
    CHECK(block.blocks == std::vector<Index>{1});
    CHECK(block.heads == std::vector<Index>{0, 1});
    const AttentionMaps one = head_of(block, 1);
    CHECK(one.heads == std::vector<Index>{1});
    REQUIRE(one.weights.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) CHECK(one.weights[i] == maps.map(1, 1)[i]);

    const AttentionMaps mean = head_of(maps, kMeanHead);
    CHECK(mean.blocks == maps.blocks);
    CHECK(mean.heads == std::vector<Index>{kMeanHead});
    for (std::size_t i = 0; i < 9; ++i)
        CHECK(close(double(mean.map(1, 0)[i]),
                    (double(maps.map(1, 0)[i]) + double(maps.map(1, 1)[i])) / 2, kNear));
    CHECK(head_name(kMeanHead) == "mean");
    CHECK(head_name(3) == "3");
}

TEST_CASE("attention maps: what cannot be shown says what can") {
    Fixture fixture;
    const AttentionMaps maps = fixture.maps("小");
    CHECK(message_of([&] { one_block(maps, 2); }) ==
          "--layer 2: this model's blocks count from 0: 0 to 1");
    CHECK(message_of([&] { head_of(maps, -3); }) ==
          "--head -3: this model's heads count from 0: 0 to 1");
    CHECK(message_of([&] { head_of(head_of(maps, 1), 0); }) ==
          "--head 0: this model's heads count from 0: only 1");
    CHECK_THROWS_AS(one_block(maps, 2), UsageError);
}
