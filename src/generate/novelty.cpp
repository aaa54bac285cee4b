#include "generate/novelty.h"

#include "base/format.h"
#include "base/utf8.h"
#include "generate/generate.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/tokenizer.h"

namespace zhuyi {

static CodePoints written_by(Gpt& model, const Tokenizer& tokenizer, const SamplerConfig& sampler,
                             Index tokens, Precision precision) {
    Writing wish;
    wish.tokens = tokens, wish.texts = kNoveltySamples, wish.precision = precision;
    CodePoints all;
    for (const Written& one : write_texts(model, tokenizer, sampler, wish)) all.add(one.text);
    return all;
}

static CodePoints part_of(const Corpus& corpus, Part part) {
    CodePoints all;
    for (const Piece& piece : corpus.pieces(part)) all.add(piece.text);
    return all;
}

Novelty novelty(Gpt& model, const Tokenizer& tokenizer, const Corpus& corpus,
                const SamplerConfig& sampler, Index tokens, Precision precision) {
    const CodePoints train = part_of(corpus, Part::train);
    return {copied(written_by(model, tokenizer, sampler, tokens, precision), train, kNoveltyRun),
            copied(part_of(corpus, Part::validation), train, kNoveltyRun)};
}

Sheet novelty_sheet(const Novelty& novelty) {
    Sheet sheet;
    Sheet::Table& table = sheet.records(
        "copied", {Sheet::unseen("of"),
                   {"", {"copied from the training part", "与训练集相同"}},
                   {"share", say({"of runs of %td characters", "%td 个字符的片段"}, kNoveltyRun)},
                   {"longest", {"longest", "最长"}},
                   {""},
                   Sheet::unseen("passage")});
    const auto add = [&](const char* key, const Label& name, const Copied& c) {
        std::string longest;
        for (const char32_t code : c.longest) longest += utf8::encode(code);
        table.record({key, name, Sheet::Cell::percent(c.share, 1),
                      Sheet::Cell::exact(double(c.longest.size())), in_quotes(longest), longest});
    };
    add("samples", say({"%td samples", "%td 段续写"}, kNoveltySamples), novelty.samples);
    add("validation", Words{"validation part", "验证集"}, novelty.validation);
    return sheet;
}

std::string novelty_line(const Novelty& novelty) {
    const Copied &samples = novelty.samples, &validation = novelty.validation;
    return say({"of the runs of %td characters in %td samples %.1f %% stand in the training part, "
                "the longest passage there is %zu long (of the validation part: %.1f %%, %zu)",
                "%2$td 段续写里，%1$td 个字符的片段有 %3$.1f %% 在训练集中出现过，与它相同的片段"
                "最长 %4$zu 个字符（验证集：%5$.1f %%，%6$zu）"},
               kNoveltyRun, kNoveltySamples, 100 * samples.share, samples.longest.size(),
               100 * validation.share, validation.longest.size());
}

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
