// Hostile texts, words and numbers, given to the program that is built.
#include "support/hostile.h"

#include <cstring>
#include <filesystem>

#include "base/utf8.h"
#include "film/history.h"
#include "system/printable.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

namespace fs = std::filesystem;

// The names that `zhuyi COMMAND --help` says take a number.
std::vector<std::string> numeric_options(const std::string& command) {
    const std::string help = run_program({command, "--help"}).out;
    std::vector<std::string> names;
    for (std::size_t at = 0; (at = help.find("--", at)) != help.npos; at += 2) {
        const std::size_t end = help.find_first_of(" \n", at);
        if (help.substr(end, 9) == " <number>") names.push_back(help.substr(at, end - at));
    }
    return names;
}

}  // namespace

TEST_CASE("hostile: a text that is no UTF-8 is named, with the place and what is wrong there") {
    const TinyRun tiny;
    REQUIRE(tiny.training.code == 0);
    struct Text {
        const char* name;
        std::string bytes;
        const char* complaint;
    };
    const Text texts[] = {
        {"half a surrogate pair", "小猫\n\xed\xa0\x80\n", "line 2"},
        {"CESU-8", "小猫\n\xed\xa0\xbd\xed\xb8\x80\n", "CESU-8"},
        {"an overlong NUL", "小猫\n\xc0\x80\n", "longer form than the character needs"},
        {"an overlong slash", "\xe0\x80\xaf小猫\n", "longer form than the character needs"},
        {"beyond Unicode", "小猫\xf4\x90\x80\x80\n", "beyond U+10FFFF"},
        {"cut in a character", "小猫\n小\xe5\xb0", "cuts short"},
        {"NULs", "a\0b\0c\0d\0\n"s, "every 2. byte is 0; expected text in UTF-8"},
        {"nothing but NULs", "\0\0\0"s, "all bytes are 0"},
        {"random", "\x7f\x45\x4c\x46\x02\x01\x01\xff\xfe\x80", "UTF-8"},
    };
    for (const Text& text : texts) {
        CAPTURE(text.name);
        const std::string file = tiny.folder.write("bad.txt", text.bytes);
        refused(run_program(training(tiny, file, "none")), text.complaint);
        refused(run_program({"data", file}), text.complaint);
        refused(run_program({"eval", tiny.run, "--data", file}), text.complaint);
        CHECK_FALSE(fs::exists(tiny.folder.path("none")));
    }
    // A NUL among many characters is one of them.
    const std::string file =
        tiny.folder.write("nul.txt", "小猫坐在窗台上看雨\0小沈阳江西演唱会\n"s);
    CHECK(run_program(training(tiny, file, "nul")).code == 0);
}

TEST_CASE("hostile: a word of the command line that is no UTF-8, or nothing") {
    const TinyRun tiny;
    for (const std::string bad : {"\xff", "\xed\xa0\x80", "\xc0\x80", "\x1b[31m", "\n", ""}) {
        CAPTURE(bad);
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"train", bad, "--steps", "1"},
              {"train", tiny.text, "--steps", "1", "--channels", "8", "--out", bad},
              {"train", "--resume", bad, "--steps", "1"},
              {"sample", bad},
              {"sample", tiny.run, "--prompt", bad, "--tokens", "2"},
              {"attend", tiny.run, "--text", bad},
              {"explain", tiny.run, "--text", bad},
              {"neighbors", tiny.run, bad},
              {"watch", tiny.run, "--token", bad},
              {"tokens", tiny.run, bad},
              {"report", bad},
              {"export", tiny.run, "--to", bad},
              {"import", bad, tiny.folder.path("imported")},
              {bad}}) {
            CAPTURE(words[0]);
            // In a folder of its own: "\n" is a right name for a run.
            std::string line = "cd " + shell_quoted(tiny.folder.path()) + "; \"$ZHUYI\"";
            for (const std::string& word : words) line += " " + shell_quoted(word);
            answers(run_shell(line));
        }
    }
}

