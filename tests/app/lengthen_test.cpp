// zhuyi train --resume with another number of steps: what becomes of the learning rate.
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/program.h"
#include "support/verses.h"

using namespace zhuyi;

namespace {

// 12 steps with Muon, along a line from 0.01 at step 3 down to 0 after step 12.
struct LinearRun {
    ScratchFolder folder;
    std::string text = folder.write("text.txt", kVerses);

    Outcome begin(const std::string& name) const {
        return run_program({"train",        text,
                            "--out",        folder.path(name),
                            "--steps",      "12",
                            "--warmup",     "2",
                            "--channels",   "16",
                            "--heads",      "2",
                            "--layers",     "1",
                            "--batch",      "2",
                            "--history=no", "--optimizer",
                            "muon",         "--schedule",
                            "linear",       "--learning-rate",
                            "0.01"});
    }
    Outcome resume(const std::string& name, std::vector<std::string> more) const {
        std::vector<std::string> all{"train", "--resume", folder.path(name)};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
};

}  // namespace

TEST_CASE("resume: a longer run says what its learning rate will do") {
    const LinearRun linear;
    REQUIRE(linear.begin("run").code == 0);
    REQUIRE(linear.begin("other").code == 0);
    // Of 22 steps 20 lie along the line, and 10 of them are done.
    const Outcome longer = linear.resume("run", {"--steps", "22"});
    CHECK(longer.code == 0);
    CHECK(has(longer.err, "22 steps instead of 12"));
    CHECK(has(longer.err, "at step 13 it jumps up from 0 to 0.005, and ends at step 22 with 0"));
    const Outcome chinese = linear.resume("other", {"--steps", "22", "--lang", "zh"});
    CHECK(has(chinese.err, "第 13 步由 0 回升到 0.005"));
    // The same number of steps once more: nothing to say.
    CHECK(!has(linear.resume("run", {"--steps", "22"}).err, "instead of"));
}

TEST_CASE("resume: another optimizer would be another training") {
    const LinearRun linear;
    REQUIRE(linear.begin("run").code == 0);
    const Outcome refused = linear.resume("run", {"--optimizer", "adamw", "--steps", "22"});
    CHECK(refused.code == 2);
    CHECK(has(refused.err, "--resume goes on with optimizer = muon"));
    CHECK(has(refused.err, "found adamw"));
}

TEST_CASE("resume: made longer, killed before a save, the last checkpoint lost: the same bits") {
    const LinearRun linear;
    for (const char* name : {"run", "other"}) REQUIRE(linear.begin(name).code == 0);
    REQUIRE(linear.resume("run", {"--steps", "22"}).code == 0);
    // The call that the twelfth step's checkpoint comes before, and the next save is after.
    REQUIRE(linear.resume("other", {"--steps", "22", "--inject", "inf@13:embedding"}).code != 0);
    linear.folder.write("other/last.safetensors", "damaged");
    const Outcome healed = linear.resume("other", {});
    CAPTURE(healed.err);
    CHECK(has(healed.err, "of step 12"));
    CHECK(linear.folder.read("run/last.safetensors") ==
          linear.folder.read("other/last.safetensors"));
}
