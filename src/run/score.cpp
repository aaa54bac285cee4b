#include "run/score.h"

#include <filesystem>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "system/options.h"
#include "system/printable.h"
#include "system/table.h"
#include "text/corpus.h"
#include "text/floor.h"
#include "text/tokenized.h"

namespace zhuyi {
namespace {

struct ScoredText {
    std::vector<Token> tokens;
    std::uint64_t hash;
};

ScoredText text_of(const LoadedRun& run, const std::string& data) {
    TextOptions options = run.config.text;
    if (data.empty()) {
        check_text_exists(options.data);
        const Corpus corpus = Corpus::read(options);
        return {tokenize(corpus, *run.tokenizer).validation, corpus.hash()};
    }
    options.data = data;
    options.split = Split::tail;  // there is no other part: any text will do, of any length
    const Corpus corpus = Corpus::read(options);
    return {tokenize(corpus.documents(), *run.tokenizer), corpus.hash()};
}

}  // namespace

double Score::per_character() const {
    return evaluation.loss() * double(tokens) / double(characters);
}
double Score::bits() const { return per_character() / math::log(2); }
double Score::perplexity() const { return math::exp(per_character()); }

Score score(const LoadedRun& run, const std::string& data, ReadBy by) {
    const auto [text, hash] = text_of(run, data);
    const std::string& source = data.empty() ? run.config.text.data : data;
    if (text.size() < 2)
        fail({"%s: too short to predict anything: it has one token",
              "%s：太短，没有什么可预测：只有一个 token"},
             printable(source));
    Tape tape(false);
    const bool documents = by == ReadBy::document;
    const Index batch = run.config.train.batch;
    return {run.checkpoint.file.string(),
            run.checkpoint.step,
            source,
            data.empty(),
            documents
                ? evaluate_documents(*run.model, tape, text, run.tokenizer->end_of_text(), batch)
                : evaluate(*run.model, tape, text, batch),
            std::ssize(text),
            run.tokenizer->characters(text),
            by,
            documents ? floor_of(source, hash) : std::nullopt};
}

Text score_text(const Score& s) {
    const std::string data = printable(s.data);
    Table table("lrl");
    table.row({Words{"tokens", "token"}, grouped(s.tokens),
               s.by == ReadBy::document
                   ? Words{"each predicted from its document's beginning on",
                           "个，每个都由本篇从头到它之前的文字预测"}
                   : Words{"each predicted from those before it", "个，每个都由它前面的文字预测"}});
    table.row({Words{"characters", "字符"}, grouped(s.characters),
               Words{"(the end of a document is one)", "个（文档结尾算一个）"}});
    table.row({Words{"loss", "损失"}, format("%.4f", s.evaluation.loss()),
               Words{"nats per token", "奈特/token"}});
    table.row(
        {Words{}, format("%.4f", s.per_character()), Words{"nats per character", "奈特/字符"}});
    if (s.floor)
        table.row({Words{"floor", "下限"}, format("%.4f", *s.floor),
                   say({"no model can be below it; this one is %.4f above",
                        "任何模型都不会比它更低；这个模型高出 %.4f"},
                       s.per_character() - *s.floor)});
    table.row({Words{}, format("%.4f", s.bits()), Words{"bits per character", "比特/字符"}});
    table.row({Words{"perplexity", "困惑度"}, format("%.2f", s.perplexity()),
               say({"per character: as unsure as among %.1f equally likely ones",
                    "每字符：相当于每次在 %.1f 个同样可能的字里猜"},
                   s.perplexity())});
    return say({"%s, step %td, %s\n", "%s，第 %td 步，%s\n"}, printable(s.checkpoint), s.step,
               s.validation ? say({"validation part of %s", "%s 的验证集"}, data) : same(data)) +
           table.text();
}

Json score_json(const Score& s) {
    Json json = Json()
                    .set("checkpoint", s.checkpoint)
                    .set("step", s.step)
                    .set("data", s.data)
                    .set("part", s.validation ? "validation" : "all")
                    .set("tokens", s.tokens)
                    .set("characters", s.characters)
                    .set("nats_per_token", s.evaluation.loss())
                    .set("nats_per_character", s.per_character())
                    .set("bits_per_character", s.bits())
                    .set("perplexity_per_character", s.perplexity());
    if (s.by == ReadBy::document) json.set("by", "document");
    if (s.floor) json.set("floor", *s.floor);
    return json;
}

}  // namespace zhuyi
