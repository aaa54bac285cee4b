// Trains several variants of one configuration, one after the other, and compares them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/sheet.h"
#include "run/session.h"
#include "system/options.h"

namespace zhuyi {

// What one of the trainings sets. Its folder has the same name.
struct Variant {
    std::string name;                                           // "freeze=embedding+ffn"
    std::vector<std::pair<std::string, std::string>> settings;  // {"freeze", "embedding,ffn"}
};

// "freeze=none,embedding,attention+ffn": three variants. `none` is the empty value of a text; parts
// are joined by +, and a part with = sets another option ("optimizer=muon,adamw+warmup=100").
// Several options stand with spaces between them and give every combination of their values, at
// most kMostVariants. Throws UsageError if the text is none of this, or if there is no such option
// or value.
constexpr Index kMostVariants = 1000;
std::vector<Variant> variants_of(const std::string& vary);

// A variant, and what is needed to train it.
struct PlannedVariant {
    Variant variant;
    TrainWish wish;
    Options options;                  // bound to wish.config
    Index reached = -1;               // steps that its folder has done; -1 if there is no such run
    std::optional<double> seconds{};  // that the rest of it takes, estimated; nothing if not known
    bool finished() const { return reached >= wish.config.train.steps; }
};
using PlannedVariants = std::vector<std::unique_ptr<PlannedVariant>>;

// Looks at the folders, which hold nothing yet unless `resume`. Throws UsageError for a folder that
// has a run already, for a finished one that was made with other options, and for files of others
// in the place of a run's.
void look_at_folders(PlannedVariants& planned, bool resume);
// Reads the text once for all. Checks text and sizes of every variant before the first training
// begins, and times a few steps of each. Variants whose sizes follow from the text are left out.
// Throws Error and UsageError.
void try_out(PlannedVariants& planned);
// What will be trained, how long it takes, and which options differ from the first variant.
Sheet comparison_plan(const PlannedVariants& planned);

// Trains what is not finished. Returns the exit code of a training that was stopped, or 0. Adds the
// seconds of each to `times`, a file in the folder of all.
int train_variants(PlannedVariants& planned, const std::string& times);

// A row for each variant: loss, rules that are known, seconds.
Sheet comparison_sheet(const PlannedVariants& planned, const std::string& times);
// Writes one page of the variants that have a history, at most six. Returns its path, or "" if none
// has one.
std::string write_comparison_page(const PlannedVariants& planned, const std::string& out);

}  // namespace zhuyi
