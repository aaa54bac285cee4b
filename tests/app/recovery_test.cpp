// zhuyi train when something comes between: a signal, a damaged file, a full disk, a second
// trainer. What is there in the end has the bytes of a training that nothing disturbed.
#include <csignal>
#include <filesystem>

#include "support/desk.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE(
    "recovery: Ctrl-C, a closed terminal, kill -9 and --resume leave the bytes of a run that never "
    "stopped") {
    const Desk desk;
    const std::vector<std::string> options{
        "--steps",  "1500", "--eval-every",     "500", "--save-every", "100", "--history=yes",
        "--prompt", "小",   "--history-frames", "6",   "--accumulate", "2"};
    REQUIRE(desk.train("whole", options).code == 0);
    const auto stopped_by = [&](const std::string& signal, const std::string& first_words) {
        const std::string metrics = shell_quoted(desk.folder.path("parts/metrics.csv"));
        return run_shell(
            first_words + " &\nrun=$!\n" + "tries=0\nbefore=$(wc -l < " + metrics +
            " 2>/dev/null || echo 0)\n" + "while [ $(wc -l < " + metrics +
            " 2>/dev/null || echo 0) -lt $((before + 150)) ] && [ $tries -lt 2000 ]; do\n"
            "sleep 0.01; tries=$((tries + 1)); done\n"
            "kill -" +
            signal + " $run; wait $run");
    };
    const std::string resume =
        "\"$ZHUYI\" train --threads 2 --resume " + shell_quoted(desk.folder.path("parts"));

    const Outcome killed = stopped_by("KILL", desk.line("parts", options));
    CHECK(killed.code == 128 + 9);
    const Outcome interrupted = stopped_by("INT", resume);
    CAPTURE(interrupted.err);
    CHECK(interrupted.code == 128 + 2);  // so that `train && export` stops here
    CHECK(has(interrupted.err, "to go on: zhuyi train --resume "));
    std::signal(SIGHUP, SIG_DFL);  // regression: under nohup it is ignored, and the run went on
    CHECK(stopped_by("HUP", resume).code == 128 + 1);
    const Outcome ended = run_shell(resume);
    CHECK(ended.code == 0);
    CHECK(has(ended.err, "done: step 1500"));
    for (const char* file : {"last.safetensors", "best.safetensors", "first.safetensors",
                             "metrics.csv", "samples.txt", "history.bin", "run.conf"}) {
        CAPTURE(file);
        CHECK(desk.read("whole", file).size() > 0);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

TEST_CASE("recovery: killed before its first checkpoint after step 0, a run begins anew") {
    const Desk desk;
    const std::vector<std::string> options{"--steps", "12", "--eval-every", "4"};
    REQUIRE(desk.train("whole", options).code == 0);
    REQUIRE(desk.train("parts", options).code == 0);
    const std::string run = desk.folder.path("parts");
    SUBCASE("the last checkpoint is that of step 0") {
        fs::copy_file(run + "/first.safetensors", run + "/last.safetensors",
                      fs::copy_options::overwrite_existing);
    }
    SUBCASE("there is only the first one") { fs::remove(run + "/last.safetensors"); }
    SUBCASE("there is none") {
        for (const char* which : {"first", "last", "best"})
            fs::remove(run + "/" + which + ".safetensors");
    }
    REQUIRE(run_program({"train", "--resume", run}).code == 0);
    for (const char* file : {"last.safetensors", "metrics.csv", "samples.txt"}) {
        CAPTURE(file);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

TEST_CASE(
    "recovery: the checkpoint before takes the place of a damaged one, and the end is the same") {
    const Desk desk;
    const std::vector<std::string> options{"--steps",      "8", "--eval-every",  "4",
                                           "--save-every", "2", "--history=yes", "--optimizer",
                                           "adamw"};  // a weight comes last in the file
    REQUIRE(desk.train("whole", options).code == 0);
    fs::copy(desk.folder.path("whole"), desk.folder.path("parts"));
    const std::string run = desk.folder.path("parts"), last = run + "/last.safetensors";
    std::string bytes = desk.read("parts", "last.safetensors");
    SUBCASE("a bit of a weight") { bytes.back() ^= 1; }
    SUBCASE("a bit of what the metadata say") { bytes[bytes.find("\"step\": \"8") + 9] ^= 1; }
    SUBCASE("half of it") { bytes.resize(bytes.size() / 2); }
    SUBCASE("nothing of it") { bytes.clear(); }
    desk.folder.write("parts/last.safetensors", bytes);

    const Outcome look = run_program({"sample", run, "--checkpoint", "last", "--tokens", "1"});
    CHECK(look.code == 0);
    CHECK(has(look.err, "warning: "));
    CHECK(has(look.err, "The one before it is used instead, of step 6"));
    CHECK((desk.read("parts", "last.safetensors") == bytes));  // who only looks changes nothing

    const Outcome outcome = run_program({"train", "--resume", run});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.starts_with("zhuyi: warning: " + run + "/last.safetensors"));
    CHECK(has(outcome.err, "step 6 (" + run + "/previous.safetensors)"));
    CHECK((desk.read("parts", "damaged.safetensors") == bytes));
    for (const char* file : {"last.safetensors", "best.safetensors", "metrics.csv", "samples.txt",
                             "history.bin", "previous.safetensors"}) {
        CAPTURE(file);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

TEST_CASE(
    "recovery: killed between the two names of a checkpoint, it goes on from the previous one") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4", "--save-every", "2"}).code == 0);
    const std::string end = desk.read("run", "last.safetensors");
    fs::rename(desk.folder.path("run/last.safetensors"), desk.folder.path("run/.last.partial"));
    REQUIRE(run_program({"train", "--resume", desk.folder.path("run")}).code == 0);
    CHECK((desk.read("run", "last.safetensors") == end));
    CHECK_FALSE(fs::exists(desk.folder.path("run/damaged.safetensors")));
}

TEST_CASE("recovery: without one before it, a damaged checkpoint or another's is named and stays") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4"}).code == 0);
    const std::string run = desk.folder.path("run"), last = run + "/last.safetensors";
    const std::string metrics = desk.read("run", "metrics.csv");
    const auto resume = [&] { return run_program({"train", "--resume", run, "--steps", "8"}); };
    const std::string whole = desk.read("run", "last.safetensors");
    fs::remove(run + "/previous.safetensors");
    desk.folder.write("run/last.safetensors", whole.substr(0, whole.size() / 2));
    refused(resume(), 1, "last.safetensors");
    refused(resume(), 1, "zhuyi verify " + shell_quoted(run));
    CHECK(desk.read("run", "metrics.csv") == metrics);

    REQUIRE(desk.train("wide", {"--steps", "1", "--channels", "32"}).code == 0);
    desk.folder.write("run/last.safetensors", desk.read("wide", "last.safetensors"));
    refused(resume(), 1, "has shape");
    fs::copy_file(last, run + "/previous.safetensors");
    refused(resume(), 1, "nor can the one before it be used");
    CHECK(desk.read("run", "metrics.csv") == metrics);

    desk.folder.write("run/last.safetensors", whole);
    CHECK(resume().code == 0);
}

TEST_CASE("recovery: a full disk ends it with one line, and --resume goes on when there is room") {
    const Desk desk;
    const std::vector<std::string> options{"--steps", "4", "--channels", "64"};
    REQUIRE(desk.train("whole", options).code == 0);
    const Outcome full = run_shell("ulimit -f 100\n" + desk.line("run", options));
    CAPTURE(full.err);
    CHECK(full.code == 1);
    const std::size_t message = full.err.find("zhuyi: cannot write ");
    REQUIRE(message != full.err.npos);
    CHECK(full.err.find('\n', message) == full.err.size() - 1);
    REQUIRE(run_program({"train", "--resume", desk.folder.path("run")}).code == 0);
    CHECK((desk.read("run", "last.safetensors") == desk.read("whole", "last.safetensors")));
    CHECK(desk.read("run", "metrics.csv") == desk.read("whole", "metrics.csv"));
}

TEST_CASE("recovery: two at once in one folder, the second is refused; who only reads is not") {
    const Desk desk;
    const std::string run = desk.folder.path("run"), quoted = shell_quoted(run);
    const std::vector<std::string> long_run{"--steps", "100000000", "--eval-every", "100000"};
    const Outcome outcome = run_shell(
        desk.line("run", long_run) + " >/dev/null 2>&1 &\nrun=$!\n" + "until grep -q '^1,' " +
        quoted + "/metrics.csv 2>/dev/null; do sleep 0.01; done\n" + "\"$ZHUYI\" train --resume " +
        quoted + "; echo $?\n" + "\"$ZHUYI\" sample " + quoted +
        " --tokens 1 --prompt 小 >/dev/null; echo $?\n" + "kill -9 $run; wait $run\n" +
        "\"$ZHUYI\" train --resume " + quoted + " --steps 1 >/dev/null; echo $?\n");
    CHECK(outcome.out == "1\n0\n0\n");
    CAPTURE(outcome.err);
    CHECK(has(outcome.err, "zhuyi: " + run + ": another training is at work in this folder"));
}

TEST_CASE("recovery: two that begin a run at once make one run") {
    const Desk desk;
    const std::string one = desk.line("run", {"--steps", "20"}) + " 2>/dev/null; echo $?";
    const Outcome outcome = run_shell("(" + one + ") & (" + one + ") & wait");
    CAPTURE(outcome.out);
    CHECK(std::count(outcome.out.begin(), outcome.out.end(), '0') == 1);
    CHECK(run_program({"verify", desk.folder.path("run")}).code == 0);
}

TEST_CASE("recovery: a first checkpoint holds weights alone, and is healed to the same bytes") {
    const Desk desk;
    REQUIRE(desk.train("whole", {"--steps", "4", "--eval-every", "2"}).code == 0);
    const std::string whole = desk.read("whole", "first.safetensors");
    CHECK(!has(whole, "adam."));
    CHECK(!has(whole, "muon."));
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 7) {
        fs::remove_all(desk.folder.path("parts"));
        fs::copy(desk.folder.path("whole"), desk.folder.path("parts"));
        std::string harmed = whole;
        harmed[at] ^= 1;
        desk.folder.write("parts/first.safetensors", harmed);
        const std::string run = desk.folder.path("parts");
        CHECK(has(run_program({"verify", run}).out, "drawn once more"));
        REQUIRE(run_program({"train", "--resume", run, "--steps", "6"}).code == 0);
        CHECK((desk.read("parts", "first.safetensors") == whole));
        CHECK(run_program({"verify", run}).code == 0);
    }
    // An earlier program wrote what the optimizer remembers too, and a bit of that is flipped.
    fs::remove_all(desk.folder.path("parts"));
    fs::copy(desk.folder.path("whole"), desk.folder.path("parts"));
    const std::string run = desk.folder.path("parts");
    std::string older = desk.read("whole", "last.safetensors");
    older[older.size() / 2] ^= 1;
    desk.folder.write("parts/first.safetensors", older);
    REQUIRE(run_program({"train", "--resume", run, "--steps", "6"}).code == 0);
    CHECK((desk.read("parts", "first.safetensors") == whole));
}

TEST_CASE("recovery: one --resume heals a finished run's log or film, and verify is content") {
    const Desk desk;
    REQUIRE(desk.train("whole", {"--steps", "6", "--eval-every", "2", "--history=yes"}).code == 0);
    const std::string run = desk.folder.path("parts");
    for (const char* file : {"metrics.csv", "samples.txt", "history.bin"})
        for (const bool flipped : {true, false}) {
            CAPTURE(file);
            CAPTURE(flipped);
            fs::remove_all(run);
            fs::copy(desk.folder.path("whole"), run);
            std::string bytes = desk.read("whole", file);
            bytes[bytes.size() / 2] ^= 1;
            if (!flipped) bytes.resize(bytes.size() / 2);
            desk.folder.write("parts/" + std::string(file), bytes);
            const std::string previous = desk.read("parts", "previous.safetensors");
            CHECK(run_program({"verify", run}).code == 1);
            CHECK(run_program({"train", "--resume", run}).code == 0);
            const Outcome healed = run_program({"verify", run});
            CAPTURE(healed.out);
            CHECK(healed.code == 0);
            CHECK((desk.read("parts", "previous.safetensors") == previous));
            CHECK(!has(run_program({"train", "--resume", run}).err, "warning"));
            CHECK(!fs::exists(run + "/" + file + ".damaged.2"));
            CHECK(run_program({"train", "--resume", run, "--steps", "8"}).code == 0);
            CHECK(run_program({"verify", run}).code == 0);
        }
}

TEST_CASE("recovery: a film that run.conf no longer describes is set aside, and a new one begun") {
    const Desk desk;
    REQUIRE(desk.train("whole", {"--steps", "4", "--heads", "2", "--history=yes"}).code == 0);
    const std::string run = desk.folder.path("parts");
    const std::string conf = desk.read("whole", "run.conf");
    for (const auto& [key, value] :
         {std::pair{"heads", "4"}, {"history_common", "3"}, {"history_sentences", "雨点"}}) {
        const char* name = key;  // clang++ 14 lets no lambda hold `key`, and CAPTURE makes one
        CAPTURE(name);
        fs::remove_all(run);
        fs::copy(desk.folder.path("whole"), run);
        std::size_t at = conf.find("\n" + std::string(name) + " = ");
        REQUIRE(at != conf.npos);
        const std::size_t end = conf.find('\n', ++at);
        desk.folder.write("parts/run.conf",
                          conf.substr(0, at) + name + " = " + value + conf.substr(end));
        const Outcome on = run_program({"train", "--resume", run, "--steps", "6"});
        CHECK(on.code == 0);
        CHECK(has(on.err, "was recorded with other options"));
        CHECK(fs::exists(run + "/history.bin.damaged"));
        CHECK(run_program({"verify", run}).code == 0);
    }
}
