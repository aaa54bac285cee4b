// What killed or failing machines leave, and that --resume makes of it what a machine
// without misfortune would have made. The moments are drawn among the calls that change a file
// (system/disk.h): what lies on the disk when a process dies depends only on how many of them it
// made, so every moment is as good as one of these.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "support/program.h"

using namespace zhuyi;

namespace {

// Saves often, with everything on that has something to remember.
struct Storm {
    ScratchFolder folder;
    std::string text = folder.write("text.txt",
                                    "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n"
                                    "雨点打在玻璃上，像一群小鱼。\n\n月亮出来了。\n");
    Outcome train(const std::string& run, std::vector<std::string> more = {}) const {
        std::vector<std::string> all{
            "train", text,           "--out", folder.path(run), "--resume", "--channels",
            "16",    "--heads",      "2",     "--layers",       "1",        "--batch",
            "2",     "--threads",    "1",     "--steps",        "12",       "--eval-every",
            "4",     "--save-every", "3",     "--dropout",      "0.1",      "--history-frames",
            "4",     "--warmup",     "2"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    Outcome train_until(const std::string& run, const std::string& misfortune, Index call) const {
        return train(run, {"--inject", misfortune + "@" + std::to_string(call)});
    }
    void check_same(const std::string& run) const {
        for (const char* file :
             {"last.safetensors", "previous.safetensors", "best.safetensors", "first.safetensors",
              "metrics.csv", "history.bin", "samples.txt", "vocabulary.txt", "run.conf"}) {
            CAPTURE(file);
            CHECK(folder.read("whole/" + std::string(file)).size() > 0);
            CHECK((folder.read(run + "/" + file) == folder.read("whole/" + std::string(file))));
        }
    }
    // How many calls a run makes that nothing happens to: the first number whose misfortune comes
    // too late.
    Index calls() const {
        Index least = 1, most = 4096;
        while (least < most) {
            const Index middle = (least + most) / 2;
            const bool late =
                train_until("probe " + std::to_string(middle), "kill", middle).code == 0;
            (late ? most : least) = late ? middle : middle + 1;
        }
        return least - 1;
    }
};

}  // namespace

TEST_CASE("inject: what is no misfortune is refused") {
    const Storm storm;
    for (const char* wish : {"rain", "kill", "kill@0", "kill@x", "kill@3:x", "inf@3", "nan@3:x"}) {
        CAPTURE(wish);
        const Outcome outcome = storm.train("run", {"--inject", wish});
        CHECK(outcome.code == 2);
        CHECK(outcome.err.starts_with("zhuyi: --inject"));
    }
    CHECK(run_program({"train", "--help"}).out.find("inject") == std::string::npos);
}

TEST_CASE("inject: killed at any of 30 moments, a run that goes on ends as if nothing had been") {
    const Storm storm;
    REQUIRE(storm.train("whole").code == 0);
    const Index calls = storm.calls();
    CAPTURE(calls);
    REQUIRE(calls > 60);
    const Random random(2026, Stream::batches, 0);
    for (Index i = 0; i < 30; ++i) {
        const Index moment = 1 + random.below(calls, i);
        CAPTURE(moment);
        const std::string run = "run " + std::to_string(i);
        CHECK(storm.train_until(run, "kill", moment).code == 128 + 9);
        const Outcome outcome = storm.train(run);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        storm.check_same(run);
    }
}

TEST_CASE("inject: a full or dying disk ends a run with one line, and loses nothing") {
    const Storm storm;
    REQUIRE(storm.train("whole").code == 0);
    const Random random(2027, Stream::batches, 0);
    for (const std::string misfortune : {"short", "enospc", "eio"})
        for (Index i = 0; i < 4; ++i) {
            const Index moment = 1 + random.below(60, i);
            CAPTURE(misfortune);
            CAPTURE(moment);
            const std::string run = misfortune + std::to_string(i);
            const Outcome bad = storm.train_until(run, misfortune, moment);
            CAPTURE(bad.err);
            if (misfortune == "short") {
                CHECK(bad.code == 0);  // the rest is written by another call
            } else {
                CHECK(bad.code == 1);
                const std::size_t message = bad.err.find("zhuyi: ");
                CHECK(bad.err.find('\n', std::min(message, bad.err.size())) == bad.err.size() - 1);
                CHECK(storm.train(run).code == 0);
            }
            storm.check_same(run);
        }
}
