// zhuyi train, as the program that is built: what a run leaves, and what train says to input
// it cannot use.
#include <filesystem>

#include "formats/safetensors.h"
#include "support/desk.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

std::string fingerprint(const Outcome& training) {
    const std::string word = "fingerprint ";
    const std::size_t at = training.err.find(word);
    return at == training.err.npos ? "none: " + training.err
                                   : training.err.substr(at + word.size(), 16);
}

std::vector<Real> numbers(const SafetensorsFile& file, const std::string& name) {
    Index size = 1;
    for (Index extent : file.at(name).shape) size *= extent;
    std::vector<Real> values(static_cast<std::size_t>(size));
    file.read_numbers(name, values);
    return values;
}

}  // namespace

// Half of some reviews repeat the others. Once they counted as twice as long a text, had no
// dropout, and ended at 4.59 after ten minutes instead of 4.15 (configs/README.md).
TEST_CASE("train: what the recipe chooses does not change when all documents are repeated") {
    const ScratchFolder folder;
    std::string text;
    for (int day = 100; day < 500; ++day) text += std::to_string(day) + "天前下过雨\n\n";
    const auto channels = [&](const std::string& name, const std::string& content) {
        const Outcome outcome = run_program({"train", folder.write(name + ".txt", content), "--out",
                                             folder.path(name), "--steps", "1", "--history=no"});
        REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
        const std::string chosen = folder.read(name + "/run.conf");
        const std::size_t at = chosen.find("\nchannels = ");
        REQUIRE(at != chosen.npos);
        return chosen.substr(at, chosen.find_first_of(" #\n", at + 12) - at);
    };
    std::string longer = text;
    for (int day = 500; day < 900; ++day) longer += std::to_string(day) + "天前下过雨\n\n";
    const std::string once = channels("once", text);
    CHECK(channels("twice", text + text) == once);
    CHECK(channels("longer", longer) != once);  // as long as `twice`, and all of it new
}

TEST_CASE("train: a text and nothing else makes a whole run under runs/") {
    const ScratchFolder folder;
    folder.write("poems.txt", "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n月亮出来了，很圆。\n");
    const Outcome outcome =
        run_shell("cd " + shell_quoted(folder.path()) + " && \"$ZHUYI\" train poems.txt");
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.out == "");
    for (const char* file :
         {"run.conf", "vocabulary.txt", "metrics.csv", "samples.txt", "log.txt", "history.bin",
          "report.html", "first.safetensors", "last.safetensors", "best.safetensors"}) {
        CAPTURE(file);
        CHECK(fs::file_size(folder.path() + "/runs/poems/" + file) > 0);
    }
    // the plan: data, what counting can do, resolved options, parameters, memory; nothing wider
    // than a terminal
    for (const char* word :
         {"3 documents", "trigram model", "context 8", "dropout 0.25", "warm-up 10 steps",
          "token embedding", "W_Q", "MiB", "validation loss", "done: step 100", "muon", "rotary"})
        CHECK(has(outcome.err, word));
    std::istringstream plan(outcome.err.substr(0, outcome.err.find("step 0:")));
    for (std::string line; std::getline(plan, line);) CHECK(line.size() <= 88);  // × and → are 2, 3
}

TEST_CASE("train: a second run of the same text gets a free name, and says so first") {
    const ScratchFolder folder;
    folder.write("poems.txt", "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n月亮出来了，很圆。\n");
    const auto train = [&](const std::string& more) {
        return run_shell("cd " + shell_quoted(folder.path()) +
                         " && \"$ZHUYI\" train poems.txt --steps 1 --history no" + more);
    };
    REQUIRE(train("").code == 0);
    const Outcome second = train("");
    CHECK(second.err.starts_with("runs/poems holds a run already"));
    CHECK(fs::exists(folder.path("runs/poems-2/last.safetensors")));
    CHECK(has(train(" --lang zh").err, "这次写到 runs/poems-3"));
    const Outcome refused = train(" --heads 5");  // before anything is announced
    CHECK(refused.err.starts_with("zhuyi: heads = 5"));
    const Outcome named = train(" --out runs/poems");  // a folder that was named is never changed
    CHECK(named.code == 2);
    CHECK(has(named.err, "zhuyi train --resume runs/poems"));
}

