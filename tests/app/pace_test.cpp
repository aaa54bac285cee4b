// --minutes: the steps are chosen by a clock, and nothing else is.
#include <doctest/doctest.h>

#include "support/program.h"

using namespace zhuyi;

TEST_CASE("train: --minutes chooses a number of steps, and is the training with that number") {
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
    const std::size_t at = conf.find("\nsteps = ") + 9;
    const std::string steps = conf.substr(at, conf.find(' ', at) - at);
    CAPTURE(steps);
    REQUIRE(train("counted", {"--steps", steps}).code == 0);
    for (const char* file : {"run.conf", "last.safetensors", "best.safetensors", "metrics.csv",
                             "samples.txt", "history.bin", "vocabulary.txt"}) {
        CAPTURE(file);
        CHECK(folder.read(std::string("timed/") + file).size() > 0);
        CHECK((folder.read(std::string("timed/") + file) ==
               folder.read(std::string("counted/") + file)));
    }
    // going on keeps them
    CHECK(train("timed", {"--minutes", "1", "--resume"}).code == 0);
    CHECK((folder.read("timed/run.conf") == conf));
}
