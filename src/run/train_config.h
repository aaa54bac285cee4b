// What a training will be: options that depend on others, on the text or on another run find their
// values here.
#pragma once
#include <string>

#include "run/run_folder.h"
#include "text/corpus.h"
#include "text/tokenizer.h"

namespace zhuyi {

// Where a run goes that nobody names: runs/poems for poems.txt, ../poems/ and runs/poems.conf.
std::string default_folder(const std::string& path);

// Time and steps are two ways to say how long: UsageError for both at once, and for a time where a run
// goes on (`resumed`; "": none does). Of a configuration's time and the command line's steps the latter count.
void resolve_minutes(double& minutes, const Options& options, const std::string& resumed);

// Going on: the options of the run itself hold. The path of its text may be given anew, and on the
// command line how far it goes, how often it is evaluated and saved, and whether it is filmed; any
// other that differs would be another training: UsageError. Error: its text is not there.
struct ResumedConfig {
    RunConfig config;
    bool changed;  // from what run.conf says
};
ResumedConfig resumed_config(RunConfig wanted, const Options& options, const std::string& run);
// UsageError: so many steps are done already that none of them is the last.
void check_steps(const RunConfig& config, Index begun, const std::string& run);

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
