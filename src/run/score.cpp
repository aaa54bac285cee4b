#include "run/score.h"

#include <filesystem>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/math.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/ngram.h"
#include "text/tokenized.h"

namespace zhuyi {

namespace {

// The tokens, and the hash of the text.
std::pair<std::vector<Token>, std::uint64_t> text_of(const LoadedRun& run,
                                                     const std::string& data) {
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

Score score(const LoadedRun& run, const std::string& data, bool documents) {
    const auto [text, hash] = text_of(run, data);
    const std::string& source = data.empty() ? run.config.text.data : data;
    if (text.size() < 2)
        fail({"%s: too short to predict anything: it has one token",
              "%s：太短，没有什么可预测：只有一个 token"},
             printable(source));
    Tape tape(false);
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
            documents,
            documents ? floor_of(source, hash) : std::nullopt};
}

Sheet score_sheet(const Score& s) {
    const std::string data = printable(s.data);
    Sheet sheet{say({"%s, step %td, %s", "%s，第 %td 步，%s"}, printable(s.checkpoint), s.step,
                    s.validation ? say({"validation part of %s", "%s 的验证集"}, data) : data)};
    sheet.set("checkpoint", s.checkpoint), sheet.set("step", s.step), sheet.set("data", s.data);
    sheet.set("part", s.validation ? "validation" : "all");
    if (s.documents) sheet.set("by", "document");
    Sheet::Table& table = sheet.values();
    table.value("tokens", {"tokens", "token"}, Cell::count(s.tokens),
                s.documents
                    ? Label{"each predicted from its document's beginning on",
                            "个，每个都由本篇从头到它之前的文字预测"}
                    : Label{"each predicted from those before it", "个，每个都由它前面的文字预测"});
    table.value("characters", {"characters", "字符"}, Cell::count(s.characters),
                {"(the end of a document is one)", "个（文档结尾算一个）"});
    table.value("nats_per_token", {"loss", "损失"}, Cell::fixed(s.evaluation.loss(), 4),
                {"nats per token", "奈特/token"});
    table.value("nats_per_character", {}, Cell::fixed(s.per_character(), 4),
                {"nats per character", "奈特/字符"});
    if (s.floor)
        table.value("floor", {"floor", "下限"}, Cell::fixed(*s.floor, 4),
                    say({"no model can be below it; this one is %.4f above",
                         "任何模型都不会比它更低；这个模型高出 %.4f"},
                        s.per_character() - *s.floor));
    table.value("bits_per_character", {}, Cell::fixed(s.bits(), 4),
                {"bits per character", "比特/字符"});
    table.value("perplexity_per_character", {"perplexity", "困惑度"},
                Cell::fixed(s.perplexity(), 2),
                say({"per character: as unsure as among %.1f equally likely ones",
                     "每字符：相当于每次在 %.1f 个同样可能的字里猜"},
                    s.perplexity()));
    return sheet;
}

}  // namespace zhuyi
