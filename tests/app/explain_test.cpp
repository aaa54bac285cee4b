// zhuyi explain and zhuyi step, as the program that is built.
#include <doctest/doctest.h>

#include <algorithm>

#include "formats/json.h"
#include "support/close.h"
#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

Outcome explain(std::vector<std::string> more, const std::string& text = "小猫看雨") {
    std::vector<std::string> arguments{"explain", tiny_run().run, "--text", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
}

}  // namespace

TEST_CASE("explain --example: the course's example needs no run") {
    const Outcome example = run_program({"explain", "--example", "--lang", "zh"});
    CHECK(example.code == 0);
    CHECK(example.err == "");
    CHECK(has(example.out, "   猫  0.3168  0.3370  0.3462\n"));
    CHECK(has(run_program({"explain", "--example", "--causal", "--heads", "2"}).out,
              "Causal mask (head 1)"));
    CHECK(has(run_program({"explain", "--example", "dot"}).out, "0.5300"));
    CHECK(has(run_program({"explain", "--example", "query"}).out, "0.3800"));
    CHECK(has(run_program({"explain", "--example", "softmax"}).out, "√128"));
    const Outcome unknown = run_program({"explain", "--example", "max"});
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "there are attention, dot, query and softmax"));
}

TEST_CASE("explain RUN: a sheet in two languages and four forms") {
    REQUIRE(tiny_run().training.code == 0);
    const Outcome english = explain({"--layer", "1", "--head", "1", "--sheets", "all"});
    CHECK(english.code == 0);
    CHECK(english.err == "");
    CHECK(has(english.out, "block 1, head 1, position 3 雨, step 2"));
    CHECK(has(english.out, "[1, 4, 16] · [16, 16] → [1, 4, 16] → [1, 4, 2, 8]"));
    CHECK(has(explain({"--lang", "zh", "--full"}).out, "对 V 加权求和"));
    CHECK(has(explain({"--format", "html"}).out, "<html lang=\"en\">"));
    CHECK(has(explain({"--format", "markdown"}).out, "## 1  The text as tokens"));
    const Json json = parse_json(explain({"--format", "json", "--query", "2"}).out, "stdout");
    bool found = false;
    for (const Json& section : json.at("sections").items()) {
        if (section.at("section").text() != "softmax") continue;
        const Json::Array& rows = section.at("items").items()[1].at("rows").items();
        REQUIRE(rows.size() == 5);  // four characters and the sum
        found = true;
        CHECK(rows[3].at("values").items()[2].is_null());  // 雨 comes later
        CHECK(close(rows[4].at("values").items()[2].number(), 1, 1e-6));
    }
    CHECK(found);
}

TEST_CASE("explain RUN: the main path first, all sheets or some of them on demand") {
    const Outcome path = explain({"--layer", "1"});
    CHECK(path.code == 0);
    CHECK(std::ranges::count(path.out, '\n') <= 45);
    CHECK(has(path.out, "Where the head looks  (sheets "));
    const Outcome back = explain({"--backward", "--lang", "zh"});
    CHECK(std::ranges::count(back.out, '\n') <= 45);
    CHECK(has(back.out, "与训练器的一步不同的有 0 个"));
    const Outcome two = explain({"--sheets", "2,softmax"});
    CHECK(has(two.out, "\n2  Embedding"));
    CHECK(has(two.out, "  Mask and softmax"));
    CHECK(!has(two.out, "\n3  "));
    CHECK(has(explain({"--sheets", "99", "--lang", "zh"}).err, "--sheets：应为 all，或 1 到"));
}

TEST_CASE("explain --compare: one character in two contexts") {
    const Outcome both = explain({"--compare", "雨点打在看雨"});
    CHECK(both.code == 0);
    CHECK(has(both.out, "小猫看[雨]"));
    CHECK(has(both.out, "雨点打在看[雨]"));
    const Outcome neither = explain({"--compare", "月亮出来"});
    CHECK(neither.code == 2);
    CHECK(has(neither.err, "--compare: the text must hold 雨"));
}

TEST_CASE("explain --backward: down to AdamW, and training agrees bit for bit") {
    const Outcome back = explain({"--backward", "--lang", "zh", "--sheets", "all"});
    CHECK(back.code == 0);
    CHECK(back.err == "");
    CHECK(has(back.out, "2 看  → 雨"));  // the text's last character is the answer
    CHECK(has(back.out, "每一位都相同"));
    CHECK(!has(back.out, "  不同"));
    CHECK(has(explain({"--backward", "--target", "鱼", "--full"}).out, "3 雨  → 鱼"));
    const Outcome wrong = explain({"--backward", "--target", "鱼群"});
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err,
              "expected one character with a token of its own; '鱼群' is 2 tokens: 鱼 群"));
    const Outcome alone = explain({"--backward"}, "雨");
    CHECK(alone.code == 2);
    CHECK(has(alone.err, "--target"));
}

