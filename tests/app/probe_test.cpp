// zhuyi probe, as the program that is built.
#include <doctest/doctest.h>

#include "formats/json.h"
#include "support/desk.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

const char* const kThreeProbes =
    "# 甲 = first\n"
    "甲 | seen | 小 | 猫 | 狗 | 0, 0-0\n"
    "甲 | new | 小猫 | 吃 | 看, 走 | 1, 0-1\n"
    "乙 | new | 小猫吃鱼小猫吃鱼小猫吃鱼小猫吃鱼小 | 猫 | 狗\n";  // 17 characters

}  // namespace

TEST_CASE("probe: a table of rules, and the same as JSON") {
    REQUIRE(tiny_run().training.code == 0);
    const ScratchFolder folder;
    const std::string probes = folder.write("probes.txt", kThreeProbes);
    const Outcome table = run_program({"probe", tiny_run().run, "--probes", probes});
    CHECK(table.code == 0);
    CHECK(has(table.out, "2 probes"));
    CHECK(has(table.out, "first"));
    CHECK(has(table.err,
              "1 of 3 probes are left out: they are longer than this model's context, 16"));
    CHECK(
        has(run_program({"probe", tiny_run().run, "--probes", probes, "--lang", "zh"}).out, "甲"));

    const Outcome written = run_program({"probe", tiny_run().run, "--probes", probes, "--json"});
    const Json json = parse_json(written.out, "probe");
    const Json::Array& rules = json.at("rules").items();
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].at("rule").text() == "甲");
    CHECK(rules[0].at("looks").at("head").items().size() == 2);
    CHECK(rules[0].at("looks").at("weight").number() >
          0.99);  // all positions answer: the row sums to 1
    CHECK(rules[0].at("known_since").is_null());
    CHECK(rules[1].at("new").is_null());
}

TEST_CASE("probe: the run's own probes, and how it came to know them") {
    const std::string run = tiny_run().run;
    const Outcome table = run_program({"probe", run, "--checkpoint", "last"});
    CHECK(has(table.out, "last.safetensors, step 2, 3 probes"));
    CHECK(has(table.out, "known since"));
    // The table at the end of the training is the same.
    CHECK(has(tiny_run().training.err, table.out.substr(table.out.find("  rule"))));

    const Outcome all = run_program({"probe", run, "--step", "all"});
    CHECK(has(all.out, "seen %"));
    CHECK(has(all.out, "new %"));
    const Json steps = parse_json(run_program({"probe", run, "--step", "all", "--json"}).out, "p");
    REQUIRE(steps.at("steps").items().size() == 3);
    const Json& last = steps.at("steps").items()[2];
    CHECK(last.at("step").integer() == 2);
    const Json now =
        parse_json(run_program({"probe", run, "--checkpoint", "last", "--json"}).out, "p");
    for (std::size_t rule = 0; rule < 2; ++rule)
        for (const char* key :
             {"rule", "seen", "new", "form", "worst", "looks", "carries", "known_since"})
            CHECK(last.at("rules").items()[rule].at(key).write() ==
                  now.at("rules").items()[rule].at(key).write());
}

TEST_CASE("probes.csv: the same bytes for every thread count and instruction set") {
    const Desk desk;
    const std::string probes = desk.folder.write("probes.txt", kTinyProbes);
    std::string first;
    for (const char* how : {"ZHUYI_ISA=portable T=1", "ZHUYI_ISA=avx2 T=3", "T=2"}) {
        const std::string run = "run " + std::to_string(how[std::string_view(how).size() - 1]);
        const Outcome outcome =
            run_shell("export " + std::string(how) + "; " +
                      desk.line(run, {"--steps", "3", "--probes", probes}) + " --threads=$T");
        if (has(outcome.err, "ZHUYI_ISA")) continue;  // this machine has it not
        REQUIRE(outcome.code == 0);
        const std::string csv = desk.read(run, "probes.csv");
        CHECK(csv.size() > 100);
        if (first.empty()) first = csv;
        CHECK(csv == first);
    }
}

