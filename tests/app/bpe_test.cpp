// A run of byte pairs from its text to an import and back, as the program that is built.
#include <filesystem>

#include "support/desk.h"

using namespace zhuyi;

namespace {

// 257 tokens and five joined pairs.
std::vector<std::string> with_pairs(std::vector<std::string> more) {
    more.insert(more.begin(), {"--tokenizer", "bpe", "--bpe-vocabulary", "262", "--steps", "6"});
    return more;
}

}  // namespace

TEST_CASE("bpe: the same bits with any number of threads, and killed and resumed") {
    const Desk desk;
    REQUIRE(desk.train("one", with_pairs({"--history=yes"})).code == 0);
    REQUIRE(desk.train("three", with_pairs({"--history=yes", "--threads", "3"})).code == 0);
    REQUIRE(desk.train("killed",
                       with_pairs({"--history=yes", "--save-every", "1", "--inject", "kill@30"}))
                .code == 128 + 9);
    REQUIRE(run_program({"train", "--resume", desk.folder.path("killed")}).code == 0);
    CHECK(has(desk.read("one", "vocabulary.txt"), "byte_pairs, end of text 0\n"));
    for (const char* run : {"three", "killed"})
        for (const char* file : {"vocabulary.txt", "metrics.csv", "history.bin", "samples.txt"}) {
            CAPTURE(run);
            CAPTURE(file);
            CHECK((desk.read(run, file) == desk.read("one", file)));
        }
}

TEST_CASE("bpe: a run is read, exported, imported and trained on with its own tokens") {
    const Desk desk;
    const std::string run = desk.folder.path("run"), hf = desk.folder.path("hf"),
                      back = desk.folder.path("back");
    REQUIRE(desk.train("run", with_pairs({})).code == 0);
    // Losses per character: the progress lines and the evaluation agree.
    const std::string evaluated = run_program({"eval", run, "--checkpoint", "last"}).out;
    const std::size_t end = evaluated.find("  nats per character");
    REQUIRE(end != evaluated.npos);
    const std::size_t begin = evaluated.rfind(' ', end - 1);
    const std::string loss = evaluated.substr(begin, end - begin);
    CHECK(has(desk.read("run", "log.txt"), "step 6: validation loss" + loss + " nats per char"));
    CHECK(has(desk.read("run", "samples.txt"), "step 6, validation loss" + loss + " nats per"));

    REQUIRE(run_program({"export", run, "--to", "hf", hf}).code == 0);
    REQUIRE(run_program({"export", run, "--to", "gguf", hf + ".gguf"}).code == 0);
    REQUIRE(run_program({"import", hf, back}).code == 0);
    CHECK(has(desk.read("back", "run.conf"), "\ntokenizer = bpe "));
    CHECK(has(desk.read("back", "run.conf"), "\nbpe_vocabulary = 262 "));
    for (const char* command : {"attend", "explain", "sample"}) {
        CAPTURE(command);
        const std::string option = command == std::string("sample") ? "--prompt" : "--text";
        CHECK(run_program({command, back, option, "小猫龘"}).code == 0);
    }
    const auto from = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"train", desk.text, "--from", back, "--out",
                                   desk.folder.path("more"), "--steps", "2"});
        return run_program(more);
    };
    refused(from({"--tokenizer", "characters"}), 2, "has tokenizer = bpe; found characters");
    refused(from({"--bpe-vocabulary", "300"}), 2, "has bpe_vocabulary = 262; found 300");
    REQUIRE(from({}).code == 0);
    CHECK(has(desk.read("more", "run.conf"), "\nbpe_vocabulary = 262 "));
    refused(run_program({"train", "--resume", run, "--tokenizer", "characters"}), 2,
            "goes on with tokenizer = bpe");
}

TEST_CASE("bpe: a vocabulary that cannot be is refused in words") {
    const Desk desk;
    refused(desk.train("a", {"--tokenizer", "bpe", "--bpe-vocabulary", "256"}), 2,
            "a whole number from 257");
    refused(desk.train("b", {"--tokenizer", "bpe"}), 2, "bpe_vocabulary = 2000 is too large");
    refused(desk.train("c", {"--tokenizer", "words"}), 2, "characters");
    CHECK(has(desk.train("d", {"--tokenizer", "bpe", "--lang", "zh"}).err, "对这份文本太大"));
    CHECK(!std::filesystem::exists(desk.folder.path("b")));
}
