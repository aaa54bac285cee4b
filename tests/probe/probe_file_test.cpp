// A file of probes: what is read, and what a broken line is told.
#include "probe/question.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

std::string complaint_about(const std::string& line) {
    try {
        parse_probes("# a comment\n\n" + line + "\n", "p.txt");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a file of probes: rules in their order, several wrong answers, positions") {
    const ProbeFile file = parse_probes(
        "\xEF\xBB\xBF# 他/她/它 = he, she, it\n"
        "\n"
        "他/她/它 | new | 爷爷一喊小兔， | 它 | 他, 她 | 6, 4-5 0-1\r\n"
        "加减 | seen | 二加三是 | 五 | 六\n"
        "他/她/它 | form | 小红说， | 她 | 他",
        "p.txt");
    REQUIRE(file.rules.size() == 2);
    CHECK(file.rules[0].chinese == "他/她/它");
    CHECK(file.rules[0].english == "he, she, it");
    CHECK(file.rules[1].english == "加减");
    REQUIRE(file.probes.size() == 3);
    const Probe& first = file.probes[0];
    CHECK(first.line == 3);
    CHECK(first.rule == 0);
    CHECK(first.kind == ProbeKind::combination);
    CHECK(first.text == "爷爷一喊小兔，");
    CHECK(first.right == "它");
    CHECK(first.wrong == std::vector<std::string>{"他", "她"});
    CHECK(first.asker == 6);
    REQUIRE(first.answerer.size() == 2);
    CHECK(first.answerer[0].first == 4);
    CHECK(first.answerer[0].last == 5);
    CHECK(file.probes[1].rule == 1);
    CHECK(file.probes[1].kind == ProbeKind::seen);
    CHECK(file.probes[2].kind == ProbeKind::form);
    CHECK(file.probes[1].asker == -1);
    CHECK(file.probes[1].answerer.empty());
    CHECK(file.probes[2].rule == 0);
}

TEST_CASE("a broken line of a probe file is named, with what is wrong") {
    CHECK(complaint_about("1 | new | 猫吃 | 鱼 | 草") == "");
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼"), "p.txt:3: expected 5 or 6 fields"));
    CHECK(has(complaint_about("1 | old | 猫吃 | 鱼 | 草"),
              "expected seen, new or form, found \"old\""));
    CHECK(has(complaint_about("a,b | new | 猫吃 | 鱼 | 草"), "the name of a rule"));
    CHECK(has(complaint_about("1 | new |  | 鱼 | 草"), "must not be empty"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 鱼"), "differs from the right one"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 鱼儿"), "differs from the right one"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草, "), "differs from the right one"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 2, 0-0"), "from 0 to 1"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 1"), "expected asker, a-b"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 0, 1-1"), "that the asker, 0, can see"));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 1, 1-0"), "found \"1-0\""));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 1, 1"), "found \"1\""));
    CHECK(has(complaint_about("1 | new | 猫吃 | 鱼 | 草 | 1, "), "found \"\""));
    CHECK(has(in_chinese([] { return complaint_about("1 | old | 猫吃 | 鱼 | 草"); }),
              "p.txt 第 3 行：应该是"));
    CHECK(has(complaint_about(""), "found none"));
    CHECK(has(complaint_about("\xFF"), "UTF-8"));
}
