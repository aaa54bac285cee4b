// zhuyi eval, as the program that is built.
#include <doctest/doctest.h>

#include <cmath>

#include "formats/json.h"
#include "support/close.h"
#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

Json scores(std::vector<std::string> more) {
    more.insert(more.begin(), {"eval", tiny_run().run, "--json"});
    return parse_json(run_program(more).out, "eval");
}

}  // namespace

TEST_CASE("eval: a character of three byte tokens is one character") {
    REQUIRE(tiny_run().training.code == 0);
    const ScratchFolder folder;
    // 麒 and 麟 are not in the vocabulary; the end of the document counts as a character
    const Json json = scores({"--data", folder.write("a.txt", "小麒麟\n")});
    CHECK(json.at("tokens").integer() == 1 + 3 + 3 + 1);
    CHECK(json.at("characters").integer() == 4);
    const double per_token = json.at("nats_per_token").number();
    const double per_character = json.at("nats_per_character").number();
    CHECK(close(per_character, per_token * 8 / 4, 1e-9));
    CHECK(close(json.at("bits_per_character").number(), per_character / std::log(2), 1e-9));
    CHECK(close(json.at("perplexity_per_character").number(), std::exp(per_character), 0, 1e-9));
}

TEST_CASE("eval: a model that knows nothing is as unsure as its vocabulary is large") {
    const Json json = scores({"--checkpoint", "first", "--data", tiny_run().text});
    CHECK(json.at("step").integer() == 0);
    const double vocabulary = 257 + 30;  // tokens and bytes, near enough for a logarithm
    CHECK(close(json.at("nats_per_token").number(), std::log(vocabulary), 0.15));
}

TEST_CASE("eval: without --data the validation part of the run's own text") {
    const Outcome outcome = run_program({"eval", tiny_run().run});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, "validation part of " + tiny_run().text));
    CHECK(has(outcome.out, "bits per character"));
    CHECK(has(run_program({"eval", tiny_run().run, "--lang", "zh"}).out, "困惑度"));
    const Index part = scores({}).at("tokens").integer();
    CHECK(part > 1);
    CHECK(part < scores({"--data", tiny_run().text}).at("tokens").integer());
}

TEST_CASE("eval --by document: every token is predicted, and the floor of the text is shown") {
    const ScratchFolder folder;
    const std::string text = folder.write("a.txt", "小猫坐在窗台上。\n\n雨。\n");
    const Json plain = scores({"--data", text, "--by", "document"});
    CHECK(plain.at("by").text() == "document");
    CHECK(plain.find("floor") == nullptr);
    CHECK(plain.at("nats_per_token").number() !=
          scores({"--data", text}).at("nats_per_token").number());
    const Json data = parse_json(run_program({"data", text, "--json"}).out, "data");
    folder.write("a.floor", "# of a test\ntext_hash = " + data.at("hash").text() +
                                "\nnats_per_character = 0.25\n");
    CHECK(scores({"--data", text, "--by", "document"}).at("floor").number() == 0.25);
    CHECK(scores({"--data", text}).find("floor") == nullptr);  // windows: not to be compared
    CHECK(has(run_program({"eval", tiny_run().run, "--data", text, "--by", "document"}).out,
              "no model can be below"));
    CHECK(has(run_program({"data", text}).out, "no model can be below"));
    folder.write("a.txt", "小猫坐在窗台上。\n\n雪。\n");  // another text
    CHECK(scores({"--data", text, "--by", "document"}).find("floor") == nullptr);
    folder.write("a.floor", "nats = 1\n");
    CHECK(run_program({"data", text}).code == 2);
}

TEST_CASE("eval: what cannot be measured says why") {
    const ScratchFolder folder;
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
        const Outcome outcome = run_program(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code != 0);
        CHECK(outcome.out == "");
        CHECK(has(outcome.err, part));
    };
    refused({"eval"}, "eval takes one RUN");
    refused({"eval", "no such run"}, "no such run");
    refused({"eval", tiny_run().run, "--data", "nowhere.txt"}, "nowhere.txt");
    refused({"eval", tiny_run().run, "--data", folder.write("empty.txt", "")}, "empty");
    refused({"eval", tiny_run().run, "--data", folder.write("bad.txt", "小\xff")}, "bad.txt");
}
