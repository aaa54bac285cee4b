#include "generate/sample_log.h"

#include "base/format.h"
#include "generate/write.h"

namespace zhuyi {

SampleLog::SampleLog(const std::string& path, Gpt& model, const Tokenizer& tokenizer,
                     std::string prompt, Index seed, double tokens_per_character, Show show)
    : file_(path),
      model_(model),
      tokenizer_(tokenizer),
      prompt_(std::move(prompt)),
      seed_(seed),
      tokens_per_character_(tokens_per_character),
      show_(std::move(show)) {}

void SampleLog::evaluated(const EvaluationReport& report) {
    constexpr Index kTokens = 120;
    SamplerConfig sampler;
    sampler.seed = seed_;
    Writing wish;
    wish.prompt = prompt_, wish.tokens = kTokens;
    const std::string text = prompt_ + write_texts(model_, tokenizer_, sampler, wish)[0].text;
    file_.append(format("--- step %td, validation loss %.4f nats per character ---\n", report.step,
                        report.loss * tokens_per_character_) +
                 text + "\n\n");
    show_(report.step, text);
}

}  // namespace zhuyi
