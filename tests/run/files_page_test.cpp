// src/files.md says how every file of a run lies on the disk: here it is held against a real run.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "film/history.h"
#include "formats/safetensors.h"
#include "run/run_files.h"
#include "support/has.h"
#include "support/tiny_run.h"
#include "system/input_file.h"

using namespace zhuyi;

namespace {

// What stands between `backticks`.
std::set<std::string> quoted_in(const std::string& page) {
    std::set<std::string> words;
    const std::regex quoted("`([^`\n]+)`");
    for (std::sregex_iterator it(page.begin(), page.end(), quoted), end; it != end; ++it)
        words.insert((*it)[1]);
    return words;
}

// "sentence.3.top" is explained as "sentence.0.top".
std::string as_explained(const std::string& stream) {
    return std::regex_replace(stream, std::regex("sentence\\.[0-9]+"), "sentence.0");
}

}  // namespace

TEST_CASE("src/files.md names every file, metadata key, column and stream of a run") {
    const std::string page = read_file("src/files.md");
    const std::set<std::string> words = quoted_in(page);
    const RunFolder run{tiny_run().run};

    for (const auto& file : std::filesystem::directory_iterator(run.path))
        CHECK_MESSAGE(words.contains(file.path().filename().string()), file.path().filename());

    const SafetensorsFile last(run.checkpoint("last"));
    for (const auto& entry : last.metadata()) {
        const std::string& key = entry.first;
        const bool listener = key.starts_with("listener."), checksum = key.starts_with("xxh64.");
        CHECK_MESSAGE(words.contains(listener ? "listener." : checksum ? "xxh64." : key), key);
    }
    CHECK(words.contains(last.metadata().at("zhuyi")));
    for (const SafetensorsEntry& entry : last.entries())
        if (const std::size_t state = entry.name.rfind("adam.", 0); state == 0)
            CHECK_MESSAGE(words.contains(entry.name.substr(0, 7)), entry.name);  // "adam.m."

    const auto first_line = [](const std::filesystem::path& path) {
        const std::string text = read_file(path.string());
        return text.substr(0, text.find('\n'));
    };
    CHECK(page.find("\n    " + first_line(run.metrics()) + "\n") != page.npos);
    CHECK(page.find("\n    " + first_line(run.probe_log()) + "\n") != page.npos);
    CHECK(page.find("\n    " + first_line(run.vocabulary()) + "\n") != page.npos);
    CHECK(page.find("\"" + first_line(run.history()) + "\\n\"") != page.npos);

    const History history = parse_history(read_file(run.history()), "history");
    CHECK(history.streams.size() > 10);
    for (const HistoryStream& stream : history.streams) {
        CHECK_MESSAGE(words.contains(as_explained(stream.name)), stream.name);
        CHECK_MESSAGE(page.find(stream.element) != page.npos, stream.element);
    }
}

TEST_CASE(
    "src/files.md has the program's table of a run's files: when each is there, and if it is "
    "lost") {
    const auto words_of = [](Expected expected) {
        constexpr const char* kWords[] = {"always · 总有", "from step 0 · 第 0 步起",
                                          "if recorded · 有记录时", "sometimes · 有时"};
        return std::string(kWords[std::size_t(expected)]);
    };
    const auto words_if = [](IfLost lost) {
        constexpr const char* kWords[] = {"refuses · 拒绝",
                                          "takes another · 改用另一个",
                                          "draws it again · 重新生成",
                                          "begins a new one · 另写新的",
                                          "asks no more · 不再提问",
                                          "does without · 没有它也行"};
        return std::string(kWords[std::size_t(lost)]);
    };
    const std::string page = read_file("src/files.md");
    for (const RunFile& file : run_files()) {
        CAPTURE(file.name);
        const std::size_t row = page.find("\n| `" + std::string(file.name) + "` |");
        REQUIRE(row != page.npos);
        const std::string line = page.substr(row, page.find('\n', row + 1) - row);
        CHECK(has(line, "| " + words_of(file.expected) + " | " + words_if(file.if_lost) + " |"));
    }
    // And the table has every file that a training leaves.
    for (const auto& entry : std::filesystem::directory_iterator(tiny_run().run)) {
        const std::string name = entry.path().filename().string();
        CHECK_MESSAGE(std::ranges::find(run_files(), name, &RunFile::name) != run_files().end(),
                      name);
    }
}
