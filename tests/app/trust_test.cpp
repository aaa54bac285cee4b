// What an attack found, each under the name of what is promised now.
#include <sys/stat.h>

#include <filesystem>

#include "support/hostile.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> tiny_training(const std::string& text, const std::string& run,
                                       std::vector<std::string> more = {}) {
    std::vector<std::string> words{"train",      text, "--out",   run, "--steps",   "2",
                                   "--context",  "16", "--heads", "2", "--layers",  "1",
                                   "--channels", "16", "--batch", "2", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

TEST_CASE("run folders inside a text folder are skipped, and it is said once") {
    const ScratchFolder folder;
    folder.write("a.txt", kVerses);
    const std::string in = "cd " + shell_quoted(folder.path()) + "; \"$ZHUYI\" train ";
    const std::string sizes = " --context 16 --heads 2 --layers 1 --channels 16 --batch 2 ";
    REQUIRE(run_shell(in + ". --out runs/texts --steps 2" + sizes).code == 0);
    const Outcome longer = run_shell(in + "--resume runs/texts --steps 4");
    CAPTURE(longer.err);
    CHECK(longer.code == 0);  // the text is still the same
    CHECK(has(longer.err, "run folders among the texts are left out: ./runs/texts\n"));
    const Outcome again = run_shell(in + ". --out runs/again --steps 2" + sizes);
    CHECK(again.code == 0);
    CHECK(has(again.err, "4 documents, 39 characters"));
    CHECK(has(run_shell("cd " + shell_quoted(folder.path()) + "; \"$ZHUYI\" data . --lang zh").err,
              "已跳过：./runs/again, ./runs/texts"));
    refused(run_shell(in + ". --out . --steps 2"), "is the folder of the texts");
}

TEST_CASE("a person's files are not overwritten by a training") {
    const TinyRun tiny;
    for (const char* name : {"metrics.csv", "samples.txt", "vocabulary.txt", "history.bin",
                             "report.html", "probes.txt", "best.safetensors", "log.txt"}) {
        const std::string place = tiny.folder.path("mine");
        fs::remove_all(place);
        fs::create_directory(place);
        tiny.folder.write("mine/" + std::string(name), "mine");
        refused(run_program(tiny_training(tiny.text, place)), name);
        CHECK(tiny.folder.read("mine/" + std::string(name)) == "mine");
        CHECK(std::distance(fs::directory_iterator(place), {}) == 1);
    }
}

TEST_CASE("no output path is a file of a run, and only what zhuyi wrote is replaced") {
    const TinyRun tiny;
    const std::string run = tiny.run, mine = tiny.folder.write("mine", "mine");
    const auto attend = [&](const std::string& format, const std::string& out,
                            const std::string& more = "--lang=en") {
        return run_program({"attend", run, "--text", "小", "--format", format, "--out", out, more});
    };
    refused(run_program({"report", run, "--out", run + "/run.conf"}), "is a file of a run");
    refused(attend("svg", run + "/last.safetensors"), "is a file of a run");
    refused(attend("html", run + "/report.html"), "is a file of a run");
    CHECK(run_program({"report", run, "--out", run + "/report.html"}).code == 0);
    for (const char* format : {"svg", "html", "json", "npy", "csv", "terminal"}) {
        CAPTURE(format);
        refused(attend(format, mine), "is there already");
        CHECK(tiny.folder.read("mine") == "mine");
        const std::string own = tiny.folder.path("own." + std::string(format));
        CHECK(attend(format, own).code == 0);
        if (format == std::string("terminal"))
            refused(attend(format, own), "is there already");
        else
            CHECK(attend(format, own).code == 0);
    }
    refused(run_program({"report", run, "--out", mine}), "--force");
    CHECK(run_program({"report", run, "--out", mine, "--force"}).code == 0);
    const std::string gguf = tiny.folder.path("a.gguf");
    const auto exported = [&](const std::string& more) {
        return run_program({"export", run, "--to", "gguf", gguf, more});
    };
    CHECK(exported("--type=f32").code == 0);
    refused(exported("--type=f32"), "is there already");
    CHECK(exported("--force").code == 0);
}

TEST_CASE("damage is not shown as truth") {
    const TinyRun tiny;
    const std::string run = tiny.run;
    SUBCASE("a film that is cut short is said to be, and is played as far as it goes") {
        std::string film = tiny.folder.read("run/history.bin");
        film[film.size() - film.size() / 8] ^= 1;
        tiny.folder.write("run/history.bin", film);
        for (const std::vector<std::string>& words : {std::vector<std::string>{"report", run},
                                                      {"watch", run, "--token", "小"},
                                                      {"neighbors", run, "小", "--step", "all"}}) {
            const Outcome outcome = run_program(words);
            CAPTURE(outcome.err);
            CHECK(outcome.code == 0);
            CHECK(has(outcome.err, "history.bin is damaged: after the frame of step "));
        }
    }
    SUBCASE("half a record at the end, which a killed training leaves, is no damage") {
        tiny.folder.write("run/history.bin", tiny.folder.read("run/history.bin") + "half");
        CHECK(run_program({"watch", run, "--token", "小"}).err == "");
    }
    SUBCASE("a vocabulary with another character is refused") {
        std::string lines = tiny.folder.read("run/vocabulary.txt");
        lines.replace(lines.find("猫"), 3, "桪");
        tiny.folder.write("run/vocabulary.txt", lines);
        for (const std::vector<std::string>& words : {std::vector<std::string>{"report", run},
                                                      {"watch", run, "--token", "小"},
                                                      {"tokens", run, "小"},
                                                      {"neighbors", run, "小", "--step", "all"}})
            refused(run_program(words), "is not the vocabulary that the weights were trained with");
    }
    SUBCASE("best.safetensors of another run of the same shape") {
        const std::string other = tiny.folder.path("other");
        auto words = std::vector<std::string>{
            "train",   tiny.text,    "--out",       other,     "--steps", "2",        "--context",
            "16",      "--channels", "16",          "--heads", "2",       "--layers", "2",
            "--batch", "2",          "--min-count", "1",       "--seed",  "7"};
        REQUIRE(run_program(words).code == 0);
        tiny.folder.write("run/best.safetensors", tiny.folder.read("other/best.safetensors"));
        const Outcome verified = run_program({"verify", run});
        CHECK(verified.code == 1);
        CHECK(
            has(verified.out, "it belongs to another training: its weights have the fingerprint"));
        CHECK(has(run_program({"sample", run, "--tokens", "1"}).err,
                  "zhuyi: warning: " + run + "/best.safetensors: it belongs to another training"));
    }
    SUBCASE("a flip in the key of a checksum") {
        std::string bytes = tiny.folder.read("run/last.safetensors");
        bytes[bytes.find("\"xxh64\"") + 3] ^= 1;
        tiny.folder.write("run/last.safetensors", bytes);
        CHECK(has(run_program({"verify", run}).out, "none of its header"));
    }
}

TEST_CASE("two trainings in one folder, where the disk knows no locks") {
    const TinyRun tiny;
    const std::string run = shell_quoted(tiny.run), file = tiny.run + "/.zhuyi.lock";
    const std::string long_run =
        "\"$ZHUYI\" train --resume " + run + " --steps 100000000 --history=no --inject no-locks@1";
    const Outcome outcome =
        run_shell(long_run + " >/dev/null 2>&1 &\nfirst=$!\nuntil test -s " + shell_quoted(file) +
                  "; do sleep 0.01; done\n" + "\"$ZHUYI\" train --resume " + run +
                  " --steps 3 --inject no-locks@1; echo $?\n" + "kill -9 $first; wait $first\n" +
                  "\"$ZHUYI\" train --resume " + run +
                  " --steps 100000001 --inject no-locks@1 "
                  "--stop-after 1 >/dev/null 2>&1 & kill -INT $!; wait $!; echo done\n");
    CAPTURE(outcome.err);
    CHECK(outcome.out.starts_with("1\n"));
    CHECK(has(outcome.err, "another training is at work in this folder: \""));
    CHECK(has(outcome.err, "remove " + file + ", or add --no-lock"));
    // From another host nobody sees whether it still runs.
    fs::remove(file);
    tiny.folder.write("run/.zhuyi.lock", "elsewhere 12 2026-01-01T00:00:00Z\n");
    const auto resume = [&](const std::string& more) {
        return run_shell("\"$ZHUYI\" train --resume " + run +
                         " --steps 100000000 --minutes 0 --inject no-locks@1 " + more);
    };
    refused(resume(""), "elsewhere 12");
    CHECK(fs::exists(file));
}

TEST_CASE("a full disk is named as one, with what to do") {
    const TinyRun tiny;
    for (const char* kibibytes : {"40", "100", "200"}) {
        const std::string run = tiny.folder.path("full" + std::string(kibibytes));
        std::string line = "ulimit -f " + std::string(kibibytes) + "; \"$ZHUYI\"";
        for (const std::string& word :
             tiny_training(tiny.text, run, {"--channels", "64", "--history=no"}))
            line += " " + shell_quoted(word);
        const Outcome outcome = run_shell(line);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 1);
        CHECK_FALSE(has(outcome.err, "may be failing"));
        CHECK(has(outcome.err,
                  "Make room; then it goes on from its last checkpoint: zhuyi train "
                  "--resume "));
    }
}

TEST_CASE("readers end: a pipe in the place of a file, a device and a stream without an end") {
    const TinyRun tiny;
    const std::string pipe = tiny.folder.path("model.safetensors");
    REQUIRE(mkfifo(pipe.c_str(), 0666) == 0);
    tiny.folder.write("config.json", "{\"model_type\": \"gpt2\", \"vocab_size\": 300}");
    const auto soon = [](const std::string& words) {
        return run_shell("timeout 60 \"$ZHUYI\" " + words);
    };
    CHECK(has(soon("verify " + shell_quoted(pipe)).out, "expected a regular file"));
    refused(soon("import " + shell_quoted(tiny.folder.path()) + " " +
                 shell_quoted(tiny.folder.path("in")) + " --tokenizer " + shell_quoted(tiny.run)),
            "");
    for (const char* endless : {"data /dev/zero", "data - </dev/zero", "tokens '' </dev/zero"}) {
        CAPTURE(endless);
        const Outcome outcome = run_shell(within("2000000", "timeout 100 \"$ZHUYI\" ") + endless);
        if (outcome.code == 77) return;  // under a sanitizer
        CHECK(outcome.code >= 1);
        CHECK(outcome.code <= 2);
    }
    const Outcome zero = run_shell(within("2000000", "timeout 100 \"$ZHUYI\" data /dev/zero"));
    CHECK(has(zero.err, "/dev/zero is too large: expected at most "));
}

TEST_CASE("messages are true: what is proposed can be typed and works") {
    const TinyRun tiny;
    const std::string out = tiny.folder.path("new");
    const auto with = [&](std::vector<std::string> more) {
        return run_program(tiny_training(tiny.text, out, std::move(more)));
    };
    SUBCASE("more heads than channels") {
        const Outcome outcome = with({"--channels", "8", "--heads", "16"});
        refused(outcome, "Try --heads=4.");  // positions turn pairs of channels
        CHECK(with({"--channels", "8", "--heads", "4"}).code == 0);
        fs::remove_all(out);
        refused(with({"--channels", "8", "--heads", "16", "--position", "learned"}),
                "Try --heads=8.");
    }
    SUBCASE("an FFN that fits nowhere has a smaller one") {
        const Outcome outcome = with({"--ffn", "1000000000"});
        refused(outcome, "It fits with ");
        CHECK(has(outcome.err, "--ffn="));
    }
    SUBCASE("two runs on one line") {
        refused(run_program({"train", "--resume", tiny.run, "--out", out, "--steps", "3"}),
                "Leave --out out");
        CHECK_FALSE(fs::exists(out));
    }
    SUBCASE("an empty name is no name") {
        for (const char* option : {"--from", "--data", "--out"})
            refused(with({option, ""}), std::string(option) + ": expected a name");
        refused(run_program({"sample", tiny.run, "--checkpoint", ""}),
                "--checkpoint: expected a name");
        refused(run_program({"eval", tiny.run, "--data", ""}), "--data: expected a name");
    }
    SUBCASE("block.-1 is no block") { refused(with({"--freeze", "block.-1"}), "is no part of"); }
    SUBCASE("sentences and characters of the film that are no UTF-8") {
        refused(with({"--history-sentences", "\xff"}), "history_sentences is not UTF-8: byte 0");
        refused(with({"--history-characters", "a\xff"}), "history_characters is not UTF-8: byte 1");
    }
    SUBCASE("a seed that is too large") {
        refused(with({"--seed", "9007199254740993"}),
                "--seed: expected a whole number from 0 to 9007199254740992");
    }
    SUBCASE("a type that a Hugging Face folder does not have") {
        refused(run_program({"export", tiny.run, "--to", "hf", out, "--type", "f16"}), "--type");
    }
    SUBCASE("a folder whose name is no UTF-8 is refused, or trained in to the end") {
        const Outcome outcome = run_program(tiny_training(tiny.text, tiny.folder.path("\xff")));
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(fs::exists(tiny.folder.path("\xff") + "/report.html"));
    }
    SUBCASE("the line for a GB18030 file in a folder mends the folder") {
        fs::create_directory(tiny.folder.path("texts"));
        tiny.folder.write("texts/a.txt", "\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7\xA1\xA3");
        const std::string texts = tiny.folder.path("texts");
        const std::string message = run_program({"data", texts}).err;
        REQUIRE(message.find("iconv -f") != message.npos);
        REQUIRE(run_shell(message.substr(message.find("iconv -f"))).code == 0);
        CHECK(run_program({"data", texts}).code == 0);
    }
    SUBCASE("the room that a run needs on the disk, within 1.5 times what it takes") {
        const Outcome outcome = with({"--steps", "20"});
        REQUIRE(outcome.code == 0);
        double all = 0;
        for (const auto& entry : fs::directory_iterator(out)) all += double(entry.file_size());
        const std::size_t at = outcome.err.find("up to ");
        double said = std::stod(outcome.err.substr(at + 6));
        if (has(outcome.err.substr(at, 20), "MiB")) said *= 1024;
        CAPTURE(said);
        CAPTURE(all / 1024);
        CHECK(said * 1024 >= all);
        CHECK(said * 1024 <= 1.5 * all);
    }
}