TEST_CASE("hostile: a corpus, or ten megabytes of anything, in the place of a configuration") {
    const TinyRun tiny;
    const std::string run = tiny.folder.path("none");
    std::string large;
    while (large.size() < 10'000'000) large += "# 注释\n";
    const auto train = [&](const std::string& bytes) {
        return run_program({"train", tiny.folder.write("a.conf", bytes), "--out", run});
    };
    refused(train(large), "too large: expected at most 1.0 MiB");
    refused(train(std::string(900'000, 'x')), "a.conf:1: expected key = value, found \"xxx");
    refused(train("steps = 3\nsteps = 3\n"), "already stands in line 1");
    refused(train("\xff\xfe = \x1b[2J\n"), "a.conf:1");
    refused(train("steps = \0 3\n"s), "a.conf:1: byte 8 of the line is 0 (NUL)");
    CHECK_FALSE(fs::exists(run));
}

// 2 GiB of one line on two slow cores: `data` takes 2.2 minutes and 2.2 GB, for 汉字 and for "a"
// alike; `train --steps 2` 13 minutes and 5.1 GB for 汉字, 9 minutes and 10.9 GB for "a", whose
// tokens take four bytes a byte. (Most of the time goes to two evaluations of the tenth that is
// kept for validation.) Here it is what a suite can afford.
TEST_CASE("hostile: one line without an end, in memory that is a small multiple of it") {
    const TinyRun tiny;
    const std::string sentence = "小猫坐在窗台上看雨，小沈阳江西演唱会";
    std::string line;
    while (line.size() < 8 << 20) line += sentence;
    const std::string file = tiny.folder.write("line.txt", line);
    std::string train = "\"$ZHUYI\"";
    for (const std::string& word : training(tiny, file, "line")) train += " " + shell_quoted(word);
    const Outcome outcome = run_shell(within("400000", train + " --threads 1"));
    if (outcome.code != 77) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
    }
    const Outcome data = run_shell(within("100000", "\"$ZHUYI\" data " + shell_quoted(file)));
    if (data.code != 77) {
        CAPTURE(data.err);
        CHECK(data.code == 0);
    }
    // What cannot fit is not even read: a file of nothing but a hole.
    const std::string hole = tiny.folder.write("hole.txt", "");
    fs::resize_file(hole, std::uintmax_t(1) << 40);
    refused(run_program({"data", hole}), "hole.txt: a text of 1.0 TiB needs 1.1 TiB of memory");
    refused(run_program(training(tiny, hole, "none")), "give a part of the text");
    // In the place of a run's files it is refused.
    const auto refused_as = [&](const char* name, const std::vector<std::string>& command) {
        const std::string before = tiny.folder.read("run/"s + name);
        tiny.folder.write("run/"s + name, line);
        refused(run_program(command), name);
        tiny.folder.write("run/"s + name, before);
    };
    refused_as("vocabulary.txt", {"sample", tiny.run});
    refused_as("run.conf", {"sample", tiny.run});
    refused_as("best.safetensors", {"sample", tiny.run});
    refused_as("history.bin", {"report", tiny.run});
}

TEST_CASE("hostile: documents of one character take more than their text, and are counted first") {
    const TinyRun tiny;
    std::string documents;
    for (int i = 0; i < 3'000'000; ++i) documents += "a\n\n";
    const std::string data =
        "\"$ZHUYI\" data " + shell_quoted(tiny.folder.write("letters.txt", documents));
    const Outcome outcome = run_shell(within("400000", data));
    if (outcome.code != 77)
        refused(outcome, "letters.txt: a text of 3,000,000 documents needs 572.2 MiB of memory");
}

TEST_CASE("hostile: negative and huge numbers for every option that takes one") {
    const TinyRun tiny;
    const ScratchFolder& f = tiny.folder;
    const std::vector<std::vector<std::string>> lines{
        {"train", tiny.text, "--out", f.path("out"), "--history=no"},
        {"params", tiny.run},
        {"sample", tiny.run, "--tokens", "2"},
        {"eval", tiny.run},
        {"attend", tiny.run, "--text", "小"},
        {"explain", tiny.run, "--text", "小"},
        {"neighbors", tiny.run, "小"},
        {"watch", tiny.run, "--token", "小"},
        {"step", tiny.run},
        {"data", tiny.text},
        {"bench", "A"}};
    for (const auto& line : lines) {
        CAPTURE(line[0]);
        for (const std::string& option : numeric_options(line[0])) {
            CAPTURE(option);
            for (const char* value :
                 {"-9e15", "1e300", "9007199254740993", "nan", "0x10", "", "九"}) {
                CAPTURE(value);
                auto words = line;
                words.push_back(option + "=" + value);
                refused(run_program(words), option + ": expected a");
            }
        }
    }
    CHECK_FALSE(fs::exists(f.path("out")));
}

TEST_CASE("hostile: --tokens 1e12 goes on until nobody reads") {
    const TinyRun tiny;
    const Outcome outcome = run_shell("{ \"$ZHUYI\" sample " + shell_quoted(tiny.run) +
                                      " --tokens 1e12 --count 1e3 --prompt 小; echo $? >&2; } |"
                                      " head -c 100");
    CHECK(outcome.err == "1\n");
    CHECK(has(outcome.out, "小"));
}

TEST_CASE("hostile: a film that was copied from another run, or has no frame") {
    const TinyRun tiny;
    const ScratchFolder& f = tiny.folder;
    std::string
        many;  // a larger vocabulary, whose films speak of tokens that the run does not have
    for (char32_t c = 0x4E00; c < 0x4E00 + 300; ++c) many += utf8::encode(c);
    auto other = training(tiny, f.write("many.txt", many + "\n\n" + many), "other");
    other.back() = "--history=yes";
    REQUIRE(run_program(other).code == 0);
    const std::string own = f.read("run/history.bin");
    const auto commands_refuse = [&](const std::string& part) {
        refused(run_program({"watch", tiny.run, "--token", "小"}), part);
        refused(run_program({"neighbors", tiny.run, "小", "--step", "all"}), part);
        refused(run_program({"attend", tiny.run, "--text", "小", "--step", "0"}), part);
        refused(run_program({"report", tiny.run}), part);
    };
    f.write("run/history.bin", f.read("other/history.bin"));
    commands_refuse("belongs to another training");
    // Killed after the start, which is its first record: kind, length, payload, checksum.
    std::uint32_t length = 0;
    std::memcpy(&length, own.data() + kHistoryMagic.size() + 4, sizeof length);
    f.write("run/history.bin", own.substr(0, kHistoryMagic.size() + 8 + length + 8));
    commands_refuse("no frame yet");
}