TEST_CASE("probe --ablate: what each rule loses without each head and FFN") {
    const std::string run = tiny_run().run;
    const Outcome text = run_program({"probe", run, "--ablate"});
    CHECK(text.code == 0);
    CHECK(has(text.out, "head 1"));
    CHECK(has(text.out, "block 1"));
    const Json json = parse_json(run_program({"probe", run, "--ablate", "--json"}).out, "probe");
    for (const char* by : {"mean", "zero"}) {
        const Json::Array& heads = json.at("heads").at(by).at("甲").items();
        REQUIRE(heads.size() == 2);
        CHECK(heads[0].items().size() == 2);
        CHECK(json.at("ffn").at(by).at("乙").items().size() == 2);
        CHECK(json.at("margin").at("heads").at(by).at("乙").items().size() == 2);
    }
    const Json zero =
        parse_json(run_program({"probe", run, "--ablate", "--zero", "--json"}).out, "");
    CHECK(zero.at("heads").at("zero").write() == json.at("heads").at("zero").write());
    CHECK(!zero.at("heads").find("mean"));
    // Silenced by hand: the same.
    const auto margin = [](const Json& probed) {
        return probed.at("rules").items()[1].at("new").at("margin").number();
    };
    const Outcome silenced = run_program({"probe", run, "--silence", "1.0", "--json"});
    const double lost =
        json.at("margin").at("heads").at("zero").at("乙").items()[1].items()[0].number();
    CHECK(lost == doctest::Approx(margin(json) - margin(parse_json(silenced.out, "probe"))));
}

TEST_CASE("probe --silence: a head that is switched off is not the one that looks") {
    const std::string run = tiny_run().run;
    const auto looks = [&](const std::string& silenced) {
        const Outcome probed = run_program({"probe", run, "--silence", silenced, "--json"});
        const Json head = parse_json(probed.out, "probe").at("rules").items()[0].at("looks");
        return std::to_string(head.at("head").items()[0].integer()) + "." +
               std::to_string(head.at("head").items()[1].integer());
    };
    const std::string first = looks("");
    CHECK(looks(first) != first);
}

TEST_CASE("--silence: sample, eval and attend run without a head") {
    const std::string run = tiny_run().run;
    for (std::vector<std::string> command :
         {std::vector<std::string>{"sample", run, "--prompt", "小", "--tokens", "30"},
          {"eval", run, "--json"},
          {"attend", run, "--text", "小猫坐在", "--format", "csv"}}) {
        const Outcome whole = run_program(command);
        command.insert(command.end(), {"--silence", "0.0,0.1,0.ffn"});
        const Outcome silenced = run_program(command);
        CHECK(silenced.code == 0);
        CHECK(silenced.out != whole.out);
        command.back() = "2.0";
        refused(run_program(command), 2, "--silence: expected heads and FFNs of this model");
    }
}

TEST_CASE("probe: what cannot be tested says why") {
    const ScratchFolder folder;
    const auto refused = [&](std::vector<std::string> more, int code, const std::string& part) {
        more.insert(more.begin(), {"probe", tiny_run().run});
        const Outcome outcome = run_program(more);
        CAPTURE(outcome.err);
        CHECK(outcome.code == code);
        CHECK(outcome.out == "");
        CHECK(has(outcome.err, part));
    };
    refused({"--probes", folder.path("none.txt")}, 1, "none.txt");
    const std::string good = folder.write("probes.txt", kThreeProbes);
    refused({"--probes", good, "--step", "all"}, 1, "no probes.csv");
    Desk desk;
    REQUIRE(desk.train("without", {"--steps", "1"}).code == 0);
    CHECK(has(run_program({"probe", desk.folder.path("without")}).err, "trained without probes"));
    refused({"--probes", good, "--step", "3"}, 2, "expected all, found \"3\"");
    refused({"--probes", folder.write("bad.txt", "甲 | new | 小\n")}, 1,
            "bad.txt:1: expected 5 or 6");
}
