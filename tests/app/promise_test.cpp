// zhuyi verify promises only what --resume then does: every file of a run, damaged in every way.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/hostile.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

enum class Harm { missing, flipped, cut, empty, another_runs, folder, pipe };
constexpr std::pair<Harm, const char*> kHarms[] = {{Harm::missing, "missing"},
                                                   {Harm::flipped, "flipped"},
                                                   {Harm::cut, "cut"},
                                                   {Harm::empty, "empty"},
                                                   {Harm::another_runs, "another run's"},
                                                   {Harm::folder, "a folder"},
                                                   {Harm::pipe, "a pipe"}};
constexpr const char* kFiles[] = {
    "run.conf",         "vocabulary.txt", "first.safetensors",    "best.safetensors",
    "last.safetensors", "metrics.csv",    "previous.safetensors", "probes.txt",
    "probes.csv",       "samples.txt",    "history.bin",          "log.txt",
    "report.html"};

void inflict(Harm harm, const fs::path& file, const fs::path& another) {
    const auto bytes_of = [](const fs::path& path) {
        std::ostringstream bytes;
        bytes << std::ifstream(path, std::ios::binary).rdbuf();
        return bytes.str();
    };
    std::string bytes = bytes_of(file);
    fs::remove(file);
    const auto put = [&](const std::string& content) {
        std::ofstream(file, std::ios::binary) << content;
    };
    switch (harm) {
        case Harm::missing:
            return;
        case Harm::flipped:
            bytes[bytes.size() / 2] ^= 4;
            return put(bytes);
        case Harm::cut:
            return put(bytes.substr(0, bytes.size() / 2));
        case Harm::empty:
            return put("");
        case Harm::another_runs:
            return put(bytes_of(another));
        case Harm::folder:
            fs::create_directory(file);
            return;
        case Harm::pipe:
            REQUIRE(mkfifo(file.c_str(), 0666) == 0);
    }
}

// The time limit is the test: nothing may wait for a pipe that nobody writes.
Outcome within_a_minute(const std::string& words) {
    return run_shell("timeout 60 \"$ZHUYI\" " + words);
}

}  // namespace

TEST_CASE(
    "verify promises only what --resume then does: every file, missing, flipped, cut, empty, "
    "another run's, a folder, a pipe") {
    const TinyRun tiny;
    const std::string another = tiny.folder.path("another");
    auto words = std::vector<std::string>{
        "train",       tiny.text, "--out",    another,     "--steps",  "2", "--context", "16",
        "--channels",  "16",      "--heads",  "2",         "--layers", "2", "--batch",   "2",
        "--min-count", "1",       "--probes", tiny.probes, "--seed",   "9"};
    REQUIRE(run_program(words).code == 0);
    const fs::path here = tiny.folder.path("here");
    for (const char* file : kFiles)
        for (const auto& kind : kHarms) {
            const Harm harm = kind.first;  // clang++ captures no structured binding
            const std::string name = kind.second;
            CAPTURE(file);
            CAPTURE(name);
            fs::remove_all(here);
            fs::copy(tiny.run, here);
            inflict(harm, here / file, another + ("/" + std::string(file)));
            const std::string run = shell_quoted(here.string());
            const Outcome verified = within_a_minute("verify " + run);
            CAPTURE(verified.out);
            CAPTURE(verified.err);
            CHECK(verified.code <= 1);
            const bool promised = has(verified.out, "zhuyi train --resume ");
            const Outcome deed = within_a_minute("train --steps 3 --resume " + run);
            CAPTURE(deed.err);
            CHECK(deed.code <= 2);
            CHECK((deed.code == 0) == promised);
            if (deed.code != 0) continue;
            // Mended is mended: the next one has nothing to say of it.
            const Outcome next = within_a_minute("train --steps 4 --resume " + run);
            CAPTURE(next.err);
            CHECK(next.code == 0);
        }
}

