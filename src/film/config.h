// What of a training is recorded (film/history.h): a part of its configuration.
#pragma once
#include <string>

#include "base/real.h"

namespace zhuyi {

class Options;

struct HistoryConfig {
    bool on = true;
    Index frames = 60;
    Index budget = 20;       // MB (10^6 bytes) of history.bin; fewer frames hold matrices first
    std::string probes;      // sentences to observe, | between them; "": chosen from the text
    std::string characters;  // followed besides those of the sentences and
    Index common = 200;      // so many of the most frequent ones
    Index block = 0;         // whose matrices are recorded
};

void declare(Options& options, HistoryConfig& config);

}  // namespace zhuyi
