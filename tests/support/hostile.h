// For tests with wrong commands and damaged or malicious files. The program must always end with an
// exit code of 0, 1 or 2 and a helpful message; never by a signal, and it must write no file that
// it was not asked to write.
#pragma once
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/tiny_run.h"

namespace zhuyi {
inline namespace support {

inline void answers(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK(outcome.code <= 2);
    CHECK_FALSE(has(outcome.err, "unexpected"));
    if (outcome.code != 0) CHECK(has(outcome.err, "zhuyi: "));
}

inline void refused(const Outcome& outcome, const std::string& part) {
    CAPTURE(part);
    answers(outcome);
    CHECK(outcome.code != 0);
    CHECK(has(outcome.err, part));
    CHECK(outcome.err.size() < 2000);
}

inline std::vector<std::string> training(const TinyRun& tiny, const std::string& text,
                                         const std::string& run) {
    return {"train",       text, "--out",    tiny.folder.path(run),
            "--steps",     "2",  "--heads",  "1",
            "--channels",  "8",  "--layers", "1",
            "--context",   "8",  "--batch",  "1",
            "--history=no"};
}

// A limit on memory, in KiB, that the sanitizers' shadow would break at once.
inline std::string within(const char* kibibytes, const std::string& line) {
    return std::string("ulimit -v ") + kibibytes +
           " && \"$ZHUYI\" --version >/dev/null 2>&1 || exit 77\n" + line;
}

}  // namespace support
}  // namespace zhuyi