// Once a prompt or a sentence that was no UTF-8 was promised to go on, and the first checkpoint or
// the history refused it.
TEST_CASE("verify promises only what --resume then does: every value of run.conf, no UTF-8") {
    const TinyRun tiny;
    std::istringstream lines(tiny.folder.read("run/run.conf"));
    std::string before, line, after(std::istreambuf_iterator<char>(lines), {});
    int values = 0;
    while (!after.empty()) {
        const std::size_t end = after.find('\n') + 1;
        line = after.substr(0, end), after.erase(0, end);
        const std::size_t equals = line.find(" = ");
        // (A text that is not there can be named anew: verify says so.)
        if (equals != line.npos && !line.starts_with('#') && !line.starts_with("data =")) {
            CAPTURE(line);
            const std::string harmed = line.substr(0, equals) + " = \"a\xa0\"\n";
            const fs::path here = tiny.folder.path("here");
            fs::remove_all(here);
            fs::copy(tiny.run, here);
            tiny.folder.write("here/run.conf", before + harmed + after);
            const std::string run = shell_quoted(here.string());
            const Outcome verified = run_shell("\"$ZHUYI\" verify " + run);
            const bool promised = has(verified.out, "zhuyi train --resume ");
            const Outcome deed = run_shell("\"$ZHUYI\" train --steps 3 --resume " + run);
            CAPTURE(verified.out);
            CAPTURE(deed.err);
            CHECK(deed.code <= 2);
            CHECK((deed.code == 0) == promised);
            ++values;
        }
        before += line;
    }
    CHECK(values > 40);
}

// Once these were promised, and --resume refused them.
TEST_CASE("verify promises only what --resume then does: values that no training can have") {
    const TinyRun tiny;
    const std::string sentence = '"' + std::string(300, '.') + '"';
    const std::pair<std::string, std::string> edits[] = {{"plan", "\"1\""},
                                                         {"plan", "\"0:0\""},
                                                         {"plan", "\"5:24\""},
                                                         {"plan", "\"24:30\""},
                                                         {"plan", "\"0:x\""},
                                                         {"plan", "\"0:-1\""},
                                                         {"plan", "\"0:2\""},
                                                         {"steps", "1"},
                                                         {"steps", "3"},
                                                         {"history_sentences", sentence},
                                                         {"history_sentences", "\"小\""},
                                                         {"history_characters", "\"龘\""},
                                                         {"history_why", "\"龘\""},
                                                         {"history_why", "\"0123456789abcdefg\""},
                                                         {"history_why", "\"off\""}};
    for (const auto& edit : edits) {
        const std::string name = edit.first, value = edit.second;
        CAPTURE(name);
        CAPTURE(value);
        const fs::path here = tiny.folder.path("here");
        fs::remove_all(here);
        fs::copy(tiny.run, here);
        std::string conf = tiny.folder.read("here/run.conf");
        const std::size_t at = conf.find("\n" + name + " = ");
        REQUIRE(at != conf.npos);
        conf.replace(at, conf.find('\n', at + 1) - at, "\n" + name + " = " + value);
        tiny.folder.write("here/run.conf", conf);
        const std::string run = shell_quoted(here.string());
        const Outcome verified = run_shell("\"$ZHUYI\" verify " + run);
        CAPTURE(verified.out);
        const bool promised = has(verified.out, "zhuyi train --resume ");
        const Outcome deed = run_shell("\"$ZHUYI\" train --resume " + run);
        CAPTURE(deed.err);
        CHECK(deed.code <= 2);
        CHECK((deed.code == 0) == promised);
        if (!promised) CHECK(verified.code == 1);
    }
}

