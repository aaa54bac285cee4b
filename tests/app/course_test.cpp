// zhuyi course, as the program that is built: what it names is typed in.
#include <doctest/doctest.h>

#include "formats/json.h"
#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

// A run of the village, of the demo's kind but hardly trained.
struct SmallVillage {
    ScratchFolder folder;
    std::string run = folder.path("run");
    Outcome training = run_program({"train", "configs/village.conf", "--out", run, "--steps", "3",
                                    "--channels", "16", "--heads", "2", "--layers", "2", "--batch",
                                    "2", "--eval-tokens", "256", "--context", "64"});
};

}  // namespace

TEST_CASE("course: every command that it names works, from the first chapter to the last") {
    const SmallVillage village;
    REQUIRE(village.training.code == 0);
    const Outcome course =
        run_program({"course", "all", "--run", village.run, "--format", "json", "--lang", "zh"});
    REQUIRE(course.code == 0);
    CHECK(course.err == "");
    std::vector<std::string> commands;
    const Json json = parse_json(course.out, "stdout");
    for (const Json& section : json.at("sections").items())
        for (const Json& item : section.at("items").items())
            if (const Json* formula = item.find("formula"))
                for (const std::string called : {"zhuyi ", "build/zhuyi "})
                    if (formula->text().starts_with(called))
                        commands.push_back("\"$ZHUYI\" " + formula->text().substr(called.size()));
    CHECK(commands.size() > 60);
    std::string done = "\n";
    for (std::string command : commands) {
        if (has(done, "\n" + command + "\n")) continue;
        done += command + "\n";
        // as a shell would; trainings as small as this run's
        if (has(command, " train ") || has(command, " compare "))
            command +=
                " --channels 16 --heads 2 --layers 2 --batch 2 --eval-tokens 256 --context 64";
        CAPTURE(command);
        const Outcome outcome = run_shell(command);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
    }
}

TEST_CASE("course: the list of its parts, and one of them in each form") {
    REQUIRE(tiny_run().training.code == 0);
    const Outcome list = run_program({"course", "--run", tiny_run().run, "--lang", "zh"});
    CHECK(list.code == 0);
    CHECK(has(list.out, "9.7"));
    CHECK(has(list.out, "zhuyi course errata"));
    CHECK(has(run_program({"course", "9.6", "--run", tiny_run().run, "--format", "markdown"}).out,
              "E13"));
    const Outcome unknown = run_program({"course", "3", "--run", tiny_run().run, "--lang", "zh"});
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "课程里没有"));
}

TEST_CASE(
    "course --lesson: one printable page; the head that is switched off is chosen by number") {
    const std::string run = tiny_run().run;
    const Outcome page = run_program({"course", "--lesson", "--run", run, "--format", "html"});
    CHECK(page.code == 0);
    CHECK(has(page.out, "<html"));
    CHECK(has(page.out, "lesson.8"));
    CHECK(!has(page.out, "http"));
    CHECK(run_program({"course", "lesson", "--run", run, "--format", "html"}).out == page.out);
    CHECK(run_program({"course", "9", "--lesson", "--run", run}).code == 2);

    const SmallVillage village;
    const auto shown = [&](std::vector<std::string> words) { return run_program(words).out; };
    const std::string lesson = shown({"course", "--lesson", "--run", village.run});
    const std::size_t at = lesson.find("--silence ");
    REQUIRE(at != lesson.npos);
    const std::string head = lesson.substr(at + std::string("--silence ").size(), 3);
    // No other head lowers ln p(萝) more.
    const std::string probes = village.folder.write(
        "cat.txt", "cat | seen | 早上，小兔饿了，它想吃 | 萝 | 鱼, 骨, 青, 小, 虫, 得 | 10, 3-4\n");
    const Json lost =
        parse_json(
            shown({"probe", village.run, "--probes", probes, "--ablate", "--zero", "--json"}),
            "probe")
            .at("margin")
            .at("heads")
            .at("zero")
            .at("cat");
    const double most =
        lost.items()[std::size_t(head[0] - '0')].items()[std::size_t(head[2] - '0')].number();
    for (const Json& block : lost.items())
        for (const Json& other : block.items()) CHECK(other.number() <= most);
}

TEST_CASE("course: without a run it says make demo, and shows what needs none") {
    const Outcome none = run_shell("cd / && \"$ZHUYI\" course errata --lang zh");
    CHECK(none.code == 0);
    CHECK(has(none.err, "make demo"));
    CHECK(has(none.out, "E13 · 第 9 章 9.6"));
    const Outcome named = run_shell("cd / && \"$ZHUYI\" course --run no --lang zh");
    CHECK(named.code == 1);
    CHECK(has(named.err, "没有这个目录"));
}

TEST_CASE("explain --example --printed: beside the right numbers") {
    const Outcome printed = run_program({"explain", "--example", "--printed", "--lang", "zh"});
    CHECK(printed.code == 0);
    CHECK(has(printed.out, "0.58  0.90"));
    CHECK(has(printed.out, "0.4000  0.5400"));
    CHECK(has(printed.out, "0.8215"));
    CHECK(has(printed.out, "第一处错在 Q[吃]"));
}
