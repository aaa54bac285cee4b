// zhuyi attend, as the program that is built.
#include <doctest/doctest.h>

#include "formats/json.h"
#include "support/close.h"
#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

// `zhuyi attend RUN --text 小猫看雨 …`
Outcome attend(std::vector<std::string> more, const std::string& text = "小猫看雨") {
    std::vector<std::string> arguments{"attend", tiny_run().run, "--text", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
}

}  // namespace

TEST_CASE("attend: a run can be trained to look at") { REQUIRE(tiny_run().training.code == 0); }

TEST_CASE("attend: all heads; no colours where nobody looks") {
    const Outcome all = attend({});
    CHECK(all.code == 0);
    CHECK(all.err == "");
    CHECK(has(all.out, "block 1\n  head 0    head 1  \n  ██"));
    CHECK(!has(all.out, "\x1b"));
    CHECK(has(attend({"--color", "always"}).out, "\x1b[48;2;251;237;88m"));
    CHECK(has(attend({"--color", "256"}).out, "\x1b[48;5;227m"));
    CHECK(has(attend({"--lang", "zh"}).out, "行 = 查询 Query（从上到下）"));
}

TEST_CASE("attend: one head large, with the last row in numbers") {
    const Outcome one = attend({"--layer", "1", "--head", "0"});
    CHECK(one.code == 0);
    CHECK(has(one.out, "block 1 · head 0"));
    CHECK(has(one.out, "query ↓  小 猫 看 雨\n     小 100         \n"));
    CHECK(has(one.out, "雨 looks at:  "));
    CHECK(
        has(attend({"--layer", "0", "--head", "mean", "--lang", "zh"}).out, "第 0 层 · 各头平均"));
    // one block, all heads; one head, all blocks
    CHECK(!has(attend({"--layer", "1"}).out, "block 0"));
    CHECK(!has(attend({"--head", "1"}).out, "\n  head 0"));
}

TEST_CASE("attend: numbers for programs, to a file or through a pipe") {
    const Json json = parse_json(attend({"--format", "json"}).out, "attend");
    CHECK(json.at("shape").write() == "[2, 2, 4, 4]");
    CHECK(json.at("tokens").write() == "[\"小\", \"猫\", \"看\", \"雨\"]");
    double sum = 0;
    for (const Json& weight : json.at("weights").items()[1].items()[1].items()[3].items())
        sum += weight.number();
    CHECK(close(sum, 1, 1e-5));

    const ScratchFolder folder;
    CHECK(
        attend({"--format", "csv", "--layer", "0", "--head", "mean", "--out", folder.path("a.csv")})
            .out == "");
    CHECK(folder.read("a.csv").starts_with(
        "layer,head,query,key,query_token,key_token,weight\n0,mean,0,0,小,小,1\n"));
    CHECK(attend({"--format", "npy", "--out", folder.path("a.npy")}).code == 0);
    CHECK(has(folder.read("a.npy"), "'shape': (2, 2, 4, 4"));
    CHECK(has(folder.read("a.npy.tokens.json"), "\"小\", \"猫\", \"看\", \"雨\""));
    CHECK(attend({"--out", folder.path("a.txt")}).code == 0);
    CHECK(has(folder.read("a.txt"), "rows = query"));
}

TEST_CASE("attend: what cannot be shown says why, in one line") {
    const auto refused = [](const Outcome& outcome, int code, const std::string& part) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == code);
        CHECK(outcome.out == "");
        CHECK(has(outcome.err, part));
        CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    };
    refused(attend({"--layer", "7"}), 2, "blocks count from 0: 0 to 1");
    refused(attend({"--head=-1"}), 2, "heads count from 0: 0 to 1");
    refused(attend({"--head", "two"}), 2, "--head: expected a head's number, 0 to 1, or mean");
    refused(attend({"--format", "npy"}), 2, "--out FILE.npy");
    refused(attend({"--format", "xml"}), 2, "xml");
    refused(attend({}, ""), 2, "--text: expected at least one character");
    refused(attend({}, "小猫坐在窗台上看雨小猫坐在窗台上看雨"), 2,
            "--text has 18 tokens, but this model's context is 16");
    refused(attend({"--checkpoint", "nowhere.safetensors"}), 1, "nowhere.safetensors");
    refused(run_program({"attend", tiny_run().run}), 2, "--text");
    refused(run_program({"attend", "no such run", "--text", "小"}), 1, "no such run");
    refused(attend({"--format", "csv", "--out", "/no/such/folder/a.csv"}), 1, "/no/such/folder");
}
