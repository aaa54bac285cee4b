// What differs between the configurations of two runs, or of one run then and now.
#pragma once
#include <string>
#include <vector>

#include "base/language.h"

namespace zhuyi {

struct RunConfig;

// One option with two values, as run.conf writes them.
struct ConfigDifference {
    std::string name;           // as in run.conf: "learning_rate"
    std::string first, second;  // its values
    Words group, help;          // of the option
};

// In the order of run.conf; empty: none. What follows from others is left out: `plan`.
std::vector<ConfigDifference> differences(const RunConfig& first, const RunConfig& second);

// "channels 64, 128; steps 100, 2000"; empty: none.
Text differences_text(const std::vector<ConfigDifference>& differences);

}  // namespace zhuyi
