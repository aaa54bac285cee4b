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
    CHECK(typed_refusal("") == "--text: expected at least one character, found none");
    CHECK(typed_refusal("小沈阳江西演唱会小") ==
          "--text has 9 tokens, but this model's context is 8: give a shorter text");
    CHECK(in_chinese([&] { return typed_refusal("小沈阳江西演唱会小"); }) ==
          "--text 有 9 个 token，而这个模型的上下文长度是 8：请换一段短一些的文字");
    CHECK(typed_refusal("小\xff").starts_with("--text is not UTF-8: byte 3 "));
}

TEST_CASE("single token: a character, or a name of vocabulary.txt") {
    CHECK(single_token(typed_tokenizer(), "沈") == typed_tokenizer().encode("沈")[0]);
    CHECK(single_token(typed_tokenizer(), "\\n") == typed_tokenizer().encode("\n")[0]);
    CHECK(single_token(typed_tokenizer(), "<|endoftext|>") == kEndOfText);
    CHECK(typed_tokenizer().name(single_token(typed_tokenizer(), "⟨E9⟩")) == "⟨E9⟩");
    CHECK(refusal_of([] { single_token(typed_tokenizer(), "沈阳"); }) ==
          "expected one character with a token of its own; '沈阳' is 2 tokens: 沈 阳");
    CHECK(refusal_of([] {
              single_token(typed_tokenizer(), "龘");
          }).ends_with("is 3 tokens: ⟨E9⟩ ⟨BE⟩ ⟨98⟩"));
    CHECK(refusal_of([] { single_token(typed_tokenizer(), ""); }) ==
          "expected one character, found none");
}
