#include "generate/sample_log.h"

#include "base/format.h"
#include "generate/generate.h"
#include "generate/sampler.h"
#include "text/text_stream.h"
#include "text/tokenizer.h"

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
    TextStream stream;
    std::string text = prompt_;
    SamplerConfig sampler;
    sampler.seed = seed_;
    generate(model_, tokenizer_.encode(prompt_), sampler, {kTokens, tokenizer_.end_of_text()},
             [&](Index, Token token) {
                 text += stream.push(tokenizer_.bytes(token));
                 return true;
             });
    text += stream.finish();
    file_.append(format("--- step %td, validation loss %.4f nats per character ---\n", report.step,
                        report.loss * tokens_per_character_) +
                 text + "\n\n");
    show_(report.step, text);
}

}  // namespace zhuyi
