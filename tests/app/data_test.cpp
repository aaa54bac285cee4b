#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "formats/json.h"
#include "support/close.h"
#include "support/program.h"
#include "system/printable.h"

using namespace zhuyi;

namespace {

const std::string kText = "小猫吃鱼，小猫喝水。\n\n他笑了，她也笑了。\n\n他笑了，她也笑了。\n";

Json numbers(const std::vector<std::string>& more, const std::string& path) {
    std::vector<std::string> arguments = {"data", path, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(arguments);
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    return parse_json(outcome.out, "stdout");
}

}  // namespace

TEST_CASE("zhuyi data --json: what a pencil counts in three short documents") {
    const ScratchFolder folder;
    const Json found = numbers({}, folder.write("文.txt", kText));
    CHECK(found.at("documents").integer() == 3);
    CHECK(found.at("characters").integer() == 10 + 9 + 9);
    CHECK(found.at("distinct_characters").integer() == 13);
    CHECK(found.at("exact_duplicates").integer() == 1);
    CHECK(found.at("vocabulary").integer() == 257 + 13);
    CHECK(found.at("split").text() == "tail");
    // 28 characters: nine tenths, 25, to learn from; three ends
    CHECK(found.at("train").at("tokens").integer() == 25 + 2);
    CHECK(found.at("validation").at("tokens").integer() == 3 + 1);
    for (const char* model : {"unigram_nats", "bigram_nats", "trigram_nats"})
        CHECK(found.at(model).number() > 0);
    CHECK(found.at("suggested_model").at("context").integer() >= 4);
    CHECK(found.at("recipes").items()[0].at("expected").number() > 0);
}

TEST_CASE("zhuyi data: the options of training are the options here") {
    const ScratchFolder folder;
    const std::string path = folder.write("文.txt", kText);
    CHECK(numbers({"--documents=file"}, path).at("documents").integer() == 1);
    // 笑, 了 and ， stand three times each in the training part, everything else less often.
    CHECK(numbers({"--min-count", "3"}, path).at("vocabulary").integer() == 257 + 3);
    const Json hashed = numbers({"--split=hash"}, path);
    CHECK(hashed.at("split").text() == "hash");
    CHECK(hashed.at("train").at("documents").integer() +
              hashed.at("validation").at("documents").integer() ==
          3);
}

TEST_CASE("zhuyi data prints a table whose columns stand under each other in both languages") {
    const ScratchFolder folder;
    const std::string path = folder.write("文.txt", kText);
    for (const char* language : {"en", "zh"}) {
        const Outcome outcome = run_program({"data", path, "--lang", language});
        REQUIRE(outcome.code == 0);
        CHECK(outcome.err == "");
        const std::string& table = outcome.out;
        const bool chinese = std::string(language) == "zh";
        CHECK(table.find(chinese ? "文档" : "documents") == 0);
        CHECK(table.find(chinese ? "一元模型" : "unigram model") != table.npos);
        CHECK(table.find(chinese ? "完全重复" : "exact duplicates") != table.npos);
        // the number of documents and of characters end in one column
        const std::string first = table.substr(0, table.find('\n'));
        const std::string rest = table.substr(first.size() + 1);
        const std::string second = rest.substr(0, rest.find('\n'));
        const auto end_of = [](const std::string& line, const std::string& number) {
            return display_width(line.substr(0, line.find(number) + number.size()));
        };
        CHECK(end_of(first, " 3") == end_of(second, " 28"));
    }
}

TEST_CASE("zhuyi data says in one line what is wrong with a text") {
    const ScratchFolder folder;
    struct Example {
        std::vector<std::string> arguments;
        int code;
        std::string words;
    };
    const std::vector<Example> examples = {
        {{"data"}, 2, "zhuyi data FILE"},
        {{"data", "a", "b"}, 2, "b"},
        {{"data", folder.path("没有.txt")}, 1, "没有.txt"},
        {{"data", folder.write("空.txt", "\n\n")}, 1, "nothing but blank lines"},
        {{"data", folder.write("坏.txt", "猫\xFF")}, 1, "byte offset 3: 0xFF"},
        {{"data", folder.write("国标.txt", "\xC4\xE3\xBA\xC3")}, 1, "iconv -f GB18030"},
        {{"data", folder.path()}, 1, "line 1"},  // a folder with those
        {{"data", folder.path(), "--documents=lines"}, 2, "blank_line"},
        {{"data", folder.path(), "--min-count=0"}, 2, "min"},
    };
    for (const Example& example : examples) {
        const Outcome outcome = run_program(example.arguments);
        CHECK_MESSAGE(outcome.code == example.code, outcome.err);
        CHECK_MESSAGE(outcome.err.find(example.words) != std::string::npos, outcome.err);
        CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        CHECK(outcome.out == "");
    }
}

TEST_CASE("the line that zhuyi data offers for a GB18030 file mends it") {
    const ScratchFolder folder;
    const std::string path =
        folder.write("it's 国标.txt", "\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7\xA1\xA3");
    const std::string message = run_program({"data", path}).err;
    const std::size_t line = message.find("iconv -f");
    REQUIRE(line != message.npos);
    REQUIRE(run_shell(message.substr(line)).code == 0);
    CHECK(folder.read("it's 国标.utf8.txt") == "你好，世界。");
    CHECK(run_program({"data", folder.path("it's 国标.utf8.txt")}).code == 0);
}
