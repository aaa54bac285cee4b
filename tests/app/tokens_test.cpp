#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/has.h"
#include "support/program.h"
#include "support/tiny_run.h"
#include "text/byte_pair.h"

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

TEST_CASE("zhuyi tokens and the commands of a run name characters that the text never had") {
    const ScratchFolder folder;
    folder.write("vocabulary.txt", vocabulary());
    const Outcome outcome = run_program({"tokens", folder.path(), "猫吃魚,", "--lang", "zh"});
    CHECK(outcome.code == 0);
    CHECK(outcome.err ==
          "zhuyi：训练文本里没有或极少见：“魚”（是不是“鱼”？）、“,”（是不是“，”？）；模型不认识\n");
    const std::string run = tiny_run().run;
    const std::string other = folder.write("other.txt", "小猫龘坐在龘\n");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"sample", run, "--prompt", "小猫龘", "--tokens", "1"},
          {"attend", run, "--text", "小猫龘"},
          {"explain", run, "--text", "小猫龘"},
          {"step", run, "--text", "小猫龘"},
          {"eval", run, "--data", other}}) {
        const Outcome said = run_program(command);
        CAPTURE(said.err);
        CHECK(said.code == 0);
        CHECK(has(said.err, "never, or hardly ever, in the training text: “龘”; the model"));
    }
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"watch", run, "--token", "龘"}, {"neighbors", run, "龘"}})
        CHECK(has(run_program(command).err, "in the training text: “龘”"));
}

TEST_CASE("zhuyi tokens reads standard input, and a vocabulary by its own name") {
    const ScratchFolder folder;
    const std::string file = folder.write("词表.txt", vocabulary());
    const std::string wanted = run_program({"tokens", file, "猫\n"}).out;
    CHECK(wanted.find("\\n") != wanted.npos);
    CHECK(run_shell("echo 猫 | \"$ZHUYI\" tokens " + shell_quoted(file)).out == wanted);
    CHECK(run_shell("echo 猫 | \"$ZHUYI\" tokens " + shell_quoted(file) + " -").out == wanted);
    CHECK(run_program({"tokens", file, "猫", "--lang=zh"}).out.starts_with("token 编号  token  "));
}

// Two rules, learnt by hand: E7 8C 猫's first bytes, then 猫.
TEST_CASE("zhuyi tokens --merges: how bytes become tokens, rule by rule, in columns") {
    const ScratchFolder folder;
    std::vector<std::string> tokens = {""};
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, char(byte));
    tokens.insert(tokens.end(), {"\xE7\x8C", "猫"});
    const std::string file = folder.write(
        "v.txt", BytePairTokenizer(tokens, {{1 + 0xE7, 1 + 0x8C}, {257, 1 + 0xAB}}, kEndOfText)
                     .vocabulary_file());
    const Outcome english = run_program({"tokens", file, "猫猫 a", "--merges"});
    CHECK(english.code == 0);
    CHECK(english.out.substr(english.out.find("\n\n")) ==
          "\n\n\"猫猫\"\n"
          "   step  rule  joined           tokens\n"
          "      0        bytes            ⟨E7⟩  ⟨8C⟩  ⟨AB⟩  ⟨E7⟩  ⟨8C⟩  ⟨AB⟩\n"
          "      1     1  ⟨E7⟩ + ⟨8C⟩      ⟨E7⟩⟨8C⟩  ⟨AB⟩  ⟨E7⟩⟨8C⟩  ⟨AB⟩\n"
          "      2     2  ⟨E7⟩⟨8C⟩ + ⟨AB⟩  猫  猫\n"
          "\n\" a\"\n"
          "   step  rule  joined  tokens\n"
          "      0        bytes   \\s  a\n");
    const Outcome chinese = run_program({"tokens", file, "猫", "--merges", "--lang=zh"});
    CHECK(chinese.out.substr(chinese.out.find("\n\n")) ==
          "\n\n“猫”\n"
          "   步  规则  合并             token\n"
          "    0        字节             ⟨E7⟩  ⟨8C⟩  ⟨AB⟩\n"
          "    1     1  ⟨E7⟩ + ⟨8C⟩      ⟨E7⟩⟨8C⟩  ⟨AB⟩\n"
          "    2     2  ⟨E7⟩⟨8C⟩ + ⟨AB⟩  猫\n");
    const Outcome long_text = run_program({"tokens", file, std::string(1001, 'a'), "--merges"});
    CHECK(long_text.code == 2);
    CHECK(long_text.err.find("at most 1000 bytes") != std::string::npos);
    const std::string characters = folder.write("c.txt", vocabulary());
    const Outcome refused = run_program({"tokens", characters, "猫", "--merges"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find("nothing is joined") != std::string::npos);
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
