// zhuyi train --resume, as the program that is built: what may be changed holds from then on, and
// what makes it another training is refused.
#include <doctest/doctest.h>

#include <filesystem>

#include "support/desk.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

// A run of 12 steps, saved after every third.
struct Course {
    ScratchFolder folder;
    std::string text = folder.write("text.txt", kVerses);
    std::string probes = folder.write("probes.txt", "甲 | new | 小猫 | 吃 | 看, 走 | 1, 0-1\n");
    std::string run = folder.path("run");

    Outcome begin(std::vector<std::string> more = {}) const {
        std::vector<std::string> all{
            "train",        text,  "--out",    run,  "--channels",       "16",
            "--heads",      "2",   "--layers", "1",  "--batch",          "2",
            "--threads",    "1",   "--steps",  "12", "--eval-every",     "4",
            "--save-every", "3",   "--warmup", "2",  "--history-frames", "4",
            "--probes",     probes};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    Outcome resume(std::vector<std::string> more = {}, const std::string& which = "run") const {
        std::vector<std::string> all{"train", "--resume", folder.path(which)};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    void copy(const std::string& name) const { fs::copy(run, folder.path(name)); }
    void check_same(const std::string& a, const std::string& b) const {
        for (const char* file :
             {"last.safetensors", "previous.safetensors", "best.safetensors", "metrics.csv",
              "samples.txt", "probes.csv", "history.bin", "run.conf"}) {
            CAPTURE(file);
            CHECK(folder.read(a + "/" + file).size() > 0);
            CHECK((folder.read(a + "/" + file) == folder.read(b + "/" + file)));
        }
    }
    std::string line(const std::string& option, const std::string& which = "run") const {
        const std::string conf = folder.read(which + "/run.conf"), start = "\n" + option + " = ";
        const std::size_t at = conf.find(start) + start.size();
        return conf.substr(at, conf.find_first_of(" \n", at) - at);
    }
};

}  // namespace

// run.conf went on to say 12 steps, so whoever resumed the extended run was given their schedule.
TEST_CASE("resume: a run made longer and killed goes on with its new length, to the same bits") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    course.copy("whole");
    REQUIRE(course.resume({"--steps", "20"}, "whole").code == 0);
    for (const char* call : {"3", "17", "40"}) {
        CAPTURE(call);
        const std::string part = "part " + std::string(call);
        course.copy(part);
        const std::string kill = "kill@" + std::string(call);
        REQUIRE(course.resume({"--steps", "20", "--inject", kill}, part).code == 128 + 9);
        // killed before the new length was written down it is the old run, whole
        if (course.line("steps", part) == "12")
            REQUIRE(course.resume({"--steps", "20"}, part).code == 0);
        REQUIRE(course.resume({}, part).code == 0);
        course.check_same("whole", part);
    }
}

TEST_CASE("resume: a run with rotary positions, killed, goes on to the same bits") {
    const Course whole, part;
    REQUIRE(whole.begin({"--position", "rotary"}).code == 0);
    REQUIRE(part.begin({"--position", "rotary", "--inject", "kill@40"}).code == 128 + 9);
    REQUIRE(part.resume().code == 0);
    CHECK(part.line("position") == "rotary");
    for (const char* file : {"/last.safetensors", "/metrics.csv", "/samples.txt", "/history.bin"})
        CHECK((whole.folder.read("run" + std::string(file)) ==
               part.folder.read("run" + std::string(file))));
}

TEST_CASE("resume: what was changed is in run.conf, and nothing is written there otherwise") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    const auto before = fs::last_write_time(course.run + "/run.conf");
    REQUIRE(course.resume({"--steps", "12"}).code == 0);
    CHECK(fs::last_write_time(course.run + "/run.conf") == before);
    REQUIRE(course.resume({"--steps", "14", "--eval-every", "2", "--save-every", "1"}).code == 0);
    CHECK(course.line("steps") == "14");
    CHECK(course.line("eval_every") == "2");
    CHECK(course.line("save_every") == "1");
}

