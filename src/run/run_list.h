// What can be said of a run without loading its model.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/plan.h"
#include "formats/sheet.h"

namespace zhuyi {

struct RunSummary {
    std::string path;
    RunConfig config;
    Index step = 0;                      // of its last checkpoint
    std::optional<double> loss;          // validation, nats per character; of the last evaluation
    std::string fingerprint = {};        // of the last checkpoint; "" before the first
    std::optional<double> seconds = {};  // its steps took, summed over all times it was resumed
    double bytes = 0;                    // of all its files
    std::string changed = {};            // when its last checkpoint was written: "2026-11-22 05:10"
    std::string fault = {};              // why it cannot be read, or ""
    bool complete() const { return fault.empty() && step >= config.train.steps; }
};

RunSummary summary_of(const std::string& run);
// Returns the folder itself if it is a run, and otherwise the run folders in it, sorted by name.
// Throws Error if there is no such folder.
std::vector<std::string> runs_in(const std::string& folder);

Sheet runs_sheet(std::span<const std::string> runs);
// The options in which two runs differ, one in each row, and their results.
Sheet compared_runs(const RunSummary& first, const RunSummary& second);

}  // namespace zhuyi
