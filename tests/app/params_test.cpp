// zhuyi params, as the program that is built.
#include <doctest/doctest.h>

#include "formats/json.h"
#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

Json sizes(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "params");
    arguments.push_back("--json");
    return parse_json(run_program(arguments).out, "params");
}

}  // namespace

TEST_CASE("params: GPT-2 in its sizes, and a GPT-3 that fits no machine") {
    CHECK(has(run_program({"params", "configs/gpt2.conf"}).out, "124,439,808"));
    const auto all = [](std::vector<std::string> arguments) {
        return sizes(std::move(arguments)).at("totals").at("all").integer();
    };
    CHECK(all({"configs/gpt2.conf", "--channels", "1024", "--heads", "16", "--layers", "24"}) ==
          354'823'168);
    CHECK(all({"configs/gpt2.conf", "--channels", "1280", "--heads", "20", "--layers", "36"}) ==
          774'030'080);
    const Json gpt3 = sizes({"configs/gpt3.conf"});
    CHECK(gpt3.at("totals").at("token_embedding").integer() == 617'558'016);
    for (const char* matrix : {"W_Q", "W_K", "W_V", "W_O"})
        CHECK(gpt3.at("totals").at(matrix).integer() == 14'495'514'624);
    CHECK(has(run_program({"params", "configs/gpt3.conf", "--tokens", "1000"}).out,
              "[1, 96, 1000, 128] → [1, 1000, 12288]"));
}

TEST_CASE("params: the course's shapes and matrices") {
    const Outcome course = run_program({"params", "configs/course.conf", "--lang", "zh"});
    CHECK(course.code == 0);
    CHECK(has(course.out, "12,582,912"));
    CHECK(has(course.out, "[4, 4, 16, 128] → [4, 16, 512]"));
}

TEST_CASE("params: rotary positions have no weights, and turn Q and K where the heads are") {
    const std::vector<std::string> rotary{"configs/course.conf", "--position", "rotary"};
    const Json learned = sizes({"configs/course.conf"}), turned = sizes(rotary);
    const auto total = [](const Json& json, const char* kind) {
        const Json* found = json.at("totals").find(kind);
        return found ? found->integer() : 0;
    };
    CHECK(total(turned, "position_embedding") == 0);
    CHECK(total(learned, "all") - total(turned, "all") == total(learned, "position_embedding"));
    CHECK(turned.at("model").at("position").text() == "rotary");
    const std::string out = run_program({"params", rotary[0], rotary[1], rotary[2]}).out;
    CHECK(has(out, "q and k are turned, not learned"));
    CHECK(has(out, "turn Q and K by their positions"));
    CHECK(!has(out, "add positions"));
}

TEST_CASE("params: the vocabulary comes from the text, where there is one") {
    const ScratchFolder folder;
    const std::string text = folder.write("text.txt", "小猫小猫小猫小猫小猫\n");
    const std::string config = folder.write("a.conf", "split = tail\nmin_count = 1\n");
    const Outcome with = run_program({"params", config, "--data", text});
    CHECK(has(with.err, "259 tokens"));
    CHECK(has(with.out, "[259, 128]"));
    const Outcome without = run_program({"params", config});
    CHECK(without.code == 0);
    CHECK(without.err == "");
    CHECK(has(without.out, "from the text, which is not here"));
}

TEST_CASE("params: of a run") {
    const TinyRun tiny;
    REQUIRE(tiny.training.code == 0);
    const Outcome outcome = run_program({"params", tiny.run});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, "channels C = 16"));
    CHECK(!has(outcome.out, "not here"));
}

TEST_CASE("params: contradictions are refused with what would do") {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
        const Outcome outcome = run_program(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code != 0);
        CHECK(outcome.out == "");
        CHECK(has(outcome.err, part));
    };
    refused({"params"}, "params takes one CONFIG or RUN");
    refused({"params", "nowhere.conf"}, "nowhere.conf");
    refused({"params", "configs/gpt2.conf", "--heads", "7"}, "Try --heads=6 or --heads=8");
    refused({"params", "configs/gpt2.conf", "--chanels", "64"}, "channels");
    refused({"params", "configs/gpt2.conf", "--tokens", "2000"}, "the context is 1024");
    refused({"params", "configs/gpt2.conf", "--channels", "1048576", "--heads", "16", "--layers",
             "65536", "--ffn", "1000000000000"},
            "weights; params counts up to");
}

TEST_CASE("params: every configuration that comes with zhuyi gives each option its reason") {
    for (const char* name : {"course", "gpt2", "gpt3", "overfit", "shakespeare"}) {
        const std::string path = std::string("configs/") + name + ".conf";
        CAPTURE(path);
        CHECK(run_program({"params", path}).code == 0);
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            CAPTURE(line);
            if (has(line, " = ") && line[0] != '#') CHECK(has(line, "#"));
        }
    }
}
