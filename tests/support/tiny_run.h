// A run folder made by the real program in a fraction of a second, for tests of what reads one.
#pragma once
#include "support/program.h"
#include "support/verses.h"

namespace zhuyi {
inline namespace support {

// Of two rules. 字 and 词 have no tokens: they are spelt in bytes.
inline const char* const kTinyProbes =
    "# 甲 = first\n"
    "甲 | seen | 小 | 字 | 词 | 0, 0-0\n"
    "甲 | new | 小猫 | 吃 | 看, 走 | 1, 0-1\n"
    "乙 | new | 猫 | 字 | 词\n";

// 2 blocks, 2 heads, context 16.
struct TinyRun {
    ScratchFolder folder;
    std::string text = folder.write("text.txt", kVerses);
    std::string probes = folder.write("probes.txt", kTinyProbes);
    std::string run = folder.path("run");
    Outcome training =
        run_program({"train",       text, "--out",    run,   "--steps",  "2", "--context", "16",
                     "--channels",  "16", "--heads",  "2",   "--layers", "2", "--batch",   "2",
                     "--min-count", "1",  "--probes", probes});
};

// One run for all tests that only read it. It is hardly trained, so it writes any token: bytes that
// are no text, control characters, ends of documents.
inline const TinyRun& tiny_run() {
    static const TinyRun run;
    return run;
}

}  // namespace support
}  // namespace zhuyi
