// What training is about to do, said before it begins.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "cost/pace.h"

namespace zhuyi {

struct Levels;
struct Parameter;
struct RunConfig;
struct TrainingText;

// What this machine has for it, in bytes; nothing where the system does not say.
struct Room {
    std::optional<double> memory;  // free before the text is read
    std::optional<double> disk;    // free where the run folder lies
};

// The data, what counting alone can do, the resolved options, memory, disk, the time from
// step `begun` to the end, a warning when the text is too small for the model, and the parameters
// by kind.
Text plan_text(const RunConfig& config, const TrainingText& text, const Levels& levels,
               const std::vector<Parameter>& table, const Room& room,
               const std::optional<Pace>& pace, Index begun);

}  // namespace zhuyi
