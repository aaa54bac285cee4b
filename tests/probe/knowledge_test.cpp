// From margins and weights to what is known of a rule, and since when.
#include "probe/knowledge.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "formats/sheet_format.h"
#include "model/config.h"
#include "probe/ask.h"
#include "support/close.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

constexpr ProbeKind kSeen = ProbeKind::seen, kNew = ProbeKind::combination;

Question question(std::size_t rule, ProbeKind kind, bool names_answerer = true) {
    return {rule, kind, {}, {}, names_answerer ? 1 : -1, {0}};
}

GptConfig two_by_two() {
    GptConfig config;
    config.layers = config.heads = 2;
    return config;
}

const std::string kHeading(kProbeLogColumns);
const std::string kOldHeading = "step,rule,kind,right,margin,head,weight\n";

}  // namespace

TEST_CASE("share right, mean margin, and the head with the largest mean weight over new probes") {
    const Questions questions{{{"a", "a"}, {"b", "b"}},
                              {question(0, kSeen), question(0, kNew), question(0, kNew),
                               question(0, kNew, false), question(1, kSeen)},
                              0};
    const Answers answers{{1, 2, 0, -0.5, 3},
                          {9,   9,   9,   9,    // seen: does not count
                           0.9, 0.1, 0.5, 0.1,  // the mean is 0.45, 0.15, 0.7, 0.1
                           0.0, 0.2, 0.9, 0.1,  //
                           0,   0,   0,   0,    // names no answerer: does not count
                           1,   1,   1,   1}};
    const std::vector<Knowledge> all = knowledge(questions, answers, two_by_two());
    REQUIRE(all.size() == 2);
    CHECK(all[0].seen->right == 1);
    CHECK(all[0].unseen->right == doctest::Approx(1.0 / 3));  // a margin of 0 is not right
    CHECK(all[0].unseen->margin == 0.5);
    CHECK(all[0].head == ModelPart{1, 0});
    CHECK(all[0].head->name() == "1.0");
    CHECK(close(all[0].weight, 0.7, 1e-12));
    CHECK(!all[0].known());
    CHECK(!all[1].unseen);
    CHECK(!all[1].head);
    CHECK(all[1].known());  // of what was asked
}

TEST_CASE("a good mean does not hide an answer that is always wrong") {
    // 300 sums: 两 is asked twelve times and never right, 三 the other times with one mistake. The
    // mean, 96 %, says neither.
    Questions questions{{{"sums", "加和减"}}, {}, 0};
    Answers answers;
    for (Index q = 0; q < 300; ++q) {
        questions.all.push_back(question(0, q % 2 == 0 ? kSeen : kNew, false));
        questions.all.back().right = q < 12 ? "两" : "三";
        answers.margins.push_back(q < 13 ? -1 : 1);
    }
    answers.weights = Numbers(1300);
    const auto known = [&] { return knowledge(questions, answers, two_by_two())[0]; };
    REQUIRE(known().worst);
    CHECK(known().worst->said() == "两 0/12");
    CHECK(known().seen->right > 0.95);
    CHECK(!known().known());
    for (Index q = 0; q < 9; ++q) answers.margins[q] = 1;
    CHECK(known().worst->said() == "两 9/12");  // 75 %
    CHECK(known().known());
    for (Index q = 9; q < 12; ++q) answers.margins[q] = 1;
    CHECK(known().worst->said() == "三 287/288");
    answers.margins[12] = 1;
    CHECK(!known().worst);  // all are right
    // Answers that are asked fewer than twelve times count together.
    for (Index q = 0; q < 4; ++q) {
        questions.all[q].right = q < 2 ? "一" : "四";
        answers.margins[q] = -1;
    }
    CHECK(known().worst->said() == "others 8/12");
    CHECK(in_chinese([&] { return known().worst->said(); }) == "其余 8/12");
    // A form in which nothing is told belongs to neither, and is a column of its own.
    questions.all.push_back(question(0, ProbeKind::form, false));
    questions.all.back().right = "两";
    answers.margins.push_back(-1);
    CHECK(known().form->right == 0);
    CHECK(known().worst->asked == 12);
}

TEST_CASE("known since: the first evaluation from which on seen and new both stay at 0.9") {
    const ProbeHistory history =
        parse_probe_log(kOldHeading +
                            "0,a,seen,0.5,-1,,\n0,a,new,0.4,-1.5,0.1,0.25\n"
                            "10,a,seen,1,2,,\n10,a,new,0.9,1,0.1,0.5\n"
                            "20,a,seen,1,2,,\n20,a,new,0.85,1,1.0,0.5\n"
                            "20,b,seen,0.1,2,,\n"
                            "30,a,seen,0.9,2,,\n30,a,new,0.95,1,1.0,0.75\n30,b,seen,1,2,,\n"
                            "40,a,seen,1,2,,\n40,a,new,1,1,1.0,0.75\n40,b,seen,0.8,2,,\n",
                        "probes.csv");
    REQUIRE(history.evaluations.size() == 5);
    CHECK(history.rules == std::vector<std::string>{"a", "b"});
    CHECK(history.known_since("a") == 30);
    CHECK(!history.known_since("b"));
    CHECK(!history.known_since("c"));
    CHECK(history.evaluations[3].rules[0].head == ModelPart{1, 0});
    CHECK(history.evaluations[3].rules[0].weight == 0.75);
    CHECK(history.evaluations[0].rules[0].unseen->margin == -1.5);
}