TEST_CASE("resume: a text that has moved is named once") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    const std::string moved = course.folder.path("moved.txt");
    fs::rename(course.text, moved);
    refused(course.resume({"--steps", "14"}), 1, "name one: --data FILE");
    CHECK(course.line("steps") == "12");
    REQUIRE(course.resume({"--steps", "14", "--data", moved}).code == 0);
    CHECK(course.resume({"--steps", "15"}).code == 0);
}

TEST_CASE("resume: a text from standard input is asked for once more") {
    const Course course;
    const std::string run = shell_quoted(course.run);
    // the same line begins a run and goes on with it
    REQUIRE(run_shell("\"$ZHUYI\" train - --resume --out " + run +
                      " --channels 16 --heads 2 --layers 1 " + "--batch 2 --steps 2 < " +
                      shell_quoted(course.text))
                .code == 0);
    refused(course.resume({"--steps", "3"}), 1, "give it the same once more");
    CHECK(
        run_shell("\"$ZHUYI\" train --resume " + run + " --steps 3 < " + shell_quoted(course.text))
            .code == 0);
}

// Between run.conf and the first checkpoint it had forgotten whose weights it was to begin with.
TEST_CASE(
    "resume: a fine-tuning killed at any of its first moments goes on from the same weights") {
    const Course course;
    REQUIRE(course.begin({"--history=no"}).code == 0);
    const auto tune = [&](const std::string& name, std::vector<std::string> more) {
        std::vector<std::string> all{
            "train",   course.text, "--from",  course.run, "--out",       course.folder.path(name),
            "--steps", "2",         "--batch", "2",        "--history=no"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    REQUIRE(tune("whole", {}).code == 0);
    bool began_anew = false;
    for (int call = 2; call <= 20; call += 3) {
        CAPTURE(call);
        const std::string name = "tuned " + std::to_string(call);
        REQUIRE(tune(name, {"--inject", "kill@" + std::to_string(call)}).code == 128 + 9);
        const bool is_run = fs::exists(course.folder.path(name) + "/run.conf");
        began_anew |= !is_run;
        REQUIRE((is_run ? course.resume({}, name) : tune(name, {})).code == 0);
        CHECK((course.folder.read(name + "/last.safetensors") ==
               course.folder.read("whole/last.safetensors")));
    }
    CHECK(began_anew);
}

// A configuration says how a run begins; how far it goes was decided anew.
TEST_CASE("resume: with the configuration it began with, a longer run stays longer") {
    const Course course;
    const std::string conf =
        course.folder.write("a.conf", "data = \"" + course.text +
                                          "\"\nchannels = 16\nheads = 2\nlayers = 1\nbatch = 2\n"
                                          "context = 8\nsteps = 4\nminutes = 0\n");
    REQUIRE(run_program({"train", conf, "--out", course.run}).code == 0);
    REQUIRE(course.resume({"--steps", "6"}).code == 0);
    REQUIRE(run_program({"train", conf, "--out", course.run, "--resume"}).code == 0);
    CHECK(course.line("steps") == "6");
}

TEST_CASE("resume: fewer steps than are done are refused, and all of them done is said") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    refused(course.resume({"--steps", "4"}), 2, "is at step 12 already; found --steps 4");
    CHECK(course.line("steps") == "12");
    const Outcome again = course.resume();
    CHECK(again.code == 0);
    CHECK(has(again.err, "it was at step 12 already; a larger number trains on"));
}

TEST_CASE("train: --minutes beside --steps, or where a run goes on, would be ignored: refused") {
    const Course course;
    refused(course.begin({"--minutes", "1"}), 2, "leave one of them out");
    CHECK_FALSE(fs::exists(course.run));
    REQUIRE(course.begin().code == 0);
    refused(course.resume({"--minutes", "1"}), 2, "the steps of a new run");
}

// Once without the film and once as always: it began anew, and what it had shown was gone.
TEST_CASE("resume: a film that is switched off stays off, and stays") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    const std::string film = course.folder.read("run/history.bin");
    REQUIRE(course.resume({"--steps", "14", "--history=no"}).code == 0);
    REQUIRE(course.resume({"--steps", "16"}).code == 0);
    CHECK((course.folder.read("run/history.bin") == film));
    CHECK(run_program({"verify", course.run}).code == 0);
    refused(course.resume({"--steps", "18", "--history=yes"}), 2, "move that file away");
    fs::remove(course.run + "/history.bin");
    CHECK(course.resume({"--steps", "18", "--history=yes"}).code == 0);
    CHECK(fs::exists(course.run + "/history.bin"));
}

