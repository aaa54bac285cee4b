// Silencing a head or an FFN: the numbers that follow are those of a model whose weights make that
// part silent, and what a rule loses without it.
#include "probe/ask.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "support/close.h"
#include "support/has.h"
#include "support/tiny_gpt.h"
#include "text/tokenizer.h"

using namespace zhuyi;

namespace {

std::vector<Real> logits_of(Gpt& model) {
    Tape tape(false);
    const In scores = model.logits(tape, some_tokens(16, 17), 2, {}).values();
    return {scores.begin(), scores.end()};
}

void set_to_zero(TinyGpt& gpt, const std::string& row, Index first, Index count) {
    std::fill_n(gpt.parameters.tensor(row).value + first, count, Real(0));
}

}  // namespace

TEST_CASE("a silent head: as if its rows of W_O were 0") {
    TinyGpt silenced, without, whole;  // 12 channels, 2 heads of 6
    Silence silence(parse_parts("1.1", silenced.config, "--silence"), silenced.config);
    silenced.model.watch(silence);
    set_to_zero(without, "block.1.attention.W_O", 6 * 12, 6 * 12);
    CHECK(logits_of(silenced.model) == logits_of(without.model));
    CHECK(logits_of(silenced.model) != logits_of(whole.model));
}

TEST_CASE("a silent FFN: as if W_2 and its bias were 0; several parts at once") {
    TinyGpt silenced, without;
    Silence silence(parse_parts("0.ffn,1.0", silenced.config, "--silence"), silenced.config);
    silenced.model.watch(silence);
    set_to_zero(without, "block.0.ffn.W_2", 0, 20 * 12);
    set_to_zero(without, "block.0.ffn.b_2", 0, 12);
    set_to_zero(without, "block.1.attention.W_O", 0, 6 * 12);
    CHECK(logits_of(silenced.model) == logits_of(without.model));
}

TEST_CASE("a part that the model does not have is refused, with those it has") {
    const GptConfig config = tiny_config();
    for (const char* wrong : {"2.0", "0.2", "-1.0", "0.mlp", "0", "", "0.0.0", "0.", ".0", "a.b"}) {
        const std::string text = "0.0," + std::string(wrong) + ",1.ffn";
        CAPTURE(text);
        std::string complaint;
        try {
            parse_parts(text, config, "--silence");
        } catch (const UsageError& error) {
            complaint = error.what();
        }
        CHECK(has(complaint, "0.0 to 1.1 and 0.ffn to 1.ffn"));
    }
    CHECK(parse_parts("", config, "--silence").empty());
    CHECK(parse_parts("1.1,0.ffn", config, "--silence").size() == 2);
}

TEST_CASE("what a rule loses: asked with each part silenced, and without") {
    const std::string_view letters = "猫吃鱼草他";
    const CharacterTokenizer tokenizer = CharacterTokenizer::from_texts({&letters, 1}, 1, 1);
    GptConfig config = tiny_config();
    config.vocabulary = tokenizer.size();
    TinyGpt gpt(config);
    const Questions questions = questions_of(parse_probes("a | new | 猫吃 | 鱼 | 草\n"
                                                          "a | seen | 他猫吃草 | 猫 | 他\n"
                                                          "b | new | 草猫 | 骨 | 鱼\n",
                                                          "p.txt"),
                                             tokenizer, config.context);
    Tape tape(false);
    Means means;
    const Answers whole = ask(gpt.model, tape, questions, &means);
    CHECK(means.size() == 4);

    const Ablation by_zero = ablate(gpt.model, tape, questions, false);
    Silence silence(parse_parts("0.1", config, "--silence"), config);
    const Watching watching(tape, silence);
    const Answers left = ask(gpt.model, tape, questions);
    const Lost& loss = by_zero.of(0, 0, 1);
    CHECK(close(loss.margin,
                (whole.margins[0] + whole.margins[1] - left.margins[0] - left.margins[1]) / 2,
                1e-12));
    const int right = whole.right(0) + whole.right(1), still = left.right(0) + left.right(1);
    CHECK(loss.points == 50.0 * (right - still));
    CHECK(by_zero.of(1, 0, 1).margin == doctest::Approx(whole.margins[2] - left.margins[2]));

    // The mean of what a head adds: of one text of one token it is what the head adds there.
    const Questions one =
        questions_of(parse_probes("a | new | 猫 | 鱼 | 草\n", "p.txt"), tokenizer, config.context);
    for (const Lost& lost : ablate(gpt.model, tape, one, true).losses)
        CHECK(close(lost.margin, 0, 1e-6));
}
