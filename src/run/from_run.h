// A training that starts from the weights and the vocabulary of another run: --from.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/language.h"

namespace zhuyi {

class Corpus;
class Options;
class Parameters;
class Tokenizer;
struct GptConfig;
struct RunConfig;
struct TextOptions;

// What the user has set must be as the run of --from has it, or UsageError is thrown. But windows
// may be shorter than that model's context.

// The model gets the sizes of the run whose weights it starts from.
void adopt_shape(GptConfig& model, const std::string& from, const Options& options);

// A new one for this text, or that of --from.
std::unique_ptr<Tokenizer> tokenizer_of(const Corpus& corpus, TextOptions& text,
                                        const std::string& from, const Options& options);

// Random numbers; with --from the weights of that run, which must have the same vocabulary. Of a
// longer table of positions the first rows are taken.
void set_first_weights(Parameters& parameters, const RunConfig& config, const std::string& from,
                       std::uint64_t vocabulary);

// What is done otherwise than in a training from scratch, a line each; empty: `from` is. The
// learning rate is a tenth, where the user has set none.
std::string adopt_fine_tuning(RunConfig& config, const std::string& from, const Options& options);

}  // namespace zhuyi
