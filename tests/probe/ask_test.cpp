// What is compared of a probe, and that asking many at once gives the bits of asking each alone.
#include "probe/ask.h"

#include <doctest/doctest.h>

#include <cmath>

#include "attention/maps.h"
#include "autograd/tape.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "text/tokenizer.h"

using namespace zhuyi;

namespace {

// 猫 吃 鱼 草 他 have tokens; all other characters are bytes.
CharacterTokenizer some_characters() {
    const std::string_view text = "猫吃鱼草他";
    return CharacterTokenizer::from_texts({&text, 1}, 1, 1);
}

struct World {
    CharacterTokenizer tokenizer = some_characters();
    TinyGpt gpt{[this] {
        GptConfig config = tiny_config();
        config.vocabulary = tokenizer.size();
        config.context = 16;
        return config;
    }()};

    Questions questions(const std::string& lines) const {
        return questions_of(parse_probes(lines, "p.txt"), tokenizer, gpt.config.context);
    }
    // ln p of the last tokens of `text`, the first `given` characters being given
    double log_weight(const std::string& text, Index given) {
        const std::vector<Token> ids = tokenizer.encode(text);
        const Index read = std::ssize(tokenizer.encode(utf8_prefix(text, given)));
        Tape tape(false);
        const CrossEntropy loss = gpt.model.loss(tape, std::span(ids).first(ids.size() - 1),
                                                 std::span(ids).subspan(1), 1, {});
        double sum = 0;
        for (Index t = read; t < std::ssize(ids); ++t) sum -= loss.each_row[std::size_t(t - 1)];
        return sum;
    }
    static std::string utf8_prefix(const std::string& text, Index characters) {
        return text.substr(0, std::size_t(3 * characters));  // all of them have three bytes
    }
};

}  // namespace

TEST_CASE("right and wrong are compared at the first token where they differ") {
    World world;
    const Questions questions = world.questions("1 | new | 猫吃 | 鱼猫 | 草, 鱼他猫 | 1, 0-0");
    REQUIRE(questions.all.size() == 1);
    const Question& q = questions.all[0];
    CHECK(q.ids == world.tokenizer.encode("猫吃鱼猫"));
    REQUIRE(q.comparisons.size() == 2);
    CHECK(q.comparisons[0].first == 2);
    CHECK(q.comparisons[0].end == 3);
    CHECK(q.comparisons[0].wrong == world.tokenizer.encode("草"));
    CHECK(q.comparisons[1].first == 3);
    CHECK(q.comparisons[1].wrong == world.tokenizer.encode("他"));
    CHECK(q.asker == 1);
    CHECK(q.answerer == std::vector<Index>{0});

    Tape tape(false);
    const Answers answers = ask(world.gpt.model, tape, questions);
    const double first = world.log_weight("猫吃鱼", 2) - world.log_weight("猫吃草", 2);
    const double second = world.log_weight("猫吃鱼猫", 3) - world.log_weight("猫吃鱼他", 3);
    REQUIRE(answers.margins.size() == 1);
    CHECK(close(answers.margins[0], std::min(first, second), 1e-5));
    CHECK(answers.right(0) == (std::min(first, second) > 0));
}

TEST_CASE("a character of several tokens: their log weights add up") {
    World world;
    const Questions questions = world.questions(
        "1 | new | 猫 | 鱼 | 骨, 草\n"
        "1 | new | 骨猫 | 骨 | 鱼 | 1, 0-0\n"
        "1 | new | 猫 | 骨 | 骩");
    REQUIRE(questions.all.size() == 3);
    CHECK(questions.all[0].comparisons[0].wrong.size() == 3);
    CHECK(questions.all[1].asker == 3);  // 骨 is three bytes
    CHECK(questions.all[1].answerer == std::vector<Index>{0, 1, 2});
    CHECK(questions.all[1].comparisons[0].end == 7);
    CHECK(questions.all[2].comparisons[0].first == 3);  // 骨 E9 AA A8, 骩 E9 AA A9
    CHECK(questions.all[2].comparisons[0].end == 4);

    Tape tape(false);
    const Answers answers = ask(world.gpt.model, tape, questions);
    const double bone = world.log_weight("猫骨", 1), fish = world.log_weight("猫鱼", 1),
                 grass = world.log_weight("猫草", 1);
    CHECK(close(answers.margins[0], std::min(fish - bone, fish - grass), 1e-5));
    CHECK(close(answers.margins[1], world.log_weight("骨猫骨", 2) - world.log_weight("骨猫鱼", 2),
                1e-5));
    CHECK(close(answers.margins[2], bone - world.log_weight("猫骩", 1), 1e-5));
}

TEST_CASE("the asker's weights on the answerer are those of the attention maps") {
    World world;
    const Questions questions = world.questions("1 | new | 猫吃鱼草 | 他 | 猫 | 2, 0-1 1-1");
    CHECK(questions.all[0].answerer == std::vector<Index>{0, 1});
    Tape tape(false);
    const Answers answers = ask(world.gpt.model, tape, questions);
    const AttentionMaps maps =
        attention_maps(world.gpt.model, world.tokenizer, world.tokenizer.encode("猫吃鱼草"));
    REQUIRE(answers.weights.size() == 4);  // (1, L, H)
    for (Index l = 0; l < 2; ++l)
        for (Index h = 0; h < 2; ++h) {
            const In map = maps.map(l, h);
            CHECK(close(answers.weights[std::size_t(l * 2 + h)], double(map[8]) + double(map[9]),
                        1e-6));
        }
}

TEST_CASE("asked beside others a question gets the same bits as alone") {
    World world;
    std::string lines;
    const char* texts[] = {"猫", "猫吃草他", "骨", "他吃鱼草猫他", "草骨骨"};
    for (int i = 0; i < 200; ++i)
        lines +=
            std::string("1 | seen | ") + texts[i % 5] + texts[i % 3] + " | 鱼 | 草, 骨 | 1, 0-1\n";
    const Questions questions = world.questions(lines);
    REQUIRE(questions.all.size() == 200);
    Tape tape(false);
    const Answers together = ask(world.gpt.model, tape, questions);
    for (std::size_t i = 0; i < 15; ++i) {
        Questions one{questions.rules, {questions.all[i]}, 0};
        const Answers alone = ask(world.gpt.model, tape, one);
        CHECK(alone.margins[0] == together.margins[i]);
        for (std::size_t head = 0; head < 4; ++head)
            CHECK(alone.weights[head] == together.weights[4 * i + head]);
    }
}

TEST_CASE("probes longer than the context are left out and counted; a part is spread evenly") {
    World world;
    std::string lines = "a | seen | 骨骨骨骨骨骨 | 鱼 | 草\n";  // 18 tokens
    for (int i = 0; i < 10; ++i)
        lines += "a | seen | " + std::string(i % 2 ? "猫" : "他") + "吃 | 鱼 | 草\n";
    lines += "b | new | 猫 | 鱼 | 草\n";
    const Questions questions = world.questions(lines);
    CHECK(questions.too_long == 1);
    CHECK(questions.all.size() == 11);
    const Questions part = part_of(questions, 5);
    REQUIRE(part.all.size() == 6);
    for (std::size_t i = 0; i < 5; ++i) CHECK(part.all[i].ids == questions.all[2 * i + 1].ids);
    CHECK(part.all[5].rule == 1);
    CHECK(part_of(questions, 10).all.size() == 11);
}
