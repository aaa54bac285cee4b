// Hostile surroundings of the program that is built: paths, folders, links, terminals, limits.
#include <unistd.h>

#include <filesystem>

#include "support/hostile.h"
#include "support/pseudo_terminal.h"

using namespace zhuyi;
using namespace std::string_literals;
namespace fs = std::filesystem;

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

// The commands that read a run or make something of it, with `place` where its name stands.
std::vector<std::vector<std::string>> commands_at(const TinyRun& tiny, const std::string& place) {
    auto train = training(tiny, tiny.text, "");
    train[3] = place;
    return {
        train,
        {"train", "--resume", place},
        {"train", tiny.text, "--steps", "2", "--from", place, "--out", tiny.folder.path("none")},
        {"sample", place},
        {"eval", place},
        {"attend", place, "--text", "小"},
        {"verify", place},
        {"report", place},
        {"export", place, "--to", "hf", tiny.folder.path("none")},
        {"import", place, tiny.folder.path("none")},
        {"data", place}};
}

TEST_CASE("hostile: a name that is too long, and a link to itself, are named with the reason") {
    const TinyRun tiny;
    const std::string circle = tiny.folder.path("circle");
    fs::create_symlink("circle", circle);
    for (const std::string& place : {tiny.folder.path(std::string(300, 'x')), circle})
        for (const auto& words : commands_at(tiny, place)) {
            CAPTURE(words[0]);
            refused(run_program(words), place);
        }
    CHECK_FALSE(fs::exists(tiny.folder.path("none")));
}

// Nothing is closed to root, who therefore becomes nobody, to whom the whole folder is.
TEST_CASE("hostile: a run in a folder that one may not look into") {
    const TinyRun tiny;
    const std::string closed = tiny.folder.path("closed");
    fs::create_directory(closed);
    fs::permissions(closed, fs::perms::none);
    const std::string me =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    for (const auto& words : commands_at(tiny, closed + "/run")) {
        CAPTURE(words[0]);
        std::string line = me + "\"$ZHUYI\"";
        for (const std::string& word : words) line += " " + shell_quoted(word);
        const Outcome outcome =
            run_shell(me + "\"$ZHUYI\" --version >/dev/null 2>&1 || exit 77\n" + line);
        if (outcome.code != 77) refused(outcome, tiny.folder.path());
    }
    fs::permissions(closed, fs::perms::owner_all);
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
                             const std::string& after) {
        CAPTURE(name);
        std::string script = line;
        script.replace(script.find("NAME"), 4, name);
        const Outcome outcome = run_shell(before + script + after);
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
    // Nobody reads the progress any more, from before the first line: the run is saved all the
    // same.
    CHECK((trained("gone", "{ sleep 0.2; ", " 2>&1; echo $? >&3; } 3>&2 | true") == usual));
    if (fs::exists("/dev/full")) CHECK((trained("full", "", " 2>/dev/full") == usual));
}

TEST_CASE("hostile: more threads than the system gives are fewer threads, and the same bits") {
    const TinyRun tiny;
    const std::string eval = "\"$ZHUYI\" eval " + shell_quoted(tiny.run) + " --threads ";
    const Outcome one = run_shell(eval + "1");
    REQUIRE(one.code == 0);
    const Outcome many = run_shell(within("1000000", eval + "1024"));
    if (many.code != 77) CHECK(many.out == one.out);
    refused(run_shell(eval + "1025"), "expected a whole number from 0 to 1024");
}
