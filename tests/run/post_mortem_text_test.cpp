// What `zhuyi train` says when numbers go bad, proved by making them so.
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

struct Sick {
    TinyRun tiny;
    std::string run = tiny.folder.path("sick");
    Outcome train(const std::string& misfortune, std::vector<std::string> more = {}) const {
        std::vector<std::string> all{
            "train", tiny.text,         "--out", run,          "--resume", "--steps",
            "10",    "--context",       "16",    "--channels", "16",       "--heads",
            "2",     "--layers",        "2",     "--batch",    "2",        "--save-every",
            "3",     "--learning-rate", "0.01"};
        if (!misfortune.empty()) all.insert(all.end(), {"--inject", misfortune});
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
};

}  // namespace

TEST_CASE("post-mortem: an activation that becomes infinite in step 7") {
    const Sick sick;
    const Outcome outcome = sick.train("inf@7:block.1.ffn.gelu");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    for (const char* words : {"Step 7 made numbers that are infinite or no numbers (nan); the "
                              "weights were not changed.",
                              "block.1.ffn.gelu [2, 16, 64], block 1, op gelu (on the way forward)",
                              "inf, row 0, column 0: text 0, position 0, token ",
                              "tensor before, block.1.ffn.hidden, is ", "learning rate 0.00",
                              "--learning-rate=0.003 ", "--warmup=100; one at a time",
                              "the checkpoint of step 6 is good: ", "zhuyi: step 7: the loss is "})
        CHECK_MESSAGE(has(outcome.err, words), words);
    CHECK(has(sick.tiny.folder.read("sick/log.txt"), "Step 7 made numbers"));
    CHECK(run_program({"verify", sick.run}).code == 0);

    // the same without the misfortune goes on from step 6, as if nothing had been
    CHECK(sick.train("").code == 0);
    const std::string end = sick.tiny.folder.read("sick/last.safetensors");
    std::filesystem::remove_all(sick.run);
    CHECK(sick.train("").code == 0);
    CHECK((sick.tiny.folder.read("sick/last.safetensors") == end));
}

TEST_CASE("post-mortem: a gradient that becomes infinite, in Chinese") {
    const Sick sick;
    const Outcome outcome = sick.train("inf-gradient@7:block.0.attention.mix", {"--lang", "zh"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    for (const char* words :
         {"第 7 步出现了 nan 或无穷大", "block.0.attention.mix [2, 16, 16]，第 0 层，运算 linear",
          "它的梯度，反向传播", "第 0 段，位置 0，token", "第 6 步的检查点："})
        CHECK_MESSAGE(has(outcome.err, words), words);
}

TEST_CASE("post-mortem: a learning rate beyond all measure never spoils a checkpoint") {
    const Sick sick;
    const Outcome outcome =
        sick.train("", {"--optimizer", "adamw", "--position", "learned", "--schedule", "cosine",
                        "--learning-rate", "100", "--weight-decay", "1"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(has(outcome.err, "made numbers that are infinite"));
    CHECK(run_program({"verify", sick.run}).code == 0);
}