TEST_CASE("train: a configuration, and options that override it") {
    const Desk desk;
    desk.folder.write(
        "a.conf", "data = \"" + desk.text +
                      "\"\ncontext = 8\nchannels = 16 # small\nheads = 2\nlayers = 2\nbatch = 2\n"
                      "steps = 5\nhistory = no\nwarmup = 3\n");
    const std::string run = desk.folder.path("run");
    const Outcome outcome = run_program({"train", desk.folder.path("a.conf"), "--out", run,
                                         "--heads=4", "--learning-rate", "0.002", "--lang", "zh"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::string resolved = desk.read("run", "run.conf");
    for (const char* line : {"heads = 4 ", "channels = 16 ", "learning_rate = 0.002 ",
                             "min_learning_rate = 0.0002 ", "warmup = 3 ", "steps = 5 "})
        CHECK(has(resolved, std::string("\n") + line));
    CHECK(has(outcome.err, " token/秒"));
    CHECK(has(outcome.err, "完成"));
    CHECK_FALSE(has(outcome.err, "tokens"));
}

TEST_CASE("train: the warm-up nobody asked for is a tenth of the steps at most") {
    const Desk desk;
    REQUIRE(desk.train("short", {"--steps", "20"}).code == 0);
    CHECK(has(desk.read("short", "run.conf"), "\nwarmup = 2 "));
    REQUIRE(desk.train("asked", {"--steps", "20", "--warmup", "15"}).code == 0);
    CHECK(has(desk.read("asked", "run.conf"), "\nwarmup = 15 "));
}

TEST_CASE("train: a run that exists is not overwritten") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "2"}).code == 0);
    const std::string before = desk.read("run", "last.safetensors");
    const Outcome again = desk.train("run", {"--steps", "2"});
    refused(again, 2, "--resume");
    refused(again, 2, "--out");
    refused(run_program({"train", desk.folder.path("run")}), 2, "--resume");
    CHECK(desk.read("run", "last.safetensors") == before);
}

TEST_CASE("train: --from goes on from another run's best weights, shape and vocabulary") {
    const Desk desk;
    REQUIRE(desk.train("old", {"--steps", "5"}).code == 0);
    const std::string other = desk.folder.write("new.txt", "小鱼看月亮。\n\n雨打在窗台上，龘。\n");
    const std::string tuned = desk.folder.path("tuned"), old = desk.folder.path("old");
    const Outcome outcome = run_program(
        {"train", other, "--out", tuned, "--from", old, "--steps", "3", "--history=no"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK((desk.read("tuned", "vocabulary.txt") == desk.read("old", "vocabulary.txt")));
    const SafetensorsFile best(old + "/best.safetensors"), first(tuned + "/first.safetensors"),
        last(tuned + "/last.safetensors");
    CHECK((numbers(best, "block.0.attention.W_Q") == numbers(first, "block.0.attention.W_Q")));
    CHECK((numbers(first, "block.0.attention.W_Q") != numbers(last, "block.0.attention.W_Q")));
    const auto again = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"train", other, "--out", desk.folder.path("no")});
        return run_program(more);
    };
    refused(again({"--from", old, "--channels", "32"}), 2, "channels = 16");
    refused(again({"--from", desk.folder.path("nothing")}), 1, "no such folder");
}

TEST_CASE("train: freeze leaves exactly those rows of the parameter table as they are") {
    const Desk desk;
    const auto changed = [&](const std::string& part, const std::string& run) {
        REQUIRE(desk.train(run, {"--steps", "3", "--freeze", part, "--position", "learned"}).code ==
                0);
        const SafetensorsFile first(desk.folder.path(run + "/first.safetensors")),
            last(desk.folder.path(run + "/last.safetensors"));
        return [&, names = std::vector<std::string>()]() mutable {
            for (const char* name :
                 {"embedding.token", "embedding.position", "block.0.attention.W_Q",
                  "block.0.attention.W_O", "block.1.attention.b_V", "block.0.ffn.W_1",
                  "block.1.ffn.b_2", "block.1.norm_1.gamma", "final_norm.beta"})
                if (numbers(first, name) != numbers(last, name)) names.push_back(name);
            return names;
        }();
    };
    using Names = std::vector<std::string>;
    CHECK(changed("embedding, ffn", "a") == Names{"block.0.attention.W_Q", "block.0.attention.W_O",
                                                  "block.1.attention.b_V", "block.1.norm_1.gamma",
                                                  "final_norm.beta"});
    CHECK(changed("attention,norm,block.1", "b") ==
          Names{"embedding.token", "embedding.position", "block.0.ffn.W_1"});
    refused(desk.train("c", {"--freeze", "embeding"}), 2, "embeding");
    refused(desk.train("c", {"--freeze", "block.7"}), 2, "block.7");
}

