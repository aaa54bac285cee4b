// --minutes: the steps are chosen by a clock, and nothing else is.
#include "cost/plan.h"
#include "train/config.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "support/close.h"
#include "support/program.h"

using namespace zhuyi;

TEST_CASE("pace: a hundred steps of 0.1 s, evaluations of 2 s among them, and a last one of 5 s") {
    TrainConfig config;
    config.eval_every = 50;
    const Pace pace{0.1, 2, 5};
    // before, after 1, 3, 10, 30 and 50 steps; a fifth for the rest
    CHECK(close(pace.seconds(100, config), (10 + 6 * 2 + 5) / 0.8, 1e-9));
    CHECK(pace.steps_within(pace.seconds(100, config) + 0.05, config) == 100);
    CHECK(pace.steps_within(0, config) == 1);
    CHECK(duration_text(82.6) == "1:23");
    CHECK(duration_text(3723) == "1:02:03");
}

TEST_CASE("train: before a long training the plan says memory, disk and time, and what there is") {
    const ScratchFolder folder;
    const std::string text = folder.write("text.txt", "小猫坐在窗台上看雨，雨点打在玻璃上。");
    const auto plan = [&](const char* steps) {
        return run_program({"train", text, "--out", folder.path(steps), "--channels", "8",
                            "--heads", "1", "--layers", "1", "--context", "4", "--batch", "1",
                            "--history=no", "--steps", steps})
            .err;
    };
    const std::string small = plan("2"), large = plan("100");
    CAPTURE(large);
    CHECK(small.find(" free") != small.npos);
    CHECK(small.find("ms a step, measured") ==
          small.npos);  // what is tried would be more than made
    const std::size_t time = large.find("ms a step, measured");
    CHECK(time < large.find("step 0: "));
}

TEST_CASE("train: the plan says how many snapshots the page gets, and why not more") {
    const ScratchFolder folder;
    const std::string text = folder.write("text.txt", "小猫坐在窗台上看雨，雨点打在玻璃上。");
    const auto plan = [&](const char* channels, const char* snapshots) {
        const std::string run = std::string(channels) + snapshots;
        return run_program({"train",
                            text,
                            "--out",
                            folder.path(run),
                            "--channels",
                            channels,
                            "--heads",
                            "1",
                            "--layers",
                            "1",
                            "--context",
                            "4",
                            "--batch",
                            "1",
                            "--steps",
                            "1",
                            "--lang",
                            "en",
                            "--history-snapshots",
                            snapshots})
            .err;
    };
    CHECK(plan("8", "6").find("6 for the page") != std::string::npos);
    CHECK(plan("8", "0").find("for the page") == std::string::npos);
    const std::string large = plan("384", "6");  // 1.9 million weights
    CAPTURE(large);
    CHECK(large.find("4 for the page") != std::string::npos);
    CHECK(large.find("together; not 6,") != std::string::npos);
}

TEST_CASE(
    "train: --minutes plans while it trains, and its run.conf makes the same training again") {
    const ScratchFolder folder;
    const std::string text = folder.write("text.txt",
                                          "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n"
                                          "雨点打在玻璃上，像一群小鱼。\n\n月亮出来了。\n");
    const auto train = [&](const std::string& run, std::vector<std::string> more) {
        std::vector<std::string> all{
            "train", text,       "--out", folder.path(run), "--channels", "16",        "--heads",
            "2",     "--layers", "2",     "--batch",        "2",          "--dropout", "0.1"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    const Outcome timed = train("timed", {"--minutes", "0.005"});
    CAPTURE(timed.err);
    REQUIRE(timed.code == 0);
    const std::string conf = folder.read("timed/run.conf");
    CHECK(conf.find("\nplan = 0:") != std::string::npos);
    REQUIRE(
        run_program({"train", folder.path("timed/run.conf"), "--out", folder.path("again")}).code ==
        0);
    for (const char* file : {"run.conf", "last.safetensors", "best.safetensors", "metrics.csv",
                             "samples.txt", "history.bin", "vocabulary.txt"}) {
        CAPTURE(file);
        CHECK(folder.read(std::string("timed/") + file).size() > 0);
        CHECK((folder.read(std::string("timed/") + file) ==
               folder.read(std::string("again/") + file)));
    }
    // going on keeps them
    CHECK(train("timed", {"--resume"}).code == 0);
    CHECK((folder.read("timed/run.conf") == conf));
}
