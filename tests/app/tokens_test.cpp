#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/program.h"
#include "text/tokenizer.h"

using namespace zhuyi;

namespace {

std::string vocabulary() {
    const std::vector<std::string_view> texts = {"猫吃鱼，猫吃了 "};
    return CharacterTokenizer::from_texts(texts, 1, 1).vocabulary_file();
}

}  // namespace

TEST_CASE("zhuyi tokens: a line for each token; a character that was never seen comes in bytes") {
    const ScratchFolder folder;
    folder.write("vocabulary.txt", vocabulary());
    const Outcome outcome = run_program({"tokens", folder.path(), "猫 吃小"});
    CHECK(outcome.code == 0);
    CHECK(outcome.out ==
          " id  token  bytes     count\n"
          "258  猫     E7 8C AB      2\n"
          "259  \\s     20            1\n"
          "257  吃     E5 90 83      2\n"
          "230  ⟨E5⟩   E5            0\n"
          "177  ⟨B0⟩   B0            0\n"
          "144  ⟨8F⟩   8F            0\n");
}

TEST_CASE("zhuyi tokens reads standard input, and a vocabulary by its own name") {
    const ScratchFolder folder;
    const std::string file = folder.write("词表.txt", vocabulary());
    const std::string wanted = run_program({"tokens", file, "猫\n"}).out;
    CHECK(wanted.find("\\n") != wanted.npos);
    CHECK(run_shell("echo 猫 | \"$ZHUYI\" tokens " + shell_quoted(file)).out == wanted);
    CHECK(run_shell("echo 猫 | \"$ZHUYI\" tokens " + shell_quoted(file) + " -").out == wanted);
    CHECK(run_program({"tokens", file, "", "--lang=zh"}).out == "token 编号  token  字节  次数\n");
}

TEST_CASE("zhuyi tokens says what it needs, and what is wrong with a vocabulary") {
    const ScratchFolder folder;
    const std::string bad = folder.write(
        "坏.txt", "# zhuyi vocabulary 1 characters\n0\t<|endoftext|>\t1\n2\t⟨00⟩\t1\n");
    struct Example {
        std::vector<std::string> arguments;
        int code;
        std::string words;
    };
    const std::vector<Example> examples = {
        {{"tokens"}, 2, "zhuyi tokens RUN"},
        {{"tokens", bad, "猫", "吃"}, 2, "quotes"},
        {{"tokens", folder.path("没有"), "猫"}, 1, "没有"},
        {{"tokens", folder.path(), "猫"}, 1, "vocabulary.txt"},
        {{"tokens", bad, "猫"}, 1, "坏.txt:3: expected id 1, found 2"},
    };
    for (const Example& example : examples) {
        const Outcome outcome = run_program(example.arguments);
        CHECK_MESSAGE(outcome.code == example.code, outcome.err);
        CHECK_MESSAGE(outcome.err.find(example.words) != std::string::npos, outcome.err);
        CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        CHECK(outcome.out == "");
    }
}