TEST_CASE("train: bf16 rounds factors and is a training of its own") {
    const Desk desk;
    const Outcome rounded = desk.train("rounded", {"--steps", "4", "--precision", "bf16"});
    CHECK(rounded.code == 0);
    CHECK(has(rounded.err, "bf16"));
    CHECK(fingerprint(rounded) != fingerprint(desk.train("plain", {"--steps", "4"})));
}

TEST_CASE("train: what it cannot use gets one line, and leaves no folder") {
    const Desk desk;
    const ScratchFolder& f = desk.folder;
    const auto text = [&](const std::string& name, const std::string& bytes) {
        return run_program({"train", f.write(name, bytes), "--out", f.path("no")});
    };
    refused(run_program({"train", f.path("nowhere.txt"), "--out", f.path("no")}), 1, "nowhere.txt");
    refused(run_program({"train", f.path("nowhere.conf")}), 1, "nowhere.conf");
    refused(run_program({"train"}), 2, "needs a CONFIG");
    refused(run_program({"train", "a", "b"}), 2, "found also \"b\"");
    refused(text("empty.txt", ""), 1, "empty");
    refused(text("blank.txt", " \n\n"), 1, "blank");
    refused(text("bad.txt", "小猫\n\xff坐\n"), 1, "line 2, byte");
    refused(text("tiny.txt", "小"), 1, "too short");
    refused(desk.train("no", {"--context", "64"}), 1, "--context=");
    refused(desk.train("no", {"--chanels", "8"}), 2, "did you mean channels?");
    refused(desk.train("no", {"--channels", "8x"}), 2,
            "expected a whole number from 1 to 1048576, found \"8x\"");
    refused(desk.train("no", {"--channels", "30", "--heads", "4"}), 2, "does not divide");
    refused(desk.train("no", {"--channels", "15", "--heads", "3", "--position", "rotary"}), 2,
            "15/3 = 5 is odd. Try --channels=18");
    refused(desk.train("no", {"--precision", "fp16"}), 2, "fp32|bf16");
    refused(desk.train("no", {"--learning-rate", "nan"}), 2, "expected a number");
    refused(desk.train("no", {"--vocabulary", "5"}), 2, "vocabulary");
    refused(desk.train("no", {"--prompt", "\xe5\xb0"}), 2, "UTF-8");
#ifndef __SANITIZE_ADDRESS__  // which ends the program where memory ends
    refused(desk.train("no", {"--channels", "600000", "--heads", "1"}), 1, "memory");
#endif
    refused(text("a.conf", "stepz = 4\n"), 2, "a.conf:1: there is no option");
    CHECK_FALSE(fs::exists(f.path("no")));

    // no permission: root may write everywhere but below a file and in /proc
    refused(desk.train("诗 poems.txt/run", {}), 1, "cannot make the folder");
    if (fs::exists("/proc/self"))
        refused(run_program({"train", desk.text, "--out", "/proc/zhuyi"}), 1, "/proc/zhuyi");
}

TEST_CASE("train: what it prints goes to stderr, so a closed stdout disturbs nothing") {
    const Desk desk;
    CHECK(run_shell(desk.line("run", {"--steps", "1"}) + " >&-").code == 0);
    CHECK(fs::exists(desk.folder.path("run/last.safetensors")));
}

TEST_CASE("train: what an untrained model writes cannot steer the terminal") {
    const Desk desk;
    const Outcome outcome = desk.train("run", {"--steps", "1", "--seed", "3"});
    REQUIRE(outcome.code == 0);
    for (const char c : outcome.err)
        CHECK_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n'));
}
