// data/village.txt, its floor and its questions: what data/README.md says of them, and that
// scripts/village.py writes the same bytes where Python is. Runs from the root of the repository.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/utf8.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "support/program.h"
#include "system/printable.h"
#include "text/config.h"
#include "text/corpus.h"

using namespace zhuyi;

namespace {

Corpus village() { return Corpus::read(TextOptions{.data = "data/village.txt"}); }

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("data/village.txt: short documents, few characters, each used often, none repeated") {
    const Corpus corpus = village();
    std::map<std::string, Index> counts;
    std::set<std::string_view> different;
    Index all = 0;
    for (std::string_view document : corpus.documents()) {
        const Index length = utf8::length(document);
        CAPTURE(document);
        CHECK(length >= 60);
        CHECK(length <= 120);
        all += length;
        different.insert(document);
        for (std::string_view character : utf8::Characters(document))
            ++counts[std::string(character)];
    }
    CHECK(different.size() == corpus.documents().size());
    CHECK(all >= 400'000);
    CHECK(counts.size() >= 400);
    CHECK(counts.size() <= 700);
    for (const auto& entry : counts) {
        CAPTURE(entry.first);
        CHECK(entry.second >= 20);
    }
}

TEST_CASE("data/village.floor names the text that it is the floor of") {
    CHECK(bytes_of("data/village.floor").find("\ntext_hash = " + hash_text(village().hash())) !=
          std::string::npos);
}

TEST_CASE(
    "data/village_probes.txt: of each of the 13 rules 50 questions or more of each kind, and each "
    "answer 12 times or more, seen and new together") {
    const ProbeFile file = read_probes("data/village_probes.txt");
    std::map<std::pair<std::size_t, ProbeKind>, Index> counts;
    std::map<std::pair<std::size_t, std::string>, Index> answers;
    for (const Probe& probe : file.probes) {
        CAPTURE(probe.line);
        ++counts[{probe.rule, probe.kind}];
        if (probe.kind != ProbeKind::form) ++answers[{probe.rule, probe.right}];
        CHECK(utf8::length(probe.text + probe.right) <= 128);
        CHECK(probe.asker + 1 == utf8::length(probe.text));
        CHECK(!probe.answerer.empty());
    }
    CHECK(file.rules.size() == 13);
    CHECK(counts.size() == 39);
    for (const auto& [rule, count] : counts) CHECK(count >= 50);
    for (const auto& answer : answers) {
        CAPTURE(answer.first.second);
        CHECK(answer.second >= kAskedAlone);
    }
    for (const Text& rule : file.rules) CHECK(rule.english != rule.chinese);
}

TEST_CASE("tests/probe/free_sentences.txt: 80 sentences, five of each rule or more, none told") {
    const ProbeFile file = read_probes("tests/probe/free_sentences.txt");
    const std::string text = bytes_of("data/village.txt");
    std::map<std::size_t, Index> counts;
    for (const Probe& probe : file.probes) {
        CAPTURE(probe.text);
        CHECK(probe.kind == ProbeKind::form);
        ++counts[probe.rule];
        const std::string sentence = probe.text + probe.right;
        CHECK(text.find(sentence) == std::string::npos);
        for (const std::string_view character : utf8::Characters(sentence))
            CHECK(text.find(character) != std::string::npos);
    }
    CHECK(file.probes.size() == 80);
    CHECK(counts.size() == 13);
    for (const auto& [rule, count] : counts) CHECK(count >= 5);
}

TEST_CASE(
    "scripts/village.py writes the same text, floor and questions again, and every scene "
    "keeps every rule") {
    if (run_shell("command -v python3").code) {
        MESSAGE("not tested: there is no python3 here");
        return;
    }
    const ScratchFolder folder;
    const Outcome told =
        run_shell("python3 scripts/village.py --out " + shell_quoted(folder.path("village.txt")) +
                  " --floor " + shell_quoted(folder.path("village.floor")) + " --probes " +
                  shell_quoted(folder.path("village_probes.txt")));
    CAPTURE(told.err);
    REQUIRE(told.code == 0);
    for (const char* name : {"village.txt", "village.floor", "village_probes.txt"}) {
        CAPTURE(name);
        CHECK(folder.read(name) == bytes_of(std::string("data/") + name));
    }
    CHECK(run_shell("python3 tests/probe/village_test.py").code == 0);
}
