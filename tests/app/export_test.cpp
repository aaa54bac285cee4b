// zhuyi export and zhuyi import, as the program that is built.
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;
namespace fs = std::filesystem;

TEST_CASE("export and import: out to Hugging Face and home again, the same model") {
    const TinyRun tiny;
    const std::string hf = tiny.folder.path("hf"), again = tiny.folder.path("again");
    const Outcome out = run_program({"export", tiny.run, "--to", "hf", hf});
    CHECK(out.code == 0);
    CHECK(out.out == "");
    CHECK(has(out.err, "read again and compared"));
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json",
                             "tokenizer_config.json", "generation_config.json"})
        CHECK(fs::exists(fs::path(hf) / file));
    CHECK(run_program({"import", hf, again}).code == 0);
    const auto sample = [](const std::string& run) {
        return run_program({"sample", run, "--prompt", "小猫", "--tokens", "10"}).out;
    };
    CHECK(sample(again) == sample(tiny.run));
    CHECK(sample(again).size() > 10);
    const Outcome second = run_program({"export", tiny.run, "--to", "hf", hf});
    CHECK(second.code == 2);
    CHECK(has(second.err, "exists already"));
}

TEST_CASE("export: a file for llama.cpp; a text with U+2581 is warned of") {
    const TinyRun tiny;
    const std::string file = tiny.folder.path("a.gguf");
    const Outcome out = run_program({"export", tiny.run, "--to", "gguf", file});
    CHECK(out.code == 0);
    CHECK(!has(out.err, "warning"));
    CHECK(tiny.folder.read("a.gguf").starts_with("GGUF"));
    CHECK(run_program({"export", tiny.run, "--to=gguf", file, "--type", "f16", "--force"}).code ==
          0);
    const std::string text = tiny.folder.write("block.txt", "小猫▁看雨。\n\n小狗<|endoftext|>看\n");
    const Outcome warned =
        run_program({"export", tiny.run, "--to", "gguf", file, "--data", text, "--split", "tail"});
    CHECK(warned.code == 2);  // --split belongs to train
    const Outcome block =
        run_program({"export", tiny.run, "--to", "gguf", file, "--data", text, "--force"});
    CHECK(block.code == 0);
    CHECK(has(block.err, "U+2581"));
    CHECK(has(block.err, "<|endoftext|>"));
}

TEST_CASE("export and import: wrong words, missing files; nothing stays") {
    const TinyRun tiny;
    const std::string to = tiny.folder.path("to");
    CHECK(run_program({"export", tiny.run, to}).code == 2);
    CHECK(run_program({"export", tiny.run, "--to", "onnx", to}).code == 2);
    CHECK(run_program({"export", tiny.folder.path("none"), "--to", "hf", to}).code == 1);
    CHECK(run_program({"import", tiny.folder.path("none"), to}).code == 1);
    CHECK(run_program({"import", tiny.run, to}).code == 1);
    CHECK(run_program({"import", tiny.run}).code == 2);
    CHECK(!fs::exists(to));
    CHECK(!fs::exists(tiny.folder.path(".to.partial")));
}

TEST_CASE("import: a GPT-2 from elsewhere runs, shows its attention and is trained on") {
    const ScratchFolder folder;
    const std::string run = folder.path("run"), tuned = folder.path("tuned");
    REQUIRE(run_program({"import", "tests/golden/clients/byte_pairs/model", run}).code == 0);
    CHECK(has(run_program({"sample", run, "--prompt", "a cat", "--tokens", "5"}).out, "a cat"));
    CHECK(run_program({"sample", run, "--tokens", "5"}).code == 0);
    CHECK(has(run_program({"attend", run, "--text", "a cat 猫"}).out, "block 1"));
    const Outcome training =
        run_program({"train", "data/one_page.txt", "--from", run, "--out", tuned, "--steps", "2",
                     "--batch", "2", "--context", "64"});
    CHECK_MESSAGE(training.code == 0, training.err);
    CHECK(run_program({"sample", tuned, "--tokens", "5"}).code == 0);
    CHECK(run_program({"export", tuned, "--to", "hf", folder.path("hf")}).code == 0);
    CHECK(run_program({"export", tuned, "--to", "gguf", folder.path("a.gguf")}).code == 1);  // erf
}