TEST_CASE("verify: a sound run is never called lost") {
    const TinyRun tiny;
    SUBCASE("after a kill between two renames") {
        fs::rename(tiny.run + "/last.safetensors", tiny.run + "/.last.safetensors.partial");
        const Outcome outcome = run_program({"verify", tiny.run});
        CAPTURE(outcome.out);
        CHECK(outcome.code == 0);
        CHECK(has(outcome.out, "the one before it takes its place"));
        CHECK(has(outcome.out, "zhuyi train --resume"));
    }
    SUBCASE("while a resume runs") {
        const std::string run = shell_quoted(tiny.run);
        const Outcome outcome =
            run_shell("\"$ZHUYI\" train --resume " + run +
                      " --steps 100000 --save-every 1 >/dev/null 2>&1 & "
                      "training=$!; status=0; for i in 1 2 3 4 5 6 7 8; do \"$ZHUYI\" verify " +
                      run + " || status=1; done; kill $training; wait $training; exit $status");
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK_FALSE(has(outcome.out, "lost"));
    }
    SUBCASE("after a killed --resume of a checkpoint of step 0") {
        fs::rename(tiny.run + "/first.safetensors", tiny.run + "/kept");
        fs::remove(tiny.run + "/previous.safetensors");
        const std::string zero = tiny.folder.path("zero");
        REQUIRE(run_program({"train", tiny.text, "--out", zero, "--steps", "0", "--context", "16",
                             "--channels", "16", "--heads", "2", "--layers", "2"})
                    .code == 0);
        for (const char* log : {"metrics.csv", "samples.txt", "history.bin"})
            tiny.folder.write("zero/" + std::string(log), "");  // cut back, then killed
        const Outcome outcome = run_program({"verify", zero});
        CAPTURE(outcome.out);
        CHECK(outcome.code == 0);
        CHECK(has(outcome.out, "zhuyi train --resume"));
        CHECK(run_program({"train", "--resume", zero, "--steps", "2"}).code == 0);
    }
}

TEST_CASE("resume: a log that is lost or was changed is set aside, and costs no step") {
    const TinyRun course;
    std::string file, bytes;
    SUBCASE("a bit of the film") {
        bytes = course.folder.read(file = "run/history.bin");
        bytes[bytes.size() / 2] ^= 1;
    }
    SUBCASE("another file in the place of the film") {
        file = "run/history.bin", bytes = "no film";
    }
    SUBCASE("a digit of metrics.csv") {
        bytes = course.folder.read(file = "run/metrics.csv");
        char& digit = bytes[bytes.find("\n1,") + 5];
        digit = digit == '7' ? '8' : '7';
    }
    SUBCASE("a digit of probes.csv") {
        bytes = course.folder.read(file = "run/probes.csv");
        bytes[bytes.find("\n1,") + 1] = '5';
    }
    SUBCASE("a letter of samples.txt") {
        bytes = course.folder.read(file = "run/samples.txt");
        bytes[4] = 'S';
    }
    const TinyRun whole;
    REQUIRE(run_program({"train", "--resume", whole.run, "--steps", "4"}).code == 0);
    course.folder.write(file, bytes);
    const Outcome outcome = run_program({"train", "--resume", course.run, "--steps", "4"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.err, "zhuyi: warning: "));
    CHECK(has(outcome.err, "A new one is begun at step 2; what was there is kept as " +
                               course.folder.path(file) + ".damaged."));
    CHECK((course.folder.read(file + ".damaged") == bytes));
    const auto weights = [](const TinyRun& c) {  // the states of the logs differ, no number does
        return has(run_program({"eval", c.run, "--checkpoint", "last", "--json"}).out,
                   "\"step\": 4")
                   ? run_program({"sample", c.run, "--checkpoint", "last"}).out
                   : "";
    };
    CHECK(weights(course) == weights(whole));
    CHECK(run_program({"verify", course.run}).code == 0);
    CHECK_FALSE(has(run_program({"train", "--resume", course.run, "--steps", "6"}).err, "warning"));
}

TEST_CASE("resume: first.safetensors that is lost is drawn once more, where the seed gives it") {
    const TinyRun course;
    const std::string first = course.run + "/first.safetensors";
    fs::remove(first);
    Outcome verified = run_program({"verify", course.run});
    CHECK(verified.code == 1);
    CHECK(has(verified.out, "first.safetensors is drawn once more from the seed"));
    Outcome outcome = run_program({"train", "--resume", course.run, "--steps", "4"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.err, "It was written anew: the seed gives the same weights."));
    CHECK(run_program({"verify", course.run}).code == 0);

    const std::string tuned = course.folder.path("tuned");  // whose first weights no seed gives
    REQUIRE(
        run_program({"train", course.text, "--from", course.run, "--out", tuned, "--steps", "2"})
            .code == 0);
    fs::remove(tuned + "/first.safetensors");
    verified = run_program({"verify", tuned});
    CHECK(has(verified.out, "no history is recorded any more, because first.safetensors"));
    outcome = run_program({"train", "--resume", tuned, "--steps", "4"});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.err, "cannot be drawn once more, so no history is recorded"));
    CHECK(fs::exists(tuned + "/history.bin"));
}
