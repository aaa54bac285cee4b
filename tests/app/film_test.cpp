// The commands that play a run back: neighbors, watch, report, attend --step.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <sstream>

#include "support/has.h"
#include "support/program.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

// One run for all of these cases: two dozen steps of a model that fits a page.
const std::string& run_folder() {
    static const ScratchFolder scratch;
    static const std::string folder = [] {
        std::string text;
        for (int i = 0; i < 60; ++i)
            text += "小猫吃鱼，大狗睡觉。小狗看见大猫，他笑了。第" + std::to_string(i) +
                    "天也一样。\n\n";
        const std::string run = scratch.path("小 猫");
        const Outcome trained = run_program(
            {"train", scratch.write("text.txt", text), "--out", run, "--steps=24", "--context=16",
             "--channels=16", "--heads=2", "--layers=2", "--batch=4", "--warmup=4",
             "--eval-every=12", "--threads=1", "--history-sentences=小猫吃鱼，|大狗睡觉"});
        if (trained.code != 0) throw std::runtime_error(trained.err);
        return run;
    }();
    return folder;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("neighbors: now, at a step, and all along") {
    const Outcome now = run_program({"neighbors", run_folder(), "小", "--count=3"});
    REQUIRE(now.code == 0);
    CHECK(lines_of(now.out).size() == 2 + 3);  // a title, an empty line

    const Outcome all = run_program({"neighbors", run_folder(), "小", "--step=all"});
    REQUIRE(all.code == 0);
    const std::vector<std::string> lines = lines_of(all.out);
    CHECK(lines.size() == 3 + 25);  // a title, a heading, then steps 0 to 24
    const Outcome last = run_program({"neighbors", run_folder(), "小", "--step=24"});
    const auto words_of = [](const std::string& line) {  // columns are as wide as they need
        std::istringstream stream(line);
        return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
    };
    CHECK(words_of(lines_of(last.out).back()) == words_of(lines.back()));
}

TEST_CASE("neighbors: what cannot be asked") {
    const Outcome step = run_program({"neighbors", run_folder(), "小", "--step=25"});
    CHECK(step.code == 2);
    CHECK(holds(step.err, "0, 1, 2"));
    const Outcome two = run_program({"neighbors", run_folder(), "小猫"});
    CHECK(two.code == 2);
    CHECK(holds(two.err, "2 tokens"));
    CHECK(run_program({"neighbors", run_folder()}).code == 2);
}

TEST_CASE("watch: what a character went through") {
    const Outcome watched = run_program({"watch", run_folder(), "--token=小", "--components=2"});
    REQUIRE(watched.code == 0);
    const std::vector<std::string> lines = lines_of(watched.out);
    std::istringstream first(lines[lines.size() - 25]), last(lines.back());
    std::vector<double> begin(9),
        end(9);  // step, ‖ΔE‖, from start, met, cosine, lookup, head, E[0], E[1]
    for (double& number : begin) first >> number;
    for (double& number : end) last >> number;
    REQUIRE(first);
    REQUIRE(last);
    CHECK(begin[0] == 0);
    CHECK(begin[2] == 0);
    CHECK(begin[4] == 1);
    CHECK(end[0] == 24);
    CHECK(end[2] > 0);
    CHECK(end[4] < 1);
    CHECK(end[7] != begin[7]);
    CHECK(run_program({"watch", run_folder()}).code == 2);
}

TEST_CASE("attend --step: a filmed sentence then, and as it is now") {
    const auto attend = [](const std::string& text, const std::string& step) {
        return run_program(
            {"attend", run_folder(), "--text", text, "--step", step, "--format=csv"});
    };
    const Outcome then = attend("小猫吃鱼，", "0"), now = attend("小猫吃鱼，", "24");
    REQUIRE(then.code == 0);
    REQUIRE(now.code == 0);
    CHECK(then.out != now.out);
    CHECK(lines_of(now.out).size() == 1 + 2 * 2 * 5 * 5);
    const Outcome other = attend("小狗", "24");
    CHECK(other.code == 2);
    CHECK(holds(other.err, "大狗睡觉"));
    CHECK(attend("小猫吃鱼，", "100").code == 2);
}

TEST_CASE("attend: pictures") {
    for (const char* format : {"svg", "html"}) {
        CAPTURE(format);
        const Outcome all =
            run_program({"attend", run_folder(), "--text=小猫吃鱼，", "--format", format});
        REQUIRE(all.code == 0);
        CHECK(holds(all.out, "<svg "));
        CHECK(holds(all.out, "head 1"));
        const Outcome one = run_program({"attend", run_folder(), "--text=小猫吃鱼，", "--layer=1",
                                         "--head=0", "--lang=zh", "--format", format});
        CHECK(holds(one.out, "<title>鱼 → 猫 0."));
        CHECK(holds(one.out, "被看的字"));
    }
}

TEST_CASE("report: one file that asks for nothing") {
    const std::string page = run_folder() + "/report.html";
    REQUIRE(std::filesystem::exists(page));  // train leaves one
    std::filesystem::remove(page);
    const Outcome made = run_program({"report", run_folder(), "--with", run_folder()});
    REQUIRE(made.code == 0);
    CHECK(made.out == page + "\n");
    CHECK(std::filesystem::file_size(page) < 10'000'000);
    for (const char* part : {"snapshots of the model", "attention of the watched", "together"})
        CHECK(holds(made.err, part));  // what fills it
    CHECK(run_program({"report", run_folder() + "/none"}).code == 1);
    CHECK(run_program({"report"}).code == 2);
}

TEST_CASE("report: the text is in the page, and this is said, unless report_text = no") {
    const ScratchFolder scratch;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "小猫吃鱼，大狗睡觉，第" + std::to_string(i) + "天。\n\n";
    const std::string data = scratch.write("text.txt", text);
    const auto page_of = [&](const char* wish) {
        const Outcome made =
            run_program({"train", data, "--out", scratch.path(wish), "--steps=2", "--context=16",
                         "--channels=16", "--heads=2", "--layers=1", "--batch=2", "--threads=1",
                         std::string("--report-text=") + wish});
        CHECK(made.code == 0);
        CHECK(has(made.err, "it holds the text") == has(wish, "yes"));
        return scratch.read(std::string(wish) + "/report.html");
    };
    CHECK(has(page_of("yes"), "\"texts\""));
    CHECK(!has(page_of("no"), "\"texts\""));
}

TEST_CASE("report: from another folder the text is not found, and the last line says so") {
    const ScratchFolder scratch;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "小猫吃鱼，大狗睡觉，第" + std::to_string(i) + "天。\n\n";
    scratch.write("text.txt", text);
    const auto in_shell = [&](const std::string& commands) {
        return run_shell("cd " + shell_quoted(scratch.path("")) + " && " + commands);
    };
    REQUIRE(in_shell("\"$ZHUYI\" train text.txt --out run --steps 2 --context 16 --channels 16 "
                     "--heads 2 --layers 1 --batch 2 --threads 1")
                .code == 0);
    const auto last_line = [&](const std::string& commands) {
        const Outcome outcome = in_shell(commands);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        const std::vector<std::string> lines = lines_of(outcome.err);
        REQUIRE(!lines.empty());
        return lines.back();
    };
    CHECK(holds(last_line("\"$ZHUYI\" report run --lang en"), "together"));
    CHECK(holds(scratch.read("run/report.html"), "\"texts\""));
    const std::string elsewhere = "mkdir -p other && cd other && \"$ZHUYI\" report ../run --lang ";
    const std::string missing = last_line(elsewhere + "en");
    for (const char* part : {"without the text", "from nothing", "data = text.txt",
                             "other/text.txt", "in the folder where the training was started"})
        CHECK(holds(missing, part));
    CHECK(!holds(scratch.read("run/report.html"), "\"texts\""));
    CHECK(holds(last_line(elsewhere + "zh"), "网页里没有训练文本"));
    scratch.write("other/text.txt", text + text);
    CHECK(holds(last_line(elsewhere + "en"), "another text"));
}

TEST_CASE("train --history=off leaves no film, and the report says so") {
    const ScratchFolder scratch;
    std::string text;
    for (int i = 0; i < 40; ++i) text += "小猫吃鱼，大狗睡觉。\n";
    const std::string run = scratch.path("run");
    REQUIRE(run_program({"train", scratch.write("text.txt", text), "--out", run, "--steps=2",
                         "--context=8", "--channels=8", "--heads=1", "--layers=1", "--history=off"})
                .code == 0);
    CHECK(!std::filesystem::exists(run + "/history.bin"));
    CHECK(!std::filesystem::exists(run + "/report.html"));
    const Outcome report = run_program({"report", run});
    CHECK(report.code == 1);
    CHECK(holds(report.err, "history = off"));
}

// The training is held up, so that it cannot be over before anybody has looked.
TEST_CASE("report --follow: the film so far, in a page that reloads itself until the run is over") {
    const ScratchFolder scratch;
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "小猫吃鱼，大狗睡觉。第" + std::to_string(i) + "天也一样。\n\n";
    scratch.write("text.txt", text);
    const Outcome outcome = run_shell("cd " + shell_quoted(scratch.path("")) + R"(
        wait_for() {
            n=0
            until "$@" 2>/dev/null; do
                n=$((n + 1)); test $n -lt 1000 || return 1
                sleep 0.01
            done
        }
        some_steps() { test $(wc -l < run/metrics.csv) -ge 5; }
        "$ZHUYI" train text.txt --out run --steps 300 --context 16 --channels 16 --heads 2 \
                 --layers 2 --batch 4 --threads 1 &
        training=$!
        wait_for some_steps && kill -STOP $training
        "$ZHUYI" report run --follow --out live.html &
        wait_for grep -q http-equiv=.refresh live.html && echo reloads
        kill -CONT $training && wait)");
    CAPTURE(outcome.err);
    CHECK(outcome.out == "reloads\nlive.html\n");
    const std::string page = scratch.read("live.html");
    CHECK(holds(page, "<!doctype html>"));
    CHECK_FALSE(holds(page, "http-equiv=\"refresh\""));
}

TEST_CASE("watch --why: which contexts pushed a character") {
    const std::string& run = run_folder();
    CHECK(
        has(run_program({"watch", run, "--token", "小", "--why"}).out, "What pushed E[小], from"));
    const Outcome chinese = run_program({"watch", run, "--token", "小", "--why", "--lang", "zh"});
    CHECK(has(chinese.out, "是什么推动了 E[小]"));
    CHECK(has(chinese.out, "权重衰减"));
    const Outcome missing = run_program({"watch", run, "--token", "7", "--why"});
    CHECK(missing.code == 2);
    CHECK(has(missing.err, "--history-why=7"));
    CHECK(has(run_program({"watch", run, "--token", "小", "--towards", "大"}).err,
              "--towards belongs to --why"));
}
