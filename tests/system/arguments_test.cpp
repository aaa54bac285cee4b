#include "system/options.h"

#include <doctest/doctest.h>

#include "base/check.h"

using namespace zhuyi;

namespace {

// "word word | name=text name=text"
std::string split(const std::vector<std::string>& arguments) {
    bool json = false, help = false;
    Index steps = 0;
    std::string prompt, text;
    Options options, everywhere;
    options.add("json", json, {});
    options.add("steps", steps, "", {});
    options.add("prompt", prompt, "", {});
    everywhere.add("help", help, {});
    const Arguments line = split_line(arguments, {&everywhere, &options});
    for (const std::string& word : line.words) text += word + " ";
    text += "|";
    for (const Setting& setting : line.settings) text += " " + setting.name + "=" + setting.text;
    return text;
}

}  // namespace

TEST_CASE("split_line: words and options in any order") {
    CHECK(split({}) == "|");
    CHECK(split({"RUN", "--steps", "5", "小", "--json", "猫"}) == "RUN 小 猫 | steps=5 json=yes");
    CHECK(split({"--steps=5", "--prompt=", "--json=no"}) == "| steps=5 prompt= json=no");
    CHECK(split({"--json", "off", "猫", "--json", "no"}) == "猫 | json=off json=no");
    CHECK(split({"--json", "offset"}) == "offset | json=yes");
    CHECK(split({"--prompt=a=b", "--prompt", "-5", "-"}) == "- | prompt=a=b prompt=-5");
    CHECK(split({"a", "--", "--json", "-x", "--"}) == "a --json -x -- |");
    CHECK(split({"-h"}) == "| help=yes");
    CHECK(split({"--prompt", "-h"}) == "| prompt=-h");
    CHECK(split({"--unknown"}) == "| unknown=");
    CHECK(split({""}) == " |");  // an empty word is a word
}

TEST_CASE("split_line: a value that is missing, an option of one dash") {
    CHECK_THROWS_AS(split({"--steps"}), UsageError);
    CHECK_THROWS_WITH_AS(
        split({"--steps", "--json"}),
        "--steps: expected a value; one that begins with -- is written --steps=value", UsageError);
    CHECK_THROWS_AS(split({"-x"}), UsageError);
}

TEST_CASE("language_of: the last --lang, also on a line that is wrong otherwise") {
    const auto language = [](std::vector<std::string> words) {
        words.insert(words.begin(), "--lang=en");
        return language_of(words);
    };
    CHECK(language({"trian", "-x", "--lang", "zh"}) == Language::chinese);
    CHECK(language({"--lang=zh", "--lang", "en"}) == Language::english);
    CHECK(language({"--lang", "fr"}) == Language::english);
    CHECK(language({"--lang"}) == Language::english);
    CHECK(language({"--", "--lang", "zh"}) == Language::english);  // words, not options
}
