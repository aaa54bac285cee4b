// What clumsy hands and hostile files do to a program, done to the one that is built. Whatever it
// is, the answer is an exit code of 0, 1 or 2 and words that help; never a signal, and never a byte
// written where nobody asked for it.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>

#include "observe/history.h"
#include "support/pseudo_terminal.h"
#include "support/tiny_run.h"
#include "text/utf8.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

void answers(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK(outcome.code <= 2);
    CHECK_FALSE(has(outcome.err, "unexpected"));
    if (outcome.code != 0) CHECK(has(outcome.err, "zhuyi: "));
}

void refused(const Outcome& outcome, const std::string& part) {
    CAPTURE(part);
    answers(outcome);
    CHECK(outcome.code != 0);
    CHECK(has(outcome.err, part));
    CHECK(outcome.err.size() < 2000);
}

std::vector<std::string> training(const TinyRun& tiny, const std::string& text,
                                  const std::string& run) {
    return {"train",       text, "--out",    tiny.folder.path(run),
            "--steps",     "2",  "--heads",  "1",
            "--channels",  "8",  "--layers", "1",
            "--context",   "8",  "--batch",  "1",
            "--history=no"};
}

// A limit on memory, in KiB, that the sanitizers' shadow would break at once.
std::string within(const char* kibibytes, const std::string& line) {
    return "ulimit -v "s + kibibytes + " && \"$ZHUYI\" --version >/dev/null 2>&1 || exit 77\n" +
           line;
}

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
        {"NULs", "a\0b\0c\0d\0\n"s, "UTF-16"},
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
    refused(train("steps = \0 3\n"s), "expected a whole number");
    CHECK_FALSE(fs::exists(run));
}

// Two gigabytes go the same way in 3 minutes and 6 GB; here it is what a suite can afford.
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

TEST_CASE("hostile: paths with spaces, Chinese, emoji, quotes and line breaks") {
    const TinyRun tiny;
    const std::string folder = tiny.folder.path("目录 😀 'a' \"b\" $HOME\n -x");
    fs::create_directory(folder);
    const std::string text = folder + "/文本.txt", run = folder + "/运行 1";
    fs::copy_file(tiny.text, text);
    CHECK(run_program(training(tiny, text, "目录 😀 'a' \"b\" $HOME\n -x/运行 1")).code == 0);
    CHECK(run_program({"train", "--resume", run, "--steps", "3"}).code == 0);
    CHECK(run_program(
              {"attend", run, "--text", "小", "--format", "csv", "--out", folder + "/注意.csv"})
              .code == 0);
    CHECK(fs::exists(folder + "/注意.csv"));
    CHECK(run_program({"export", run, "--to", "hf", folder + "/导出"}).code == 0);
    CHECK(run_program({"eval", run, "--data", text}).code == 0);
}

// Root may write everywhere; below a file and in /proc nobody may.
TEST_CASE("hostile: where nothing can be written, it is said before the work") {
    const TinyRun tiny;
    std::vector<std::string> places{tiny.text + "/x", "/dev/null/x"};
    if (fs::exists("/proc/self")) places.push_back("/proc/x");
    for (const std::string& place : places) {
        CAPTURE(place);
        auto words = training(tiny, tiny.text, "none");
        words[3] = place;
        refused(run_program(words), place);
        refused(run_program({"report", tiny.run, "--out", place}), place);
        refused(
            run_program({"attend", tiny.run, "--text", "小", "--format", "svg", "--out", place}),
            place);
        refused(run_program({"export", tiny.run, "--to", "hf", place}), place);
        refused(run_program({"export", tiny.run, "--to", "gguf", place}), "cannot write");
    }
}

