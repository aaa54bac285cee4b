// A run whose model is ready to use, and how well it predicts a text.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "autograd/watching.h"
#include "cost/plan.h"
#include "formats/sheet.h"
#include "model/loaded_model.h"
#include "run/run_folder.h"
#include "text/corpus.h"
#include "train/evaluate.h"

namespace zhuyi {

struct LoadedRun : LoadedModel {
    RunFolder folder;
    RunConfig config;
    FoundCheckpoint checkpoint;
    std::string doubt;  // why the checkpoint may belong to another run; "" if nothing says so
    std::unique_ptr<Watcher> watcher;  // watches every pass of the model; may be null
};

// which: "best", "last", "first" or a file. Throws Error when the folder is no run, has no
// checkpoint yet, or the checkpoint has other shapes than run.conf says.
LoadedRun load_run(const std::string& path, const std::string& which = "best");

// ---- how well its model predicts a text, in units that models with different tokens share

struct Score {
    std::string checkpoint;  // its file
    Index step;
    std::string data;       // the file or folder that was read
    bool validation;        // only the validation part of it
    Evaluation evaluation;  // by token
    // Of the whole text. A character of three byte tokens is one, and so is a document's end.
    Index tokens, characters;
    bool documents = false;            // each is read from its beginning
    std::optional<double> floor = {};  // nats per character (text/ngram.h); with documents only
    std::string unseen = {};           // of `data`: characters that the training text never had
    double even = 0;                   // nats per token of guessing evenly among all tokens

    double per_character() const;  // nats
    double bits() const;           // per character
    double perplexity() const;     // per character
};

// `data`: a file or folder that is predicted whole; if it is "", the validation part of the run's
// own text is. `documents`: each document is read from its beginning; otherwise the text is read in
// windows, as in training, and most of them begin inside a document. Throws Error if the text is
// not there or too short.
// `read`: the files of the run's own text, where they were read before.
Score score(const LoadedRun& run, const std::string& data, bool documents = false,
            const Corpus::Files* read = nullptr);

Sheet score_sheet(const Score& score);

}  // namespace zhuyi
