// src/files.md says how every file of a run lies on the disk: here it is held against a real run.
#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "film/history.h"
#include "formats/safetensors.h"
#include "run/run_folder.h"
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

// "sentence.3.top" is explained as "sentence.0.top", "matrix.ROW.start" as "matrix." and ".start".
std::string as_explained(const std::string& stream) {
    if (stream.starts_with("matrix.")) return "matrix.";
    return std::regex_replace(stream, std::regex("sentence\\.[0-9]+"), "sentence.0");
}

}  // namespace

TEST_CASE("src/files.md names every file, metadata key, column and stream of a run") {
    const std::string page = read_file("src/files.md");
    const std::set<std::string> words = quoted_in(page);
    const RunFolder run{tiny_run().run};

    for (const auto& file : std::filesystem::directory_iterator(run.path))
        CHECK_MESSAGE(words.contains(file.path().filename().string()), file.path().filename());

    const SafetensorsFile last(run.checkpoint("last").string());
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

    const History history = parse_history(read_file(run.history().string()), "history");
    CHECK(history.streams.size() > 10);
    for (const HistoryStream& stream : history.streams) {
        CHECK_MESSAGE(words.contains(as_explained(stream.name)), stream.name);
        CHECK_MESSAGE(page.find(stream.element) != page.npos, stream.element);
    }
}