TEST_CASE("hostile: a symbolic link out of the run folder is never followed for writing") {
    const TinyRun tiny;
    const fs::path run = tiny.run;
    for (const char* name :
         {"first.safetensors", "best.safetensors", "last.safetensors", "metrics.csv", "samples.txt",
          "history.bin", "report.html", "log.txt", "run.conf", "vocabulary.txt"}) {
        CAPTURE(name);
        // A run under way, one of whose files leads to another's.
        const fs::path linked = tiny.folder.path("linked");
        fs::remove_all(linked);
        fs::copy(run, linked);
        const std::string before = tiny.folder.read("run/"s + name);
        const std::string outside = tiny.folder.write("outside", before);
        fs::remove(linked / name);
        fs::create_symlink(outside, linked / name);
        answers(run_program({"train", "--resume", linked.string(), "--steps", "4"}));
        CHECK((tiny.folder.read("outside") == before));

        // A new run in a folder where somebody laid a link.
        fs::remove_all(linked);
        fs::create_directory(linked);
        fs::create_symlink(tiny.folder.path("nowhere"), linked / name);
        answers(run_program(training(tiny, tiny.text, "linked")));
        CHECK_FALSE(fs::exists(tiny.folder.path("nowhere")));
    }
}

TEST_CASE("hostile: a terminal of one column, and of none") {
    const TinyRun tiny;
    for (const int columns : {1, 2, 0, 65535}) {
        CAPTURE(columns);
        for (const std::vector<std::string>& words :
             {training(tiny, tiny.text, "run" + std::to_string(columns)),
              std::vector<std::string>{"attend", tiny.run, "--text", "小猫坐"},
              {"attend", tiny.run, "--text", "小猫坐", "--layer", "0", "--head", "1"},
              {"explain", tiny.run, "--text", "小猫"},
              {"explain", "--example", "--backward"},
              {"step", tiny.run},
              {"sample", tiny.run, "--tokens", "5"},
              {"params", tiny.run},
              {"data", tiny.text},
              {"train", "--help"}}) {
            CAPTURE(words[0]);
            const Outcome outcome = run_at_terminal(words, static_cast<unsigned short>(columns));
            CAPTURE(outcome.out);
            CHECK(outcome.code == 0);
            CHECK(outcome.out.size() > 10);
        }
    }
}

TEST_CASE("hostile: no terminal, no input, no output, no environment: the same run") {
    const TinyRun tiny;
    std::string line = "\"$ZHUYI\"";
    for (const std::string& word : training(tiny, tiny.text, "NAME"))
        line += " " + shell_quoted(word);
    const auto trained = [&](const std::string& name, const std::string& before,
                             const std::string& behind) {
        CAPTURE(name);
        std::string script = line;
        script.replace(script.find("NAME"), 4, name);
        const Outcome outcome = run_shell(before + script + behind);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        return tiny.folder.read(name + "/last.safetensors") +
               tiny.folder.read(name + "/metrics.csv");
    };
    const std::string usual = trained("usual", "", "");
    REQUIRE(usual.size() > 1000);
    CHECK((trained("closed", "", " <&- >&- 2>&-") == usual));
    CHECK((trained("alone", "env -i ", "") == usual));
    CHECK((trained("C", "unset HOME LANG TERM TMPDIR; LC_ALL=C ", "") == usual));
    // Nobody reads the progress any more, from before the first line: the run is saved all the same.
    CHECK((trained("gone", "{ sleep 0.2; ", " 2>&1; echo $? >&3; } 3>&2 | true") == usual));
    if (fs::exists("/dev/full")) CHECK((trained("full", "", " 2>/dev/full") == usual));
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
    commands_refuse("belongs to another run");
    // Killed behind the start, which is its first record: kind, length, payload, checksum.
    std::uint32_t length = 0;
    std::memcpy(&length, own.data() + kHistoryMagic.size() + 4, sizeof length);
    f.write("run/history.bin", own.substr(0, kHistoryMagic.size() + 8 + length + 8));
    commands_refuse("no frame yet");
}

TEST_CASE("hostile: more threads than the system gives are fewer threads, and the same bits") {
    const TinyRun tiny;
    const std::string eval = "\"$ZHUYI\" eval " + shell_quoted(tiny.run) + " --threads ";
    const Outcome one = run_shell(eval + "1");
    REQUIRE(one.code == 0);
    const Outcome many = run_shell(within("1000000", eval + "1024"));
    if (many.code != 77) CHECK(many.out == one.out);
    refused(run_shell(eval + "1025"), "expected a number from 0 to 1024");
}
