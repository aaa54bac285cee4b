#include "system/options.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/has.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

enum class Position { learned, sinusoidal };

// A table as a folder would declare it.
struct Example {
    Index channels = 128;
    double learning_rate = 1e-3;
    bool tied = true, json = false;
    std::string prompt;
    Position position = Position::learned;
    Options options;

    Example() {
        options.group({"Model", "模型"});
        options.add("channels", channels, "", {"length of an embedding", "词向量的长度"}, 1, 65536);
        options.choice<Position>(
            "position", position,
            {{"learned", Position::learned}, {"sinusoidal", Position::sinusoidal}},
            {"how positions are told", "位置的表示"});
        options.add("tied", tied, {"output layer = embedding", "输出层用词向量"});
        options.group({"Training", "训练"});
        options.add("learning_rate", learning_rate, "", {"highest step size", "最高学习率"}, 0, 10);
        options.add("json", json, {"print JSON", "输出 JSON"});
        options.add("prompt", prompt, "", {"the beginning", "开头"});
    }
    Example(const Example&) = delete;

    std::string error(const char* name, const char* text) {
        try {
            options.set(name, text, "--" + std::string(name));
        } catch (const UsageError& failure) {
            return failure.what();
        }
        return "";
    }
};

std::string error_of_file(const std::string& bytes) {
    const ScratchFolder folder;
    Example example;
    try {
        example.options.read_file(folder.write("小.conf", bytes));
    } catch (const UsageError& failure) {
        const std::string text = failure.what();
        return text.substr(text.find("小.conf"));
    }
    return "";
}

}  // namespace

TEST_CASE("options: a name is bound to a variable, whose value is the default") {
    Example e;
    CHECK(e.options.value("channels") == "128");
    CHECK_FALSE(e.options.was_set("channels"));
    e.options.set("channels", "256", "--channels");
    CHECK(e.channels == 256);
    CHECK(e.options.was_set("channels"));

    e.options.set("learning-rate", "3e-4", "--learning-rate");
    CHECK(e.learning_rate == 3e-4);
    CHECK(e.options.value("learning_rate") == "0.0003");

    e.options.set("position", "sinusoidal", "--position");
    CHECK(e.position == Position::sinusoidal);
    e.options.set("tied", "no", "--tied");
    CHECK_FALSE(e.tied);
    e.options.set("prompt", "小猫 # 吃鱼", "--prompt");
    CHECK(e.prompt == "小猫 # 吃鱼");
    CHECK(e.options.is_switch("json"));
    CHECK_FALSE(e.options.is_switch("channels"));
    CHECK_FALSE(e.options.is_switch("no_such"));
}

TEST_CASE("options: whole numbers may be written with an exponent") {
    Example e;
    e.options.set("channels", "1e3", "--channels");
    CHECK(e.channels == 1000);
}

TEST_CASE("options: an error says where, what was expected and what was found") {
    Example e;
    CHECK(e.error("channels", "abc") ==
          "--channels: expected a whole number from 1 to 65536, found \"abc\"");
    CHECK(e.error("channels", "1.5") ==
          "--channels: expected a whole number from 1 to 65536, found \"1.5\"");
    CHECK(e.error("channels", "") ==
          "--channels: expected a whole number from 1 to 65536, found nothing");
    CHECK(e.error("channels", "0") ==
          "--channels: expected a whole number from 1 to 65536, found \"0\"");
    CHECK(e.error("channels", "1e300") ==
          "--channels: expected a whole number from 1 to 65536, found \"1e300\"");
    CHECK(e.error("learning_rate", "nan") ==
          "--learning_rate: expected a number from 0 to 10, found \"nan\"");
    CHECK(e.error("learning_rate", "-1") ==
          "--learning_rate: expected a number from 0 to 10, found \"-1\"");
    CHECK(e.error("position", "rope") == "--position: expected learned|sinusoidal, found \"rope\"");
    CHECK(e.error("tied", "maybe") == "--tied: expected yes or no, found \"maybe\"");
    CHECK(e.channels == 128);  // a refused value changes nothing
    CHECK_FALSE(e.options.was_set("channels"));
}

TEST_CASE("options: an unknown name offers the nearest") {
    Example e;
    CHECK(e.error("chanels", "1") ==
          "--chanels: there is no option \"chanels\"; did you mean channels?");
    CHECK(e.error("learning", "1") ==
          "--learning: there is no option \"learning\"; did you mean learning_rate?");
    CHECK(e.error("zzz", "1") == "--zzz: there is no option \"zzz\"; --help lists all options");
    CHECK_THROWS_WITH_AS(e.options.set("\x1b[31m", "1", "a.conf:1"),
                         "a.conf:1: there is no option \"\\x1b[31m\"; --help lists all options",
                         UsageError);
}