// Two characters had changed places, and so had their embeddings.
TEST_CASE("resume: another vocabulary of the same size is refused by all that would use it") {
    const Course course;
    REQUIRE(course.begin().code == 0);
    std::string lines = course.folder.read("run/vocabulary.txt");
    const std::size_t cat = lines.find("猫"), rain = lines.find("雨");
    std::swap_ranges(lines.begin() + std::ptrdiff_t(cat), lines.begin() + std::ptrdiff_t(cat) + 3,
                     lines.begin() + std::ptrdiff_t(rain));
    course.folder.write("run/vocabulary.txt", lines);
    const std::string words = "is not the vocabulary that the weights were trained with";
    refused(course.resume({"--steps", "14"}), 1, words);
    refused(run_program({"sample", course.run}), 1, words);
    CHECK(has(run_program({"train", course.text, "--from", course.run, "--out",
                           course.folder.path("tuned"), "--steps", "1"})
                  .err,
              words));
    const Outcome verified = run_program({"verify", course.run});
    CHECK(verified.code == 1);
    CHECK(has(verified.out, words));
}

TEST_CASE("train: what is said to be typed next can be typed") {
    const Course course;
    const std::string run = course.folder.path("我的 run");
    REQUIRE(run_program({"train", course.text, "--out", run, "--steps", "1", "--channels", "16",
                         "--heads", "2", "--layers", "1", "--batch", "2"})
                .code == 0);
    const std::string advice = "zhuyi train --resume " + shell_quoted(run);
    CHECK(has(run_program({"train", course.text, "--out", run}).err, advice + ";"));
    CHECK(has(run_program({"verify", run}).out, advice + ", from step 1"));
}

// "….; nor can" and "configuration.。"
TEST_CASE("train: a warning that quotes an error has one full stop") {
    const Course course;
    REQUIRE(course.begin({"--channels", "32"}).code == 0);
    const std::string other = course.folder.read("run/last.safetensors");
    fs::rename(course.run, course.folder.path("wide"));
    REQUIRE(course.begin().code == 0);
    course.folder.write("run/last.safetensors", other);
    const Outcome warned = course.resume({"--lang", "zh"});
    CHECK(has(warned.err, "属于另一份配置。改用"));
    course.folder.write("run/last.safetensors", other);
    course.folder.write("run/previous.safetensors", other);
    const Outcome failed = course.resume();
    CHECK(has(failed.err, "another configuration; nor can the one before it be used"));
    CHECK(has(failed.err, "another configuration. `zhuyi verify "));
}

TEST_CASE("resume: refuses another training, and may make this one longer") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4", "--prompt", "小"}).code == 0);
    const std::string run = desk.folder.path("run"), before = desk.read("run", "last.safetensors");
    refused(run_program({"train", "--resume", run, "--channels", "32"}), 2, "channels = 16");
    refused(run_program({"train", "--resume", run, "--learning-rate", "0.5"}), 2, "learning_rate");
    refused(run_program({"train", "--resume", run, "--prompt", "月"}), 2, "prompt = 小");
    const std::string other =
        desk.folder.write("other.txt", "另一份文本。\n\n不是那一份，要长一些。\n");
    refused(run_program({"train", "--resume", run, "--data", other, "--steps", "6"}), 1,
            "not the one this run began with");
    CHECK((desk.read("run", "last.safetensors") == before));
    const Outcome longer = run_program({"train", "--resume", run, "--steps", "6"});
    CHECK(longer.code == 0);
    CHECK(has(longer.err, "done: step 6"));
    refused(run_program({"train", "--resume", desk.folder.path("nowhere")}), 1, "no run folder");
    refused(run_program({"train", "--resume", desk.folder.path()}), 1, "no run folder");
}
