// zhuyi compare, as the program that is built.
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

struct Comparison {
    ScratchFolder folder;
    std::string out = folder.path("all");
    Outcome run(const std::string& vary, std::vector<std::string> more = {}) {
        std::vector<std::string> all{"compare",     tiny_run().text,
                                     "--out",       out,
                                     "--vary",      vary,
                                     "--steps",     "2",
                                     "--context",   "16",
                                     "--channels",  "16",
                                     "--heads",     "2",
                                     "--layers",    "1",
                                     "--batch",     "2",
                                     "--min-count", "1",
                                     "--probes",    tiny_run().probes};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
};

}  // namespace

TEST_CASE("compare: trains every variant, says the plan first, and compares them") {
    Comparison comparison;
    const Outcome made = comparison.run("freeze=none,embedding,attention+ffn");
    CHECK(made.code == 0);
    CHECK(made.err.find("3 trainings, one after the other") < made.err.find("1 of 3"));
    CHECK(has(made.err, "freeze = attention,ffn"));  // in what it differs from the first
    CHECK(has(made.out, "freeze=attention+ffn"));
    CHECK(has(made.out, "rules known"));
    CHECK(has(made.out, "/2"));  // rules known
    CHECK(has(made.out, "compare.html"));
    const std::string page = comparison.folder.read("all/compare.html");
    CHECK(has(page, "freeze=embedding"));
    CHECK(has(page, "freeze \\\"\\\", attention,ffn"));  // in what it differs from the first
    CHECK(has(comparison.folder.read("all/freeze=embedding/run.conf"), "freeze = embedding"));

    // The same once more is refused; --resume leaves out what is finished, and compares again.
    CHECK(has(comparison.run("freeze=none,embedding").err, "holds a run already"));
    const std::string log = comparison.folder.read("all/freeze=none/log.txt");
    const Outcome again = comparison.run("freeze=none,embedding", {"--resume", "--lang", "zh"});
    CHECK(again.code == 0);
    CHECK(has(again.err, "已完成"));
    CHECK(has(again.out, "懂得的规则"));
    CHECK(comparison.folder.read("all/freeze=none/log.txt") == log);
    CHECK(has(comparison.run("freeze=none", {"--resume", "--seed", "5"}).err,
              "was made with seed = 1337; found 5"));
}

TEST_CASE("compare: --resume goes on with what was stopped, to the same bits") {
    Comparison whole, broken;
    REQUIRE(whole.run("layers=1,2", {"--steps", "4"}).code == 0);
    REQUIRE(broken.run("layers=1").code == 0);  // two steps of the first alone
    CHECK(has(broken.run("layers=1,2", {"--steps", "4", "--resume"}).err, "goes on from step 2"));
    for (const char* file : {"all/layers=2/last.safetensors", "all/layers=2/history.bin"})
        CHECK(whole.folder.read(file) == broken.folder.read(file));
}

TEST_CASE("compare: mistakes are found before anything is trained") {
    Comparison comparison;
    CHECK(comparison.run("layer=1,2").code == 2);
    CHECK(has(comparison.run("layer=1,2").err, "layers"));
    CHECK(comparison.run("optimizer=adamw,sgd").code == 2);
    const std::string conf = comparison.folder.write(
        "tiny.conf", "data = " + tiny_run().text + "\nchannels = 16\nheads = 2\ncontext = 16\n");
    const Outcome heads = run_program(
        {"compare", conf, "--out", comparison.out, "--vary", "heads=2,3", "--steps", "2"});
    CHECK(heads.code == 2);
    CHECK(has(heads.err, "heads"));
    CHECK(!std::filesystem::exists(comparison.out));
    CHECK(has(run_program({"compare", tiny_run().text, "--lang", "zh"}).err, "--vary：应该是"));
}
