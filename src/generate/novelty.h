// What a model writes while it is trained, and whether it is new: samples.txt, and novelty.
//
// Is what a model writes new, or copied out of its training text? Documents that were written
// separately share passages too: those of the validation part say how many are to be expected.
#pragma once
#include <functional>
#include <string>

#include "formats/sheet.h"
#include "generate/sampler.h"
#include "system/append_file.h"
#include "text/statistics.h"
#include "train/update.h"

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

// Writes kNoveltySamples samples, each from the beginning of a document to its end, or `tokens`
// long.
Novelty novelty(Gpt& model, const Tokenizer& tokenizer, const Corpus& corpus,
                const SamplerConfig& sampler, Index tokens, Precision precision = Precision::fp32);

Sheet novelty_sheet(const Novelty& novelty);
std::string novelty_line(const Novelty& novelty);  // the same in a sentence, without the passages

// samples.txt: what the model writes at each evaluation, always with the same prompt and the same
// random numbers, so that only the weights differ.
class SampleLog : public Listener {
  public:
    using Show = std::function<void(Index step, const std::string& text)>;
    SampleLog(const std::string& path, Gpt& model, const Tokenizer& tokenizer, std::string prompt,
              Index seed, double tokens_per_character, Show show);

    void evaluated(const EvaluationReport& report) override;
    const char* name() const override { return "samples"; }
    std::string state() override { return file_.state(); }
    void resume(const std::string& state) override { file_.cut_back(state); }
    std::string set_aside() override { return file_.set_aside(); }

  private:
    AppendFile file_;
    Gpt& model_;
    const Tokenizer& tokenizer_;
    std::string prompt_;
    Index seed_;
    double tokens_per_character_;  // of the validation part
    Show show_;
};

}  // namespace zhuyi
