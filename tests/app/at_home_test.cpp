// The program on a machine: its version, its runs listed, its line of progress.
#include <filesystem>

#include "run/progress.h"
#include "support/hostile.h"
#include "support/pseudo_terminal.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("--version names commit and instruction set") {
    const std::string said = run_program({"--version"}).out;
    CAPTURE(said);
    CHECK(said.starts_with("zhuyi 0.1.0 ("));
    CHECK((has(said, "avx") || has(said, "portable")));
}

TEST_CASE("zhuyi runs lists the runs of a folder, and compares two") {
    const TinyRun tiny;
    const std::string other = tiny.folder.path("other");
    REQUIRE(run_program({"train", tiny.text, "--out", other, "--steps", "3", "--context", "16",
                         "--channels", "8", "--heads", "2", "--layers", "1", "--batch", "2"})
                .code == 0);
    const Outcome list = run_program({"runs", tiny.folder.path()});
    CAPTURE(list.out);
    CHECK(list.code == 0);
    CHECK(has(list.out, "text.txt"));
    CHECK(has(list.out, "3/3"));
    CHECK(has(list.out, "complete"));
    CHECK(has(list.out, "training time"));
    CHECK(has(list.out, "0:00"));
    CHECK(has(run_program({"runs", tiny.folder.path(), "--lang", "zh"}).out, "完成"));
    const Outcome compared = run_program({"runs", "--compare", tiny.run, other});
    CAPTURE(compared.out);
    CHECK(has(compared.out, "channels"));
    CHECK(has(compared.out, "fingerprint"));
    CHECK(has(compared.out, "training time"));
    CHECK_FALSE(has(compared.out, "context"));  // the same in both
    fs::resize_file(other + "/last.safetensors", 100);
    fs::remove(other + "/previous.safetensors");
    CHECK(has(run_program({"runs", tiny.folder.path()}).out, "damaged"));
    refused(run_program({"runs", tiny.folder.path("none")}), "no such folder");
}

// metrics.csv and the history are compared byte for byte; so the time stands in log.txt alone.
TEST_CASE("zhuyi runs: how long a training took is the sum of its pieces, in log.txt") {
    const std::string log =
        "step 1/5 | loss 6.5\n--- steps 1 to 3: 1.500 s\n"
        "done\n--- steps 4 to 5: 2.25 s\n";
    CHECK(trained_seconds(log, 5) == 3.75);
    CHECK(trained_seconds(log, 3) == 3.75);  // steps that were made and lost took their time, too
    CHECK_FALSE(trained_seconds(log, 6));
    CHECK_FALSE(trained_seconds("--- steps 4 to 5: 2.25 s\n", 5));  // the log of 1 to 3 is lost
    CHECK_FALSE(trained_seconds("--- steps 1 to 5: soon\n", 5));
    CHECK(trained_seconds("", 0) == 0);

    const TinyRun tiny;
    const std::string before = tiny.folder.read("run/log.txt");
    CHECK(has(before, "\n--- steps 1 to "));
    CHECK(trained_seconds(before, 2));
    REQUIRE(run_program({"train", "--resume", tiny.run, "--steps", "4", "--lang", "zh"}).code == 0);
    const std::string after = tiny.folder.read("run/log.txt");
    CHECK(has(after, "--- steps 3 to "));
    REQUIRE(trained_seconds(after, 4));
    CHECK(*trained_seconds(after, 4) > *trained_seconds(before, 2));
    tiny.folder.write("run/log.txt", "");
    CHECK(has(run_program({"runs", tiny.run, "--json"}).out, "\"seconds\": null"));
}

TEST_CASE("the progress line shows the last evaluations as a small curve") {
    CHECK(small_curve({}) == "");
    CHECK(small_curve({3}) == "");
    CHECK(small_curve({4, 3, 2, 1}) == "█▆▃▁");
    CHECK(small_curve({2, 2}) == "▁▁");
    CHECK(small_curve(std::vector<double>(100, 1)).size() == 30 * 3);
    const TinyRun tiny;
    const std::vector<std::string> words{"train", "--resume",     tiny.run, "--steps",
                                         "40",    "--eval-every", "4",      "--history=no"};
    const Outcome wide = run_at_terminal(words, 160);
    CHECK(has(wide.out, "▁"));
    const TinyRun again;
    const Outcome piped = run_program(
        {"train", "--resume", again.run, "--steps", "40", "--eval-every", "4", "--history=no"});
    CHECK_FALSE(has(piped.err, "▁"));
}

