// zhuyi verify, as the program that is built, on a run that is damaged in one place after the
// other.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

const char* const kAnew = "from step 2; from there on these are written anew";

// The line that speaks of a file.
std::string line_of(const std::string& text, const std::string& file) {
    const std::size_t at = text.find(file + " ");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

struct Damaged : TinyRun {
    void change(const std::string& file, const std::function<void(std::string&)>& how) const {
        std::string bytes = folder.read("run/" + file);
        how(bytes);
        folder.write("run/" + file, bytes);
    }
    Outcome verify(const std::string& file = "") const {
        return run_program({"verify", run + file});
    }
};

}  // namespace

TEST_CASE("verify: a whole run, a line for each file and what can be used") {
    const Damaged d;
    const Outcome outcome = d.verify();
    CAPTURE(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(outcome.err == "");
    for (const char* file : {"run.conf", "vocabulary.txt", "first.safetensors", "best.safetensors",
                             "previous.safetensors", "last.safetensors", "metrics.csv",
                             "samples.txt", "probes.txt", "probes.csv", "history.bin"})
        CHECK(has(line_of(outcome.out, file), " ok "));
    CHECK(has(line_of(outcome.out, "metrics.csv"), "steps 0 to 2"));
    CHECK(has(line_of(outcome.out, "probes.txt"), "3 probes of 2 rules"));
    CHECK(has(line_of(outcome.out, "probes.csv"), "3 evaluations"));
    CHECK(has(outcome.out, "To write and to look at: best (step "));
    CHECK(has(outcome.out, "zhuyi train --resume " + shell_quoted(d.run) + ", from step 2"));
    const Outcome chinese = run_program({"verify", d.run, "--lang", "zh"});
    CHECK(has(line_of(chinese.out, "last.safetensors"), "完好"));
    CHECK_FALSE(has(chinese.out, "step"));
}

TEST_CASE("verify: names what is damaged, where, and what can still be used") {
    const Damaged d;
    std::string file, words, verdict = " damaged ", still = "from step 2";
    SUBCASE("a number of the last checkpoint") {
        d.change(file = "last.safetensors", [](std::string& bytes) { bytes.back() ^= 1; });
        words = "tensor \"muon.m.block.1.ffn.W_2\"", still = "from step 0";
    }
    SUBCASE("what the last checkpoint says of itself") {
        d.change(file = "last.safetensors",
                 [](std::string& bytes) { bytes[bytes.find("\"step\": \"2") + 9] = '4'; });
        words = "its header has the checksum", still = "from step 0";
    }
    SUBCASE("half of the best one") {
        d.change(file = "best.safetensors",
                 [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
        words = "damaged";
    }
    SUBCASE("a row of metrics.csv that stands twice") {
        d.change(file = "metrics.csv", [](std::string& bytes) {
            const std::size_t at = bytes.find("\n1,") + 1, end = bytes.find('\n', at) + 1;
            bytes.insert(at, bytes.substr(at, end - at));
        });
        words = "line 4: expected a whole row of step 2", still = kAnew;
    }
    SUBCASE("a row that is missing") {
        d.change(file = "metrics.csv", [](std::string& bytes) {
            const std::size_t at = bytes.find("\n1,") + 1, end = bytes.find('\n', at) + 1;
            bytes.erase(at, end - at);
        });
        words = "line 3: expected a whole row of step 1", still = kAnew;
    }
    SUBCASE("a digit") {
        d.change(file = "metrics.csv", [](std::string& bytes) {
            char& digit = bytes[bytes.find("\n1,") + 5];
            digit = digit == '7' ? '8' : '7';
        });
        words = "bytes are not those that the checkpoint knows", still = kAnew;
    }
    SUBCASE("a word of probes.csv") {
        d.change(file = "probes.csv", [](std::string& bytes) { bytes[bytes.find("new")] = 'N'; });
        words = "bytes are not those that the checkpoint knows", still = kAnew;
    }
    SUBCASE("a line of probes.txt") {
        d.change(file = "probes.txt", [](std::string& bytes) { bytes[bytes.find("new")] = 'N'; });
        words = "line 3: expected seen, new or form", still = "no probes are asked any more";
    }
    SUBCASE("a letter of samples.txt") {
        d.change(file = "samples.txt", [](std::string& bytes) { bytes[4] = 'S'; });
        words = "bytes are not those that the checkpoint knows", still = kAnew;
    }
    SUBCASE("a bit of the film") {
        d.change(file = "history.bin", [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
        words = "not the history", still = kAnew;
    }
    SUBCASE("the vocabulary") {
        d.change(file = "vocabulary.txt",
                 [](std::string& bytes) { bytes.resize(bytes.rfind('\n', bytes.size() - 2) + 1); });
        words = "run.conf says vocabulary =", still = "No model";
    }
    SUBCASE("the configuration") {
        d.change(file = "run.conf", [](std::string& bytes) { bytes += "\nchanels = 4\n"; });
        words = "did you mean channels?", still = "No model";
    }
    SUBCASE("a checkpoint that is gone") {
        fs::remove(d.run + "/last.safetensors");
        file = "last.safetensors", verdict = " missing ", still = "from step 0";
    }
    const Outcome outcome = d.verify();
    CAPTURE(outcome.out);
    CHECK(outcome.code == 1);
    CHECK(has(line_of(outcome.out, file), verdict));
    CHECK(has(line_of(outcome.out, file), words));
    CHECK(has(outcome.out, still));
}

TEST_CASE("verify: one file, in a run or elsewhere") {
    const Damaged d;
    CHECK(d.verify("/last.safetensors").code == 0);
    CHECK(d.verify("/history.bin").code == 0);
    CHECK(d.verify("/metrics.csv").code == 0);
    CHECK(has(d.verify("/probes.csv").out, "3 evaluations"));
    CHECK(has(d.verify("/probes.txt").out, "3 probes"));
    CHECK(d.verify("/vocabulary.txt").code == 0);
    const std::string elsewhere =
        d.folder.write("alone.safetensors", d.folder.read("run/last.safetensors"));
    CHECK(run_program({"verify", elsewhere}).code == 0);
    d.change("history.bin", [](std::string& bytes) { bytes.resize(bytes.size() - 1); });
    CHECK(d.verify("/history.bin").code == 1);
    const std::string text = d.folder.write("a.safetensors", "no such thing");
    const Outcome outcome = run_program({"verify", text});
    CHECK(outcome.code == 1);
    CHECK(has(outcome.out, "damaged"));
    CHECK(run_program({"verify", d.folder.path("nothing")}).code == 1);
    for (const char* whole : {"/run.conf", "/samples.txt"}) CHECK(d.verify(whole).code == 0);
    d.change("samples.txt", [](std::string& bytes) { bytes[4] = '\xff'; });
    CHECK(has(d.verify("/samples.txt").out, "not UTF-8 at its byte 4"));
    d.change("run.conf", [](std::string& bytes) { bytes += "chanels = 4\n"; });
    CHECK(has(d.verify("/run.conf").out, "did you mean channels?"));
    for (const char* other : {"/log.txt", "/report.html"}) {
        const Outcome unknown = d.verify(other);
        CHECK(unknown.code == 2);
        CHECK(has(unknown.err, "verify has no reader for"));
    }
    CHECK(run_program({"verify"}).code == 2);
}

TEST_CASE("verify: what was exported for others") {
    const Damaged d;
    const std::string folder = d.folder.path("hf"), gguf = d.folder.path("a.gguf");
    REQUIRE(run_program({"export", d.run, "--to", "hf", folder}).code == 0);
    REQUIRE(run_program({"export", d.run, "--to", "gguf", gguf}).code == 0);
    for (const std::string& path : {folder, gguf}) {
        const Outcome outcome = run_program({"verify", path});
        CHECK(outcome.code == 0);
        CHECK(has(outcome.out, " tensors"));
    }
    const std::string bytes = d.folder.read("hf/model.safetensors");
    d.folder.write("hf/model.safetensors", bytes.substr(0, bytes.size() - 4));
    CHECK(has(run_program({"verify", folder}).out, "model.safetensors    damaged"));
    CHECK(run_program({"verify", d.folder.path()}).code == 1);  // neither a run nor a model
}

// It said that the run could not be trained on, and offered weights that were not there.
TEST_CASE("verify: a run killed before its first checkpoint has lost nothing") {
    const Damaged d;
    for (const char* which : {"best", "last", "previous"})
        fs::remove(d.run + "/" + which + ".safetensors");
    d.change("metrics.csv", [](std::string& bytes) { bytes.resize(bytes.find('\n') + 1); });
    SUBCASE("with the weights of step 0") {}
    SUBCASE("with nothing") { fs::remove(d.run + "/first.safetensors"); }
    const Outcome outcome = d.verify();
    CAPTURE(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(has(line_of(outcome.out, "last.safetensors"), " none yet"));
    CHECK(has(outcome.out, "From the beginning: zhuyi train --resume " + shell_quoted(d.run)));
    CHECK_FALSE(has(outcome.out, "--from"));
    CHECK_FALSE(has(outcome.out, "-1"));
    CHECK(run_program({"train", "--resume", d.run}).code == 0);
}

TEST_CASE("verify: weights are offered to a new run where there are any") {
    const Damaged d;
    for (const char* which : {"last.safetensors", "previous.safetensors"})
        d.change(which, [](std::string& bytes) { bytes.back() ^= 1; });
    CHECK(has(d.verify().out, "--from " + shell_quoted(d.run)));
    fs::remove(d.run + "/best.safetensors");
    const std::string text = d.verify().out;
    CHECK_FALSE(has(text, "--from"));
    CHECK(has(text, "first (step 0) --checkpoint first"));
}

TEST_CASE("verify: says when the text to train on is gone or another") {
    const Damaged d;
    fs::rename(d.text, d.folder.path("moved.txt"));
    const Outcome gone = d.verify();
    CHECK(gone.code == 0);  // the run itself is whole
    CHECK(has(gone.out, "from step 2; its text " + d.text + " is not there (from here)"));
    d.folder.write("text.txt", "另一份文本。\n\n不是那一份。\n");
    CHECK(has(d.verify().out, "is no longer the text it was trained on"));
    CHECK(has(run_program({"verify", d.run, "--lang", "zh"}).out, "已不是当初训练用的文本"));
}
