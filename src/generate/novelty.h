// Is what a model writes new, or copied out of its training text? Documents that were written
// separately share passages too: those of the validation part say how many are to be expected.
#pragma once
#include "formats/sheet.h"
#include "generate/sampler.h"
#include "text/passages.h"

namespace zhuyi {

class Corpus;
class Gpt;
class Tokenizer;

struct Novelty {
    Copied samples, validation;  // out of the training part
};

constexpr Index kNoveltySamples = 20, kNoveltyRun = 20;  // characters
constexpr Index kNoveltyTokens = 200;                    // of a sample, at most
// A longer text takes seconds to search, and 40 bytes of memory a character.
constexpr Index kNoveltyWithin = 1'000'000;  // characters

// Writes so many samples, each from the beginning of a document to its end, or `tokens` long.
Novelty novelty(Gpt& model, const Tokenizer& tokenizer, const Corpus& corpus,
                const SamplerConfig& sampler, Index tokens, Precision precision = Precision::fp32);

Sheet novelty_sheet(const Novelty& novelty);
std::string novelty_line(const Novelty& novelty);  // the same in a sentence, without the passages

}  // namespace zhuyi
