// Options: what is recorded of a training (film/history.h).
#pragma once
#include <string>

#include "base/real.h"

namespace zhuyi {

class Options;

constexpr Index kMostSnapshots = 6;

struct HistoryConfig {
    bool on = true;
    Index frames = 60;
    Index budget = 20;      // MB (10^6 bytes) of history.bin, without its snapshots
    std::string sentences;  // to watch, | between them; "": chosen from the text
    // Tokens to watch: those of the sentences, those of `characters`, the `common` most frequent.
    std::string characters;
    Index common = 600;
    std::string why;      // characters whose ΔE is split by contexts (pushes.h); "": chosen; "off"
    Index snapshots = 6;  // of all weights: the page runs the model from them
    bool report_text = true;  // the page holds the text, or its first megabyte
};

void declare(Options& options, HistoryConfig& config);

}  // namespace zhuyi
