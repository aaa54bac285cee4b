#include "base/language.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/check.h"
#include "base/real.h"

using namespace zhuyi;

namespace {

// A text as a template's argument.
template <std::size_t N>
struct Literal {
    char text[N];
    consteval Literal(const char (&from)[N]) { std::copy_n(from, N, text); }
};

// Does say({english, chinese}, …) compile, with arguments of these types? A pattern is checked by
// the compiler, so a wrong one is no constant.
template <Literal english, Literal chinese, class... Args>
concept Compiles = requires {
    typename std::bool_constant<(language::Pattern<Args...>(english.text, chinese.text), true)>;
};

}  // namespace

TEST_CASE("say: the same arguments fill both patterns") {
    const Text text = say_both({"%s has %td tokens", "%s 有 %td 个 token"}, "诗.txt", Index(518));
    CHECK(text.english == "诗.txt has 518 tokens");
    CHECK(text.chinese == "诗.txt 有 518 个 token");
}

TEST_CASE("say: arguments by number, when the other language needs another order") {
    const Text text = say_both({"%d of %d", "共 %2$d 个中的第 %1$d 个"}, 3, 8);
    CHECK(text.english == "3 of 8");
    CHECK(text.chinese == "共 8 个中的第 3 个");
    CHECK(say({"%1$s %1$s", "%1$s"}, "猫") == "猫 猫");
}

TEST_CASE("say: widths, digits and kinds of numbers are those of printf") {
    CHECK(say({"[%5d|%-5d|%05.1f]", "[%5d|%-5d|%05.1f]"}, 42, 42, 2.25) == "[   42|42   |002.2]");
    CHECK(say({"%zu %lld %x %c", "%zu %lld %x %c"}, std::size_t(7), -1LL, 255u, 'A') ==
          "7 -1 ff A");
    CHECK(say({"[%-4s|%4s]", "[%s|%s]"}, "ab", "cd") == "[ab  |  cd]");
    CHECK(say({"%.3g", "%.3g"}, 2.0f / 3) == "0.667");
}

TEST_CASE("say: 100 %% is a percent sign, and %% in an argument stays as it is") {
    CHECK(say({"%d %%: %s", "%d%%：%s"}, 90, "50% %s %d") == "90 %: 50% %s %d");
    CHECK(say({"100%%", "百分之百"}) == "100%");
}

TEST_CASE("say: what is known in both languages keeps each of them") {
    constexpr Words unit = {"bytes", "字节"};
    const Text inner = say_both({"%d %s", "%d %s"}, 3, unit);
    const Text outer = say_both({"found %s", "实际是 %s"}, inner);
    CHECK(outer.english == "found 3 bytes");
    CHECK(outer.chinese == "实际是 3 字节");
}

TEST_CASE("say: the language of the process, which a test sets for a scope") {
    constexpr Words cat = {"cat", "猫"};
    const auto all = [&] { return say(cat) + say({" %s", "%s"}, cat) + say(Text{"s", "们"}); };
    CHECK(all() == "cat cats");
    {
        const Speaking chinese(Language::chinese);
        CHECK(all() == "猫猫们");
    }
    CHECK(spoken() == Language::english);
}

TEST_CASE("say: any kind of text is an argument, one with zero bytes too") {
    const std::string text("a\0b", 3);
    CHECK(say({"%s", "%s"}, text) == text);
    CHECK(say({"%s", "%s"}, std::string_view(text)) == text);
    CHECK(say({"[%s]", "[%s]"}, "") == "[]");
}

TEST_CASE("say: a pattern that does not fit its arguments does not compile") {
    CHECK(Compiles<"%s %d", "%2$d 个 %1$s", std::string, int>);
    CHECK(Compiles<"100%%", "100%%">);

    CHECK_FALSE(Compiles<"%s", "%s", int>);            // another kind
    CHECK_FALSE(Compiles<"%d", "%d", double>);         // another kind
    CHECK_FALSE(Compiles<"%d", "个", int>);            // not used in Chinese
    CHECK_FALSE(Compiles<"%d", "%d %d", int>);         // one too many
    CHECK_FALSE(Compiles<"%d %d", "%1$d", int, int>);  // the second is not used
    CHECK_FALSE(Compiles<"%d", "%2$d", int>);          // there is no second
    CHECK_FALSE(Compiles<"%d %", "%d", int>);          // no letter after %
}

TEST_CASE("fail: an error is in the language of the process") {
    const auto error = [] { fail({"%s: there is no such folder", "%s：没有这个目录"}, "runs/诗"); };
    CHECK_THROWS_WITH_AS(error(), "runs/诗: there is no such folder", Error);
    CHECK_THROWS_AS(fail_usage({"wrong", "不对"}), UsageError);
    CHECK_THROWS_WITH_AS(require(1 > 2, "one is more than two"), "one is more than two", Error);
    CHECK_NOTHROW(require(2 > 1, "two is more than one"));
    const Speaking chinese(Language::chinese);
    CHECK_THROWS_WITH_AS(error(), "runs/诗：没有这个目录", Error);
}
