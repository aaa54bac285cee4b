// The parts of one frame, each measured from the model as it stands.
#pragma once
#include <vector>

#include "film/history.h"
#include "model/gpt.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {

// One pass over a sentence: attention of every head, and what may follow each position.
ProbeFrame probe_frame(Gpt& model, Tape& tape, std::span<const Token> sentence);

// The update that led here; step 0: none has.
struct LastUpdate {
    Index step = 0;
    double learning_rate = 0;
};

// `first`: all values at step 0, laid out as Parameters::values().
//
// The size of the last update is computed from AdamW's moments as they stand behind it, so no copy of
// the weights before it is needed:   Δw = -η (m̂ / (√v̂ + ε) + λ w_before),   w_before = w - Δw.
ParameterFrame parameter_frame(Parameters& parameters, In first, const TrainConfig& config,
                               const LastUpdate& update);

// The block's six matrices in table order: W_Q W_K W_V W_O W_1 W_2.
std::vector<const Parameter*> matrices_of(const std::vector<Parameter>& table, Index block);

// `count` tokens behind `prompt`, always drawn with the same luck.
std::string sample_text(Gpt& model, const Tokenizer& tokenizer, std::span<const Token> prompt,
                        Index count);

}  // namespace zhuyi
