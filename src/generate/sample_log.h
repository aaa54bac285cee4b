// samples.txt: what the model writes at each evaluation, always with the same prompt and the same
// random numbers, so that only the weights differ.
#pragma once
#include <functional>
#include <string>

#include "system/append_file.h"
#include "train/update.h"

namespace zhuyi {

class Gpt;
class Tokenizer;

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
