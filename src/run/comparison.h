// Several trainings that differ in one option, or a few: made one after the other, and compared.
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

// One of the trainings: what it sets, and its name, which is its folder's, too.
struct Variant {
    std::string name;                                           // "freeze=embedding+ffn"
    std::vector<std::pair<std::string, std::string>> settings;  // {"freeze", "embedding,ffn"}
};

// "freeze=none,embedding,attention+ffn": three variants. `none` is the empty value of a text; parts
// are joined by +, and a part with = sets another option ("optimizer=muon,adamw+warmup=100").
// Several options, with spaces between them: every value of one with every value of the others.
// Throws UsageError where this is none.
std::vector<Variant> variants_of(const std::string& vary);

// A variant with everything that training it takes.
struct PlannedVariant {
    Variant variant;
    TrainWish wish;
    Options options;                  // bound to wish.config
    Index reached = -1;               // steps that its folder has done; -1: there is no such run
    std::optional<double> seconds{};  // that the rest of it takes, estimated; nothing: not known
    bool finished() const { return reached >= wish.config.train.steps; }
};
using PlannedVariants = std::vector<std::unique_ptr<PlannedVariant>>;

// Looks at the folders, which hold nothing yet unless `resume`. Throws UsageError for a folder that
// has a run already, and for a finished one that was made with other options.
void look_at_folders(PlannedVariants& planned, bool resume);
// Checks what could not be trained, before anything is: the text, the sizes. And times a few steps
// of each. Leaves out variants whose sizes follow from the text. Throws Error and UsageError.
void try_out(PlannedVariants& planned);
// What will be trained, how long it takes, and in what each differs from the first.
Sheet comparison_plan(const PlannedVariants& planned);

// Trains what is not finished. Gives the exit code of a training that was stopped, or 0. How long
// each took is added to `times`, a file in the folder of all.
int train_variants(PlannedVariants& planned, const std::string& times, Language language);

// A row for each variant: loss, rules that are known, seconds.
Sheet comparison_sheet(const PlannedVariants& planned, const std::string& times);
// One page of all that have a history, at most six of them; "" where none has.
std::string write_comparison_page(const PlannedVariants& planned, const std::string& out,
                                  Language language);

}  // namespace zhuyi