TEST_CASE("explain --backward: Muon moves all of W_Q, and training agrees bit for bit") {
    const ScratchFolder folder;
    const std::string run = folder.path("run");
    REQUIRE(run_program({"train",           tiny_run().text,
                         "--out",           run,
                         "--steps",         "2",
                         "--context",       "16",
                         "--channels",      "16",
                         "--heads",         "2",
                         "--layers",        "2",
                         "--batch",         "2",
                         "--min-count",     "1",
                         "--learning-rate", "2e-3",
                         "--weight-decay",  "0.1",
                         "--optimizer",     "muon",
                         "--position",      "rotary",
                         "--schedule",      "linear"})
                .code == 0);
    const auto sheet = [&](const char* language) {
        return run_program({"explain", run, "--text", "小猫看雨", "--backward", "--sheets", "all",
                            "--lang", language});
    };
    const Outcome english = sheet("en"), chinese = sheet("zh");
    CHECK(english.code == 0);
    CHECK(has(english.out, "Muon: the matrix W_Q"));
    CHECK(has(english.out, "AdamW: one weight of the embedding"));
    CHECK(has(english.out, "of 16 are 0.01 or more"));
    CHECK(has(english.out, "its learning rate η has come down to 0"));
    CHECK(has(english.out, "= 0.0002 · 0.1 · w"));  // and yet there is something to see
    CHECK(has(run_program({"step", run}).out, "a tenth of the peak: the run is done"));
    CHECK(!has(english.out, "DIFFERENT"));
    CHECK(has(chinese.out, "Muon：更新矩阵 W_Q"));
    CHECK(!has(chinese.out, "  不同"));
}

TEST_CASE("explain: wrong places and contradictions say what is allowed") {
    CHECK(has(explain({"--layer", "2"}).err,
              "--layer=2: this model's blocks count from 0, here 0 to 1"));
    CHECK(explain({"--layer", "2"}).code == 2);
    CHECK(has(explain({"--head", "2"}).err, "here 0 to 1"));
    CHECK(has(explain({"--query", "4"}).err, "here 0 to 3"));
    CHECK(has(explain({"--heads", "2"}).err, "--heads belongs to --example"));
    CHECK(has(explain({"--target", "鱼"}).err, "--target belongs to --backward"));
    CHECK(run_program({"explain", tiny_run().run}).code == 2);
    CHECK(explain({}, "小猫看雨小猫看雨小猫看雨小猫看雨雨").code == 2);
}

TEST_CASE("step: one step on a copy; the run stays as it was") {
    const std::string last = tiny_run().folder.read("run/last.safetensors");
    REQUIRE(!last.empty());
    const Outcome step = run_program({"step", tiny_run().run});
    CHECK(step.code == 0);
    CHECK(step.err == "");
    CHECK(has(step.out, "One training step: 2 → 3"));
    CHECK(has(step.out, "loss before"));
    CHECK(has(step.out, "block 1"));
    CHECK(tiny_run().folder.read("run/last.safetensors") == last);
    CHECK(has(run_program({"step", tiny_run().run, "--lang", "zh"}).out, "移动最多的词向量"));
    CHECK(run_program({"step"}).code == 2);
}

TEST_CASE("step --token: before and after, on the run's batches or on the text alone") {
    const std::string run = tiny_run().run;
    const auto step = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"step", run, "--text", "小猫看雨", "--token", "猫"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    const std::string last = tiny_run().folder.read("run/last.safetensors");
    const Outcome batches = step({"--times", "3"});
    CHECK(batches.code == 0);
    CHECK(has(batches.out, "What 3 training steps do to 猫, in 小[猫]看雨"));
    CHECK(has(batches.out, "Where ΔE[猫] came from"));
    CHECK(has(batches.out, "after 3"));
    CHECK(has(step({"--on", "text", "--lang", "zh"}).out, "每次都只用上面这段文字"));
    CHECK(tiny_run().folder.read("run/last.safetensors") == last);
    CHECK(has(run_program({"step", run, "--times", "3"}).err, "--times belongs to a character"));
    CHECK(has(step({"--text", "雨点"}).err, "does not hold the character of --token"));
    CHECK(has(run_program({"step", run, "--token", "雨", "--on", "text"}).err,
              "a text of one token predicts nothing"));
}

TEST_CASE("step --moments empty: an optimizer begins anew, from a checkpoint or from the film") {
    const auto step = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"step", tiny_run().run, "--text", "小猫看雨", "--on", "text"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    };
    for (const char* optimizer : {"sgd", "adamw", "muon"}) {
        const Outcome made = step({"--moments", "empty", "--optimizer", optimizer, "--times", "2"});
        CHECK(made.code == 0);
        CHECK(has(made.out, "They begin with the weights of the checkpoint of step 2"));
    }
    CHECK(has(step({"--moments", "empty"}).out, "SGD moves E by -η"));
    const Outcome filmed = step({"--moments", "empty", "--at", "1"});
    CHECK(filmed.code == 0);
    CHECK(has(filmed.out, "the film's snapshot of step"));
    CHECK(has(step({"--at", "1"}).err, "--at belongs to an optimizer that begins anew"));
    CHECK(has(run_program({"step", tiny_run().run, "--moments", "empty"}).err,
              "--moments belongs to a character"));
}

TEST_CASE("step: without its text it says what to do, and --on text needs none") {
    const ScratchFolder folder;
    const std::string run = folder.path("run"), text = folder.write("text.txt", kVerses);
    REQUIRE(
        run_program({"train", text, "--out", run, "--steps", "2", "--context", "16", "--channels",
                     "16", "--heads", "2", "--layers", "1", "--batch", "2", "--min-count", "1"})
            .code == 0);
    const std::string moved = folder.path("moved.txt");
    std::filesystem::rename(text, moved);
    const Outcome lost = run_program({"step", run, "--token", "雨"});
    CHECK(lost.code == 1);
    CHECK(has(lost.err, "Say where it is now: --data FILE"));
    CHECK(has(run_program({"step", run, "--lang", "zh"}).err, "--data 文件"));
    CHECK(run_program({"step", run, "--token", "雨", "--data", moved}).code == 0);
    CHECK(run_program({"step", run, "--text", "小猫看雨", "--on", "text"}).code == 0);
}
