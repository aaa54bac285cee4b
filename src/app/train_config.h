// What a training will be: options that depend on others, on the text or on another run find their
// values here.
#pragma once
#include <string>

#include "text/corpus.h"
#include "text/tokenizer.h"
#include "train/run_folder.h"

namespace zhuyi {

// Going on: the options of the run itself hold. Those that describe the same training under other
// names may be given again, and some may be changed; any other that differs would be another
// training: UsageError.
RunConfig resumed_config(RunConfig wanted, const Options& options, const std::string& run);

struct Origin {
    const Options& options;  // which were given
    std::string from;        // run whose weights come first; "": none
    bool suggested;          // only a text was named: sizes suit it
};
// The model and everything that does not depend on the number of steps.
void resolve_model(RunConfig& config, const Origin& origin, const Corpus& corpus,
                   const Tokenizer& tokenizer);
// The rest, when the number of steps is settled.
void resolve_schedule(RunConfig& config, const Origin& origin);

}  // namespace zhuyi
