// zhuyi compare, as the program that is built.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

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

namespace {

// A folder of two texts, compared into a folder of the caller's choice.
struct OfFolder {
    ScratchFolder folder;
    std::string texts = folder.path("texts");
    OfFolder() {
        std::filesystem::create_directories(texts + "/sub");
        folder.write("texts/a.txt", kVerses);
        folder.write("texts/sub/c.txt", "小猫坐在窗台上看雨。\n\n雨点打在玻璃上。\n");
    }
    Outcome run(std::vector<std::string> words) {
        for (const char* word : {"--steps", "2", "--context", "16", "--channels", "16", "--heads",
                                 "2", "--layers", "1", "--batch", "2"})
            words.push_back(word);
        return run_program(words);
    }
    std::string text_hash(const std::string& run) {
        const std::string all = folder.read(run + "/last.safetensors");
        const std::size_t at = all.find("text_hash");
        return all.substr(at, at == all.npos ? 0 : 31);
    }
};

}  // namespace

TEST_CASE("compare: every variant learns from the same text, whatever is written beside it") {
    for (const char* out : {"texts/all", "texts/sub", "all"}) {
        CAPTURE(out);
        OfFolder of;
        const std::string all = of.folder.path(out);
        REQUIRE(of.run({"compare", of.texts, "--out", all, "--vary", "seed=1,2,3"}).code == 0);
        const std::string first = of.text_hash(out + std::string("/seed=1"));
        REQUIRE(!first.empty());
        for (const char* seed : {"/seed=2", "/seed=3"}) {
            CHECK(of.text_hash(std::string(out) + seed) == first);
            CHECK(run_program({"train", "--resume", all + seed, "--steps", "3"}).code == 0);
        }
        const auto again = of.run(
            {"compare", of.texts, "--out", all, "--vary", "seed=1,4", "--resume", "--steps", "4"});
        CHECK(again.code == 0);
        CHECK(of.text_hash(std::string(out) + "/seed=4") == first);
    }
    OfFolder of;
    const Outcome same = of.run({"compare", of.texts, "--out", of.texts, "--vary", "seed=1,2"});
    CHECK(same.code == 2);
    CHECK(has(same.err, "is the folder of the texts"));
}

TEST_CASE("train: the run's folder is left out of the texts from the start") {
    OfFolder of;
    const std::string run = of.texts + "/sub";
    REQUIRE(of.run({"train", of.texts, "--out", run}).code == 0);
    CHECK(run_program({"train", "--resume", run, "--steps", "4"}).code == 0);
    // A folder of texts with --resume begins where --out names a run that is not there yet.
    CHECK(of.run({"train", of.texts, "--out", of.folder.path("new"), "--resume"}).code == 0);
}

TEST_CASE("compare: what it did not write is not touched, and is found before the first step") {
    for (const char* name : {"compare.txt", "compare.html", "seed=2/metrics.csv", "seed=2"})
        for (const char* kind : {"file", "link", "pipe", "folder"}) {
            if (name == std::string("seed=2") && kind == std::string("folder")) continue;
            CAPTURE(name);
            CAPTURE(kind);
            Comparison comparison;
            const std::string path = comparison.out + "/" + name;
            const std::string mine = comparison.folder.write("mine", "12.5 of mine\n");
            std::filesystem::create_directories(std::filesystem::path(path).parent_path());
            if (kind == std::string("file")) std::ofstream(path) << "12.5 of mine\n";
            if (kind == std::string("link")) std::filesystem::create_symlink(mine, path);
            if (kind == std::string("pipe")) REQUIRE(mkfifo(path.c_str(), 0666) == 0);
            if (kind == std::string("folder")) std::filesystem::create_directory(path);
            const auto before = std::filesystem::symlink_status(path).type();
            const Outcome made = comparison.run("seed=1,2");
            CHECK(made.code != 0);
            CHECK(has(made.err, comparison.out));
            CHECK(!std::filesystem::exists(comparison.out + "/seed=1"));
            CHECK(std::filesystem::symlink_status(path).type() == before);
            CHECK(comparison.folder.read("mine") == "12.5 of mine\n");
        }
}

TEST_CASE("compare: a text on standard input is read once, for every variant and for the table") {
    const ScratchFolder folder;
    folder.write("text.txt", kVerses);
    const Outcome made = run_shell(
        "cd " + shell_quoted(folder.path()) +
        " && timeout 60 \"$ZHUYI\" compare - --out all --vary seed=1,2 --steps 2 --context 16 "
        "--channels 16 --heads 2 --layers 1 --batch 2 < text.txt");
    CAPTURE(made.err);
    CHECK(made.code == 0);
    CHECK(has(made.out, "seed=2"));
}