TEST_CASE("a broken probes.csv names the line") {
    const auto complaint = [](const std::string& csv) {
        try {
            parse_probe_log(csv, "probes.csv");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(complaint("") == "");
    CHECK(complaint(kHeading) == "");
    CHECK(complaint(kHeading + "0,a,seen,1,2,,,,\n0,a,new,1,2,1.0,0.5,0.ffn,45\n") == "");
    CHECK(complaint(kOldHeading + "0,a,seen,1,2,,\n") == "");
    CHECK(complaint(kHeading + "0,a,form,1,2,,,,,,,\n0,a,new,1,2,,,,,3,12,一,二\n") == "");
    CHECK(has(complaint("step\n"), "probes.csv:1: expected the names"));
    for (const char* row :
         {"0,a,seen,1,2,,", "x,a,seen,1,2,,\n", "0,,seen,1,2,,\n", "0,a,old,1,2,,\n",
          "0,a,seen,,2,,\n", "0,a,seen,1,2,\n", "0,a,new,1,2,3,0.5\n", "0,a,new,1,2,0.0,\n",
          "0,a,new,1,2,,0.5\n", "0,a,new,1,2,0.ffn,0.5,,\n", "0,a,new,1,2,0.0,0.5,0.ff,5\n",
          "0,a,new,1,2,0.0,0.5,,5\n", "0,a,new,1,2,,,,,x,12,两\n"})
        CHECK(has(complaint(kHeading + row), "probes.csv:2: expected a whole row"));
    CHECK(has(complaint(kHeading + "5,a,seen,1,2,,\n4,a,seen,1,2,,\n"), "probes.csv:3"));
}

TEST_CASE("the table of rules and its JSON: what is not known is a dash and null") {
    const std::vector<Text> rules{{"he, she, it", "他/她/它"}, {"b", "b"}};
    const std::vector<Knowledge> all{
        {Answered{1, 2.5}, Answered{0.955, 1}, Answered{0.5, 0.25}, ModelPart{1, 3}, 0.84,
         Carrier{{0, {}}, 55}, OneAnswer{"两", 0, 12}},
        {}};
    const ProbeHistory history = parse_probe_log(kHeading + "600,他/她/它,seen,1,2,,\n", "csv");
    const auto sheet = [&] {
        Sheet made;
        add_rules(made, rules, all, &history);
        return made;
    };
    const std::string chinese = in_chinese([&] { return sheet_as_terminal(sheet(), {}); });
    CHECK(has(chinese, "他/她/它"));
    CHECK(has(chinese, "第 600 步"));
    const std::string english = sheet_as_terminal(sheet(), {});
    CHECK(has(english, "he, she, it     100    2.50     96    1.00 "));
    CHECK(has(english, " 50  两 0/12 "));
    CHECK(has(english, "step 600\n"));
    CHECK(has(english, "b                 –"));
    const Json json = parse_json(sheet_as_json(sheet()), "rules").at("rules");
    CHECK(json.items()[0].write() == R"({"rule": "他/她/它", "seen": {"right": 1, "margin": 2.5}, )"
                                     R"("new": {"right": 0.955, "margin": 1}, )"
                                     R"("form": {"right": 0.5, "margin": 0.25}, )"
                                     R"("worst": {"answer": "两", "right": 0, "asked": 12}, )"
                                     R"("looks": {"head": [1, 3], "weight": 0.84}, )"
                                     R"("carries": {"part": "0.ffn", "points": 55}, )"
                                     R"("known_since": 600})");
    CHECK(json.items()[1].write() == R"({"rule": "b", "seen": null, "new": null, "form": null, )"
                                     R"("worst": null, "looks": null, "carries": null, )"
                                     R"("known_since": null})");
}

TEST_CASE("what looks and what carries are two measurements, and probes.csv keeps both") {
    // One rule, two blocks of two heads and an FFN each. Head 1.0 has all the weight; without it
    // nothing is lost. Head 0.1 and the FFN of block 0 cost as many points, the FFN more margin.
    const Ablation ablation{2, 2, {{0, 0.2}, {45, 3}, {45, 4}, {0, 0}, {-5, -1}, {10, 1}}};
    std::vector<Knowledge> rules{
        {Answered{1, 2}, Answered{1, 2}, Answered{0.5, 1}, ModelPart{1, 0}, 0.99}};
    rules[0].worst = OneAnswer{"两, 二", 9, 12};
    add_carriers(rules, ablation);
    CHECK(rules[0].carries == Carrier{{0, {}}, 45});
    const std::string rows = probe_log_rows({600, rules}, {"a"});
    CHECK(rows ==
          "600,a,seen,1,2,,,,,,,\n600,a,new,1,2,1.0,0.99,0.ffn,45,9,12,两, 二\n"
          "600,a,form,0.5,1,,,,,,,\n");
    const ProbeHistory again = parse_probe_log(kHeading + rows, "probes.csv");
    CHECK(again.evaluations[0].rules[0].carries == rules[0].carries);
    CHECK(again.evaluations[0].rules[0].head == rules[0].head);
    CHECK(again.evaluations[0].rules[0].worst->said() == "两, 二 9/12");
    CHECK(again.evaluations[0].rules[0].form->right == 0.5);

    rules = {{Answered{1, 2}, {}, {}, {}}};
    add_carriers(rules, {2, 2, std::vector<Lost>(6)});  // no part alone matters
    CHECK(!rules[0].carries);
    rules[0].carries = Carrier{{1, 1}, 5};  // no new probes: it stands with the seen ones
    CHECK(probe_log_rows({600, rules}, {"a"}) == "600,a,seen,1,2,,,1.1,5,,,\n");
}
