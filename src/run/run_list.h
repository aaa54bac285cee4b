// What there is to say of a run without loading its model: for a list of many.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "cost/run_config.h"
#include "formats/sheet.h"

namespace zhuyi {

struct RunSummary {
    std::string path;
    RunConfig config;
    Index step = 0;                      // of its last checkpoint
    std::optional<double> loss;          // validation, nats per character; of the last evaluation
    std::string fingerprint = {};        // of the last checkpoint; "": none was written
    std::optional<double> seconds = {};  // that its steps took, all its pieces added up
    double bytes = 0;                    // of all its files
    std::string changed = {};            // when its last checkpoint was written: "2026-11-22 05:10"
    Text fault = {};                     // why it cannot be read; empty: it can
    bool complete() const { return fault.empty() && step >= config.train.steps; }
};

RunSummary summary_of(const std::string& run);
// The folder itself if it is a run, else the run folders in it, by name. Error: there is no such
// folder.
std::vector<RunSummary> runs_in(const std::string& folder);

Sheet runs_sheet(const std::vector<RunSummary>& runs);
// In what two runs differ: their configurations, a row an option, and their results.
Sheet compared_runs(const RunSummary& first, const RunSummary& second);

}  // namespace zhuyi