TEST_CASE("options: a configuration file") {
    const ScratchFolder folder;
    Example e;
    e.options.read_file(folder.write("a.conf",
                                     "\xEF\xBB\xBF# a model\r\n"
                                     "channels = 64   # small\r\n"
                                     "\n"
                                     "  learning-rate=0.5\n"
                                     "prompt = \"小 # 猫\\n\\\"吃\\\" \"  # in quotes\n"
                                     "tied = no"));
    CHECK(e.channels == 64);
    CHECK(e.learning_rate == 0.5);
    CHECK(e.prompt == "小 # 猫\n\"吃\" ");
    CHECK_FALSE(e.tied);
    CHECK(e.options.was_set("tied"));
    CHECK_FALSE(e.options.was_set("json"));
}

TEST_CASE("options: a file may hold a retired option, the command line may not") {
    const ScratchFolder folder;
    Example e;
    e.options.retired("warm_start");
    e.options.read_file(folder.write("old.conf", "warm-start = 3\nchannels = 64\n"));
    CHECK(e.channels == 64);
    CHECK(e.options.file().find("warm_start") == std::string::npos);
    CHECK(has(e.error("warm_start", "3"), "there is no option"));
}

TEST_CASE("options: errors of a file name the line") {
    CHECK(error_of_file("channels = 1\n\nchanels = 2\n") ==
          "小.conf:3: there is no option \"chanels\"; did you mean channels?");
    CHECK(error_of_file("channels 64\n") ==
          "小.conf:1: expected key = value, found \"channels 64\"");
    CHECK(error_of_file("channels # = 64\n") ==
          "小.conf:1: expected key = value, found \"channels # = 64\"");
    CHECK(error_of_file("channels = \n") ==
          "小.conf:1: expected a whole number from 1 to 65536, found nothing");
    CHECK(error_of_file("prompt = \"open\n").starts_with("小.conf:1: expected a value in quotes"));
    CHECK(error_of_file("prompt = \"a\" b\n").starts_with("小.conf:1: expected a value in quotes"));
    CHECK(error_of_file("prompt = \"\\q\"\n").starts_with("小.conf:1: expected a value in quotes"));
    CHECK(error_of_file("json = yes\nj-son = yes\njson = no\n") != "");
    CHECK(error_of_file("learning_rate = 1\nlearning-rate = 2\n") ==
          "小.conf:2: learning-rate already stands in line 1; remove one of the two");
    CHECK(error_of_file(std::string("a\0b", 3)) ==
          "小.conf:1: byte 1 of the line is 0 (NUL), which stands in no configuration");
}

TEST_CASE("options: ten megabytes are no configuration") {
    const ScratchFolder folder;
    const std::string path = folder.write("big.conf", std::string(10 << 20, '#'));
    Example e;
    CHECK_THROWS_WITH_AS(e.options.read_file(path),
                         (path + " is too large: expected at most 1.0 MiB, found 10.0 MiB").c_str(),
                         Error);
}

TEST_CASE("options: what file() writes reads back the same") {
    for (const char* prompt :
         {"", "小猫", " 两边 ", "a # b", "\"", "\\n", "line\nline\ttab", "a=b"}) {
        CAPTURE(prompt);
        const ScratchFolder folder;
        Example written, read;
        written.options.set("prompt", prompt, "test");
        written.options.set("learning_rate", "0.1", "test");
        written.options.set("position", "sinusoidal", "test");
        read.options.read_file(
            folder.write("a.conf", in_chinese([&] { return written.options.file(); })));
        CHECK(read.prompt == prompt);
        CHECK(read.learning_rate == 0.1);
        CHECK(read.options.file() == written.options.file());
    }
}

TEST_CASE("options: help in two languages") {
    const Example e;
    const std::string english = e.options.help();
    CHECK(
        english.starts_with("Model\n  --channels <number>            length of an embedding "
                            "(default 128)\n"));
    CHECK(english.find("\n\nTraining\n") != std::string::npos);
    CHECK(english.find("  --json                         print JSON\n") != std::string::npos);
    CHECK(english.find("  --tied=no ") != std::string::npos);  // it is on: how to switch it off
    const std::string chinese = in_chinese([&] { return e.options.help(); });
    CHECK(chinese.find("--channels <数>                词向量的长度（默认 128）\n") !=
          std::string::npos);
}

TEST_CASE("options: one name is declared once") {
    Example e;
    Index again = 0;
    CHECK_THROWS_AS(e.options.add("learning-rate", again, "", {}), Error);
}

TEST_CASE("nearest_word: what a person most likely meant") {
    const std::vector<std::string> words{"train", "sample", "steps", "temperature"};
    CHECK(nearest_word("trian", words) == "train");
    CHECK(nearest_word("sampel", words) == "sample");
    CHECK(nearest_word("temp", words) == "temperature");
    CHECK(nearest_word("xyz", words) == "");
    CHECK(nearest_word("", words) == "");
    CHECK(nearest_word(std::string(1000000, 'a'), words) == "");
}

TEST_CASE("options: a hidden one works and is in no help") {
    Options options;
    std::string wish;
    options.add_hidden("inject", wish);
    options.set("inject", "rain", "--inject");
    CHECK(wish == "rain");
    CHECK(options.help().find("inject") == std::string::npos);
    CHECK_THROWS_WITH_AS(options.set("injekt", "", "--injekt"),
                         doctest::Contains("--help lists all"), UsageError);
}
