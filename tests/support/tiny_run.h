// A run folder made by the real program in a fraction of a second, for tests of what reads one.
#pragma once
#include "support/program.h"
#include "support/verses.h"

namespace zhuyi {

// 2 blocks, 2 heads, context 16.
struct TinyRun {
    ScratchFolder folder;
    std::string text = folder.write("text.txt", kVerses);
    std::string run = folder.path("run");
    Outcome training =
        run_program({"train", text, "--out", run, "--steps", "2", "--context", "16", "--channels",
                     "16", "--heads", "2", "--layers", "2", "--batch", "2", "--min-count", "1"});
};

// One run for all tests that only read it. It is hardly trained, so it writes any token: bytes that
// are no text, control characters, ends of documents.
inline const TinyRun& tiny_run() {
    static const TinyRun run;
    return run;
}

}  // namespace zhuyi
