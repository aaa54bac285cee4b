// What of a run is recorded. The film itself is film/history.h; the settings stand here because
// they belong to the run's configuration.
#pragma once
#include <string>

#include "system/options.h"

namespace zhuyi {

struct HistoryConfig {
    bool on = true;
    Index frames = 60;
    Index budget = 20;       // MB (10^6 bytes) of history.bin; matrices are the first to be thinned
    std::string probes;      // sentences with | between them; "": chosen from the text
    std::string characters;  // watched besides those of the probes and
    Index common = 200;      // so many of the most frequent ones
    Index block = 0;         // whose matrices are recorded
};

void declare(Options& options, HistoryConfig& config);

}  // namespace zhuyi