TEST_CASE("a run.conf that was edited by hand is noticed by verify and by --resume") {
    const TinyRun tiny;
    std::string conf = tiny.folder.read("run/run.conf");
    const std::size_t at = conf.find("\nweight_decay = ") + 16;
    conf.replace(at, conf.find(' ', at) - at, "0.7");
    tiny.folder.write("run/run.conf", conf);
    const Outcome verified = run_program({"verify", tiny.run});
    CAPTURE(verified.out);
    CHECK(verified.code == 1);
    CHECK(has(verified.out, "run.conf was edited after step 2: weight_decay "));
    CHECK(has(verified.out, "\"0.7\""));
    const Outcome resumed = run_program({"train", "--resume", tiny.run, "--steps", "4"});
    CHECK(resumed.code == 0);
    CHECK(has(resumed.err, "run.conf was edited after step 2"));
    CHECK(run_program({"verify", tiny.run}).code == 0);  // from here on these are its values
}

TEST_CASE("history_budget holds however often a run is made longer") {
    const TinyRun tiny;
    const std::string run = tiny.folder.path("long");
    REQUIRE(run_program({"train",
                         tiny.text,
                         "--out",
                         run,
                         "--steps",
                         "20",
                         "--context",
                         "16",
                         "--channels",
                         "32",
                         "--heads",
                         "2",
                         "--layers",
                         "1",
                         "--batch",
                         "2",
                         "--history-budget",
                         "1",
                         "--history-snapshots",
                         "0"})
                .code == 0);
    for (int steps = 60; steps <= 500; steps += 40)
        REQUIRE(run_program({"train", "--resume", run, "--steps", std::to_string(steps)}).code ==
                0);
    CHECK(fs::file_size(run + "/history.bin") <= 1'000'000);
    CHECK(run_program({"verify", run}).code == 0);
}

TEST_CASE("train --from: a tenth of the learning rate is said, and windows may be shorter") {
    const TinyRun tiny;
    const std::string out = tiny.folder.path("tuned");
    const Outcome tuned = run_program(
        {"train", tiny.text, "--from", tiny.run, "--out", out, "--steps", "2", "--context", "8"});
    CAPTURE(tuned.err);
    CHECK(tuned.code == 0);
    CHECK(has(tuned.err, "a tenth of what a training from scratch takes here"));
    CHECK(has(tuned.err, "context 8 of the 16 that"));
    const Outcome decided =
        run_program({"train", tiny.text, "--from", tiny.run, "--out", tiny.folder.path("own"),
                     "--steps", "2", "--learning-rate", "0.001"});
    CHECK_FALSE(has(decided.err, "a tenth of"));
    CHECK(has(decided.err, "learning rate 0.001"));
}

TEST_CASE("zhuyi runs: a name forges no row, and of many runs the first are seen at once") {
    const TinyRun tiny;
    std::filesystem::copy(tiny.run, tiny.folder.path("a\nforged  row\u202E"));
    const Outcome list = run_program({"runs", tiny.folder.path()});
    CHECK(has(list.out, "a␊forged  row�"));
    for (int i = 0; i < 100; ++i) {
        std::filesystem::create_directory(tiny.folder.path("many" + std::to_string(i)));
        tiny.folder.write("many" + std::to_string(i) + "/run.conf",
                          tiny.folder.read("run/run.conf"));
    }
    const std::string out = run_program({"runs", tiny.folder.path()}).out;
    CHECK(out.find("fingerprint") != out.rfind("fingerprint"));  // two tables, each when it is read
    CHECK(has(run_program({"runs", tiny.folder.path(), "--json"}).out, "many99"));
}
