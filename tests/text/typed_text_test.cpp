#include "text/tokenizer.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

const CharacterTokenizer& typed_tokenizer() {
    static const std::vector<std::string_view> texts{"小沈阳江西演唱会\n"};
    static const CharacterTokenizer made = CharacterTokenizer::from_texts(texts, 1, 1);
    return made;
}

template <class Call>
std::string refusal_of(const Call& call) {
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

std::string typed_refusal(std::string_view text) {
    return refusal_of([&] { typed_text(typed_tokenizer(), text, 8, "--text"); });
}

}  // namespace

TEST_CASE("typed text: its tokens, or what is wrong with it, in both languages") {
    CHECK(typed_text(typed_tokenizer(), "小沈阳", 8, "--text") ==
          typed_tokenizer().encode("小沈阳"));
    CHECK(typed_refusal("") ==
          "--text: expected at least one character, found none; for example --text 小猫");
    CHECK(typed_refusal("小沈阳江西演唱会小") ==
          "--text has 9 tokens, but this model's context is 8: give a shorter text");
    CHECK(in_chinese([&] { return typed_refusal("小沈阳江西演唱会小"); }) ==
          "--text 有 9 个 token，而这个模型的上下文长度是 8：请换一段短一些的文字");
    CHECK(typed_refusal("小\xff").starts_with("--text is not UTF-8: byte 3 "));
}

TEST_CASE("characters that the training text never had are named, with those probably meant") {
    const std::vector<std::string_view> texts{"小马吃草，马跑了。２"};
    const CharacterTokenizer tokenizer = CharacterTokenizer::from_texts(texts, 1, 1);
    const auto said = [&](std::string_view text) { return unseen_text(tokenizer, text); };
    CHECK(said("小马跑了。") == "");
    CHECK(said("小马,跑了") ==
          "never, or hardly ever, in the training text: “,” (did you mean “，”?); the model knows "
          "nothing of that");
    CHECK(said("小马\n") == "");
    CHECK(has(said("馬"), "“馬” (did you mean “马”?)"));
    CHECK(has(said("2"), "“2” (did you mean “２”?)"));
    CHECK(has(said("龘"), "text: “龘”;"));
    CHECK(has(said("小 马"), "a space (leave it out)"));
    CHECK(has(said("!"), "text: “!”;"));  // the text has no ！ either
    // Three are named, each once, then all are counted.
    CHECK(has(said("龘龘天地人"), "“龘”, “天”, “地” and others, 4 in all;"));
    CHECK(in_chinese([&] { return said("馬,龘 人"); }) ==
          "训练文本里没有或极少见：“馬”（是不是“马”？）、“,”（是不是“，”？）、“龘” 等，共 5 "
          "个字符；模型不认识");
    // A tokenizer that was imported does not know what its text had.
    const CharacterTokenizer foreign({{U'小', 0}}, std::vector<Index>(257, 0));
    CHECK(unseen_text(foreign, "马") == "");
}

TEST_CASE("single token: a character, or a name of vocabulary.txt") {
    CHECK(single_token(typed_tokenizer(), "沈") == typed_tokenizer().encode("沈")[0]);
    CHECK(single_token(typed_tokenizer(), "\\n") == typed_tokenizer().encode("\n")[0]);
    CHECK(single_token(typed_tokenizer(), "<|endoftext|>") == kEndOfText);
    CHECK(typed_tokenizer().name(single_token(typed_tokenizer(), "⟨E9⟩")) == "⟨E9⟩");
    CHECK(refusal_of([] { single_token(typed_tokenizer(), "沈阳"); }) ==
          "expected one character with a token of its own; '沈阳' is 2 tokens: 沈 阳; name one of "
          "them");
    CHECK(refusal_of([] { single_token(typed_tokenizer(), "龘"); }) ==
          "never, or hardly ever, in the training text: “龘”; the model knows nothing of "
          "that; take another character");
    CHECK(refusal_of([] { single_token(typed_tokenizer(), ""); }) ==
          "expected one character, found none");
}
