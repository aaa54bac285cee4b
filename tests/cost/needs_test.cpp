#include "cost/plan.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "model/parameters.h"
#include "support/has.h"
#include "support/program.h"
#include "text/corpus.h"

using namespace zhuyi;

namespace {

constexpr double kMiB = 1 << 20;

RunConfig middling() {
    RunConfig config;
    config.model.context = 256, config.model.channels = 256, config.model.layers = 6;
    config.model.heads = 4, config.model.vocabulary = 1253;
    config.train.batch = 16;
    config.history.on = false;
    return config;
}

std::string refusal(const RunConfig& config, double available, double text = 0,
                    Fixed fixed = Fixed::nothing) {
    try {
        check_memory(config, text, available, fixed);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

// The program held 1069 MiB when it trained this, without the film.
TEST_CASE("needs: of a model that was measured") {
    const RunConfig config = middling();
    const Needs needs = needs_of(config, parameter_table(config.model), 0);
    CHECK(needs.memory() > 1000 * kMiB);
    CHECK(needs.memory() < 1140 * kMiB);
    CHECK(needs.weights > 4 * 4.8e6 * 4);
    CHECK(needs.disk > 4 * needs.checkpoint);
}

TEST_CASE("needs: probes are asked beside the training") {
    RunConfig config = middling();
    const std::vector<Parameter> table = parameter_table(config.model);
    const double without = needs_of(config, table, 0).memory();
    config.probes = "probes.txt";
    // 1024 tokens against 4096 of an evaluation, but with their attention: 6 blocks, 4 heads
    CHECK(needs_of(config, table, 0).memory() - without > 6 * 4 * 4 * 256.0 * 256 * sizeof(Real));
}

TEST_CASE("needs: a little too much is warned of, more than a tenth too much is refused") {
    const RunConfig config = middling();
    const double memory = needs_of(config, {}, 0).memory();
    CHECK(check_memory(config, 0, memory / 0.89).empty());
    CHECK(has(check_memory(config, 0, memory / 0.91), "warning: this training needs about"));
    CHECK(has(check_memory(config, 0, memory / 1.09), "can be had here"));
    CHECK_THROWS_AS(check_memory(config, 0, memory / 1.11), Error);
}

TEST_CASE("needs: of a model of any depth they are known at once, without its table") {
    RunConfig config = middling();
    const double six = needs_of(config, {}, 0).weights;
    CHECK(six == 4 * 4 * double(buffer_length(parameter_table(config.model))));
    config.model.layers = 65536;
    CHECK(has(refusal(config, 1000 * kMiB), "this training needs about"));
}

TEST_CASE("needs: frozen weights have no moments in a checkpoint") {
    const RunConfig config = middling();
    std::vector<Parameter> table = parameter_table(config.model);
    const double before = needs_of(config, table, 0).checkpoint;
    for (Parameter& p : table) p.frozen = true;
    CHECK(needs_of(config, table, 0).checkpoint == before / 3);
}

TEST_CASE("needs: Muon keeps no second moment of the matrices in blocks") {
    RunConfig config = middling();
    const std::vector<Parameter> table = parameter_table(config.model);
    const Needs adamw = needs_of(config, table, 0);
    config.train.optimizer = UpdateRule::muon;
    const Needs muon = needs_of(config, table, 0);
    double spared = 0;
    for (const Parameter& p : table)
        if (p.block_matrix) spared += double(p.shape.size()) * double(sizeof(Real));
    CHECK(adamw.checkpoint - muon.checkpoint == spared);
    CHECK(adamw.weights - muon.weights == spared);
}

TEST_CASE("needs: what cannot fit is refused, and something smaller is proposed that does") {
    const RunConfig config = middling();
    CHECK(refusal(config, 2000 * kMiB) == "");
    CHECK_NOTHROW(check_memory(config, 0, std::nullopt));
    CHECK(has(refusal(config, 700 * kMiB), "It fits with --batch=8 --accumulate=2,"));
    CHECK(has(refusal(config, 180 * kMiB), "It fits with --batch=1 --accumulate=16,"));
    CHECK(has(refusal(config, 130 * kMiB), "--batch=1 --accumulate=16 --context="));
    RunConfig smaller = config;
    smaller.train.batch = 8, smaller.train.accumulate = 2;
    CHECK(refusal(smaller, 700 * kMiB) == "");
}

// 96 layers of 4096: 19 thousand million parameters.
TEST_CASE("needs: of a model that is too large, half the layers or half the channels are tried") {
    RunConfig config = middling();
    config.model.channels = 4096, config.model.layers = 96, config.model.heads = 32;
    config.train.batch = 1;
    const auto proposed = [&](double available) {
        const std::string whole = refusal(config, available);
        const std::size_t begin = whole.find("It fits with ") + 13;
        return whole.substr(begin, whole.find(", which") - begin);
    };
    CHECK(proposed(200'000 * kMiB) == "--layers=48");
    CHECK(proposed(26'000 * kMiB) == "--layers=6");
    CHECK(proposed(2000 * kMiB) == "--layers=1 --channels=2048");
    config.model.ffn = 4096;
    CHECK(has(proposed(1000 * kMiB), "--channels=2048 --ffn=2048"));
    // Heads still divide the channels.
    RunConfig smaller = middling();
    smaller.model.channels = 192, smaller.model.heads = 3;
    CHECK(has(refusal(smaller, 19 * kMiB), "--layers=1 --channels=48 --batch=1"));
}

TEST_CASE("needs: with --from a smaller batch is proposed and never another shape") {
    const RunConfig config = middling();
    CHECK(has(refusal(config, 700 * kMiB, 0, Fixed::shape), "It fits with --batch=8 --accumulate"));
    for (const double available : {400.0, 180.0, 120.0, 100.0, 80.0, 60.0, 4.0}) {
        const std::string said = refusal(config, available * kMiB, 0, Fixed::shape);
        CAPTURE(said);
        CHECK(has(said, "does not fit") != has(said, "It fits with --batch="));
        for (const char* option : {"--layers", "--channels", "--heads", "--ffn", "No smaller"})
            CHECK_FALSE(has(said, option));
    }
    // A model of its own would have become smaller.
    CHECK(has(refusal(config, 60 * kMiB), "--layers=1"));
    CHECK(has(refusal(config, 60 * kMiB, 0, Fixed::shape), "where there is more memory"));
    CHECK(has(refusal(config, 400 * kMiB, 399 * kMiB, Fixed::shape), "give a part of it"));
}

TEST_CASE("needs: with --resume nothing is proposed that would be another run") {
    const std::string said = refusal(middling(), 700 * kMiB, 0, Fixed::everything);
    CHECK(has(said, "keeps its sizes"));
    CHECK_FALSE(has(said, "--"));
}

TEST_CASE("needs: the text and its tokens are counted, and named where they leave no room") {
    const RunConfig config = middling();
    TextOptions text;
    text.split = Split::tail;
    const Corpus corpus = Corpus::from({{"猫", "小猫吃鱼"}}, text);
    CHECK(memory_of(corpus) == 4 * 3 + 4 * 4);
    CHECK(refusal(config, 2000 * kMiB, 500 * kMiB) == "");
    CHECK(has(refusal(config, 1800 * kMiB, 1000 * kMiB), "1000.0 MiB for the text"));
    CHECK(has(refusal(config, 2000 * kMiB, 2001 * kMiB), "give a part of it"));
}

TEST_CASE("needs: a disk without room is refused before anything is written") {
    const RunConfig config = middling();
    const Needs needs = needs_of(config, parameter_table(config.model), 0);
    CHECK_NOTHROW(check_disk(needs, "run", needs.disk));
    CHECK_NOTHROW(check_disk(needs, "run", std::nullopt));
    CHECK_THROWS_WITH_AS(check_disk(needs, "run", 1e6), doctest::Contains("give another --out"),
                         Error);
}

TEST_CASE("needs: a text is too small when each token would have fifty parameters and more") {
    CHECK_FALSE(text_too_small(949'000, 94'788));  // the demo
    CHECK_FALSE(text_too_small(5000, 100));
    CHECK(text_too_small(5100, 100));
}

// Where addresses can be limited; the address sanitizer takes terabytes of them for itself.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("train: refused where memory is limited, and what it proposes works") {
    const ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 200; ++i) text += "小猫坐在窗台上看雨，雨点打在玻璃上。\n\n";
    folder.write("text.txt", text);
    const std::string line =
        "cd " + shell_quoted(folder.path()) +
        " && ulimit -v 400000 && \"$ZHUYI\" train text.txt --threads 1 --steps 1 "
        "--context 128 --channels 64 --heads 2 --layers 2 --history=no --out ";
    const Outcome large = run_shell(line + "large --batch 256");
    CAPTURE(large.err);
    CHECK(large.code == 1);
    CHECK(has(large.err, "zhuyi: this training needs about "));
    CHECK_FALSE(std::filesystem::exists(folder.path("large")));
    const std::size_t begin = large.err.find("--batch="), end = large.err.find(", which reads");
    REQUIRE(end != large.err.npos);
    const std::string proposed = large.err.substr(begin, end - begin);
    CHECK(run_shell(line + "small " + proposed).code == 0);

    // From its weights, and on with it: what is proposed can be typed, too.
    const std::string tuning =
        "cd " + shell_quoted(folder.path()) +
        " && ulimit -v 400000 && \"$ZHUYI\" train text.txt --threads 1 --steps 1 "
        "--history=no --from small --out ";
    const Outcome tuned = run_shell(tuning + "tuned --batch 256");
    CAPTURE(tuned.err);
    CHECK(tuned.code == 1);
    const std::size_t first = tuned.err.find("--batch="), last = tuned.err.find(", which reads");
    REQUIRE(last != tuned.err.npos);
    const std::string smaller = tuned.err.substr(first, last - first);
    CHECK_FALSE(has(smaller, "--layers"));
    CHECK(run_shell(tuning + "tuned " + smaller).code == 0);
}
#endif
