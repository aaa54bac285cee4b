// zhuyi train, as the program that is built: what a run leaves behind, that it can be stopped and goes on, and what it says
// to input it cannot use.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "formats/safetensors.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string bytes_of(const fs::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

// A folder with a text of a few dozen characters, and trainings on it that take a moment.
struct Desk {
    ScratchFolder folder;
    std::string text = folder.write("诗 poems.txt",
                                    "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n"
                                    "雨点打在玻璃上，像一群小鱼。\n\n月亮出来了。\n");

    std::vector<std::string> command(const std::string& run, std::vector<std::string> more) const {
        std::vector<std::string> all{"train",      text, "--out",       folder.path(run),
                                     "--channels", "16", "--heads",     "2",
                                     "--layers",   "2",  "--batch",     "2",
                                     "--threads",  "1",  "--history=no"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Outcome train(const std::string& run, std::vector<std::string> more) const {
        return run_program(command(run, std::move(more)));
    }
    std::string line(const std::string& run, std::vector<std::string> more) const {
        std::string text_of_line = "\"$ZHUYI\"";
        for (const std::string& word : command(run, std::move(more)))
            text_of_line += " " + shell_quoted(word);
        return text_of_line;
    }
    std::string read(const std::string& run, const std::string& file) const {
        return folder.read(run + "/" + file);
    }
};

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

// One line of words on stderr, nothing on stdout, and the exit code of design 4: 1 for the input, 2 for the command.
void refused(const Outcome& outcome, int code, const std::string& part) {
    CAPTURE(outcome.err);
    CAPTURE(part);
    CHECK(outcome.code == code);
    CHECK(outcome.out == "");
    CHECK(outcome.err.starts_with("zhuyi: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(has(outcome.err, part));
}

}  // namespace

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
    // the plan: data, what to beat, resolved options, parameters, memory; nothing wider than a terminal
    for (const char* word :
         {"3 documents", "unigram entropy", "context 8", "dropout 0.2", "warm-up 20 steps",
          "token embedding", "W_Q", "MiB", "validation loss", "done: step 200"})
        CHECK(has(outcome.err, word));
    std::istringstream plan(outcome.err.substr(0, outcome.err.find("step 0:")));
    for (std::string line; std::getline(plan, line);) CHECK(line.size() <= 88);  // × and → are 2, 3
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
    CHECK(has(outcome.err, "词元/秒"));
    CHECK(has(outcome.err, "完成"));
    CHECK_FALSE(has(outcome.err, "token"));
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

// The film is on: it is the listener with most to remember.
TEST_CASE("train: Ctrl-C, kill -9 and --resume leave the bytes of a run that never stopped") {
    const Desk desk;
    const std::vector<std::string> options{
        "--steps",  "1500", "--eval-every",     "500", "--save-every", "100", "--history=yes",
        "--prompt", "小",   "--history-frames", "6",   "--accumulate", "2"};
    REQUIRE(desk.train("whole", options).code == 0);
    const auto stopped_by = [&](const std::string& signal, const std::string& first_words) {
        const std::string metrics = shell_quoted(desk.folder.path("parts/metrics.csv"));
        return run_shell(
            first_words + " &\nrun=$!\n" + "tries=0\nbefore=$(wc -l < " + metrics +
            " 2>/dev/null || echo 0)\n" + "while [ $(wc -l < " + metrics +
            " 2>/dev/null || echo 0) -lt $((before + 150)) ] && [ $tries -lt 2000 ]; do\n"
            "sleep 0.01; tries=$((tries + 1)); done\n"
            "kill -" +
            signal + " $run; wait $run");
    };
    const std::string resume =
        "\"$ZHUYI\" train --threads 2 --resume " + shell_quoted(desk.folder.path("parts"));

    const Outcome killed = stopped_by("KILL", desk.line("parts", options));
    CHECK(killed.code == 128 + 9);
    const Outcome interrupted = stopped_by("INT", resume);
    CAPTURE(interrupted.err);
    CHECK(interrupted.code == 0);
    CHECK(has(interrupted.err, "to go on: zhuyi train --resume "));
    const Outcome ended = run_shell(resume);
    CHECK(ended.code == 0);
    CHECK(has(ended.err, "done: step 1500"));
    for (const char* file : {"last.safetensors", "best.safetensors", "first.safetensors",
                             "metrics.csv", "samples.txt", "history.bin", "run.conf"}) {
        CAPTURE(file);
        CHECK(desk.read("whole", file).size() > 0);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

// Row 0 of metrics.csv and the first sample stood there twice.
TEST_CASE("train: killed before its first checkpoint behind step 0, a run begins anew") {
    const Desk desk;
    const std::vector<std::string> options{"--steps", "12", "--eval-every", "4"};
    REQUIRE(desk.train("whole", options).code == 0);
    REQUIRE(desk.train("parts", options).code == 0);
    const std::string run = desk.folder.path("parts");
    SUBCASE("the last checkpoint is that of step 0") {
        fs::copy_file(run + "/first.safetensors", run + "/last.safetensors",
                      fs::copy_options::overwrite_existing);
    }
    SUBCASE("there is only the first one") { fs::remove(run + "/last.safetensors"); }
    SUBCASE("there is none") {
        for (const char* which : {"first", "last", "best"})
            fs::remove(run + "/" + which + ".safetensors");
    }
    REQUIRE(run_program({"train", "--resume", run}).code == 0);
    for (const char* file : {"last.safetensors", "metrics.csv", "samples.txt"}) {
        CAPTURE(file);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

TEST_CASE("train: --resume refuses another training, and may make this one longer") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4", "--prompt", "小"}).code == 0);
    const std::string run = desk.folder.path("run"), before = desk.read("run", "last.safetensors");
    refused(run_program({"train", "--resume", run, "--channels", "32"}), 2, "channels = 16");
    refused(run_program({"train", "--resume", run, "--learning-rate", "0.5"}), 2, "learning_rate");
    refused(run_program({"train", "--resume", run, "--prompt", "月"}), 2, "prompt = 小");
    const std::string other =
        desk.folder.write("other.txt", "另一份文本。\n\n不是那一份，要长一些。\n");
    refused(run_program({"train", "--resume", run, "--data", other, "--steps", "6"}), 1,
            "not the one this run began with");
    CHECK((desk.read("run", "last.safetensors") == before));
    const Outcome longer = run_program({"train", "--resume", run, "--steps", "6"});
    CHECK(longer.code == 0);
    CHECK(has(longer.err, "done: step 6"));
    refused(run_program({"train", "--resume", desk.folder.path("nowhere")}), 1, "no run folder");
    refused(run_program({"train", "--resume", desk.folder.path()}), 1, "no run folder");
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
        REQUIRE(desk.train(run, {"--steps", "3", "--freeze", part}).code == 0);
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
    refused(run_program({"train", "a", "b"}), 2, "found also 'b'");
    refused(text("empty.txt", ""), 1, "empty");
    refused(text("blank.txt", " \n\n"), 1, "blank");
    refused(text("bad.txt", "小猫\n\xff坐\n"), 1, "line 2, byte");
    refused(text("tiny.txt", "小"), 1, "too short");
    refused(desk.train("no", {"--context", "64"}), 1, "--context=");
    refused(desk.train("no", {"--chanels", "8"}), 2, "did you mean channels?");
    refused(desk.train("no", {"--channels", "8x"}), 2, "expected a whole number, found \"8x\"");
    refused(desk.train("no", {"--channels", "30", "--heads", "4"}), 2, "does not divide");
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

TEST_CASE(
    "train: the checkpoint before takes the place of a damaged one, and the end is the same") {
    const Desk desk;
    const std::vector<std::string> options{"--steps",      "8", "--eval-every", "4",
                                           "--save-every", "2", "--history=yes"};
    REQUIRE(desk.train("whole", options).code == 0);
    fs::copy(desk.folder.path("whole"), desk.folder.path("parts"));
    const std::string run = desk.folder.path("parts"), last = run + "/last.safetensors";
    std::string bytes = bytes_of(last);
    SUBCASE("a bit of a weight") { bytes.back() ^= 1; }
    SUBCASE("a bit of what the metadata say") { bytes[bytes.find("\"step\": \"8") + 9] ^= 1; }
    SUBCASE("half of it") { bytes.resize(bytes.size() / 2); }
    SUBCASE("nothing of it") { bytes.clear(); }
    desk.folder.write("parts/last.safetensors", bytes);

    const Outcome look = run_program({"sample", run, "--checkpoint", "last", "--tokens", "1"});
    CHECK(look.code == 0);
    CHECK(has(look.err, "warning: "));
    CHECK(has(look.err, "The one before it is used instead, of step 6"));
    CHECK((bytes_of(last) == bytes));  // who only looks changes nothing

    const Outcome outcome = run_program({"train", "--resume", run});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.starts_with("zhuyi: warning: " + run + "/last.safetensors"));
    CHECK(has(outcome.err, "step 6 (" + run + "/previous.safetensors)"));
    CHECK((desk.read("parts", "damaged.safetensors") == bytes));
    for (const char* file : {"last.safetensors", "best.safetensors", "metrics.csv", "samples.txt",
                             "history.bin", "previous.safetensors"}) {
        CAPTURE(file);
        CHECK((desk.read("whole", file) == desk.read("parts", file)));
    }
}

TEST_CASE("train: killed between the two names of a checkpoint, it goes on from the previous one") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4", "--save-every", "2"}).code == 0);
    const std::string end = desk.read("run", "last.safetensors");
    fs::rename(desk.folder.path("run/last.safetensors"), desk.folder.path("run/.last.partial"));
    REQUIRE(run_program({"train", "--resume", desk.folder.path("run")}).code == 0);
    CHECK((desk.read("run", "last.safetensors") == end));
    CHECK_FALSE(fs::exists(desk.folder.path("run/damaged.safetensors")));
}

TEST_CASE("train: without one before it, a damaged checkpoint or another's is named and stays") {
    const Desk desk;
    REQUIRE(desk.train("run", {"--steps", "4"}).code == 0);
    const std::string run = desk.folder.path("run"), last = run + "/last.safetensors";
    const std::string metrics = desk.read("run", "metrics.csv");
    const auto resume = [&] { return run_program({"train", "--resume", run, "--steps", "8"}); };
    const std::string whole = bytes_of(last);
    fs::remove(run + "/previous.safetensors");
    desk.folder.write("run/last.safetensors", whole.substr(0, whole.size() / 2));
    refused(resume(), 1, "last.safetensors");
    refused(resume(), 1, "zhuyi verify " + shell_quoted(run));
    CHECK(desk.read("run", "metrics.csv") == metrics);

    REQUIRE(desk.train("wide", {"--steps", "1", "--channels", "32"}).code == 0);
    desk.folder.write("run/last.safetensors", desk.read("wide", "last.safetensors"));
    refused(resume(), 1, "has shape");
    fs::copy_file(last, run + "/previous.safetensors");
    refused(resume(), 1, "nor can the one before it be used");
    CHECK(desk.read("run", "metrics.csv") == metrics);

    desk.folder.write("run/last.safetensors", whole);
    CHECK(resume().code == 0);
}

TEST_CASE("train: two at once in one folder, the second is refused; who only reads is not") {
    const Desk desk;
    const std::string run = desk.folder.path("run"), quoted = shell_quoted(run);
    const std::vector<std::string> long_run{"--steps", "100000000", "--eval-every", "100000"};
    const Outcome outcome = run_shell(
        desk.line("run", long_run) + " >/dev/null 2>&1 &\nrun=$!\n" + "until grep -q '^1,' " +
        quoted + "/metrics.csv 2>/dev/null; do sleep 0.01; done\n" + "\"$ZHUYI\" train --resume " +
        quoted + "; echo $?\n" + "\"$ZHUYI\" sample " + quoted +
        " --tokens 1 --prompt 小 >/dev/null; echo $?\n" + "kill -9 $run; wait $run\n" +
        "\"$ZHUYI\" train --resume " + quoted + " --steps 1 >/dev/null; echo $?\n");
    CHECK(outcome.out == "1\n0\n0\n");
    CAPTURE(outcome.err);
    CHECK(has(outcome.err, "zhuyi: " + run + ": another training is at work in this folder"));
}

TEST_CASE("train: two that begin a run at once make one run") {
    const Desk desk;
    const std::string one = desk.line("run", {"--steps", "20"}) + " 2>/dev/null; echo $?";
    const Outcome outcome = run_shell("(" + one + ") & (" + one + ") & wait");
    CAPTURE(outcome.out);
    CHECK(std::count(outcome.out.begin(), outcome.out.end(), '0') == 1);
    CHECK(run_program({"verify", desk.folder.path("run")}).code == 0);
}

// `ulimit -f` refuses to let a file grow, as a full disk does.
TEST_CASE("train: a full disk ends it with one line, and --resume goes on when there is room") {
    const Desk desk;
    const std::vector<std::string> options{"--steps", "4", "--channels", "64"};
    REQUIRE(desk.train("whole", options).code == 0);
    const Outcome full = run_shell("ulimit -f 100\n" + desk.line("run", options));
    CAPTURE(full.err);
    CHECK(full.code == 1);
    const std::size_t message = full.err.find("zhuyi: cannot write ");
    REQUIRE(message != full.err.npos);
    CHECK(full.err.find('\n', message) == full.err.size() - 1);
    REQUIRE(run_program({"train", "--resume", desk.folder.path("run")}).code == 0);
    CHECK((desk.read("run", "last.safetensors") == desk.read("whole", "last.safetensors")));
    CHECK(desk.read("run", "metrics.csv") == desk.read("whole", "metrics.csv"));
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
