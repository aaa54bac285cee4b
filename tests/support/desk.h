// Trainings by the real program on a few lines of text, for tests of the files that train writes.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>

#include "support/has.h"
#include "support/program.h"
#include "support/verses.h"

namespace zhuyi {
inline namespace support {

// A folder with a text of a few dozen characters, and trainings on it that take a moment.
struct Desk {
    ScratchFolder folder;
    std::string text = folder.write("诗 poems.txt", kVerses);

    std::vector<std::string> command(const std::string& run, std::vector<std::string> more) const {
        std::vector<std::string> all{"train",      text, "--out",       folder.path(run),
                                     "--channels", "16", "--heads",     "2",
                                     "--layers",   "2",  "--batch",     "2",
                                     "--threads",  "1",  "--history=no"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Outcome train(const std::string& run, std::vector<std::string> more) const {
        return run_program(command(run, std::move(more)));
    }
    std::string line(const std::string& run, std::vector<std::string> more) const {
        std::string text_of_line = "\"$ZHUYI\"";
        for (const std::string& word : command(run, std::move(more)))
            text_of_line += " " + shell_quoted(word);
        return text_of_line;
    }
    std::string read(const std::string& run, const std::string& file) const {
        return folder.read(run + "/" + file);
    }
};

// One line on stderr, nothing on stdout, and the exit code: 1 when the input is wrong, 2 when the
// command is.
inline void refused(const Outcome& outcome, int code, const std::string& part) {
    CAPTURE(outcome.err);
    CAPTURE(part);
    CHECK(outcome.code == code);
    CHECK(outcome.out == "");
    CHECK(outcome.err.starts_with("zhuyi: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(has(outcome.err, part));
}

}  // namespace support
}  // namespace zhuyi
