#include "generate/novelty.h"

#include "base/format.h"
#include "generate/generate.h"
#include "system/printable.h"
#include "system/table.h"
#include "text/corpus.h"
#include "text/text_stream.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

CodePoints written_by(Gpt& model, const Tokenizer& tokenizer, const SamplerConfig& sampler,
                      Index tokens) {
    std::vector<TextStream> streams(std::size_t{kNoveltySamples});
    std::vector<std::string> texts(streams.size());
    generate(model, {}, sampler, {tokens, tokenizer.end_of_text(), 0, kNoveltySamples},
             [&](Index text, Token token) {
                 texts[std::size_t(text)] +=
                     streams[std::size_t(text)].push(tokenizer.bytes(token));
                 return true;
             });
    CodePoints all;
    for (std::size_t i = 0; i < texts.size(); ++i) all.add(texts[i] + streams[i].finish());
    return all;
}

CodePoints part_of(const Corpus& corpus, Part part) {
    CodePoints all;
    for (const Piece& piece : corpus.pieces(part)) all.add(piece.text);
    return all;
}

}  // namespace

Novelty novelty(Gpt& model, const Tokenizer& tokenizer, const Corpus& corpus,
                const SamplerConfig& sampler, Index tokens) {
    const CodePoints train = part_of(corpus, Part::train);
    return {copied(written_by(model, tokenizer, sampler, tokens), train, kNoveltyRun),
            copied(part_of(corpus, Part::validation), train, kNoveltyRun)};
}

Text novelty_text(const Novelty& novelty) {
    Table table("lrrl", 0);
    table.row({Words{"copied from the training part", "与训练集相同"},
               say({"of runs of %td characters", "%td 个字符的片段"}, kNoveltyRun),
               Words{"longest", "最长"}, Words{}});
    const auto add = [&](const Text& name, const Copied& c) {
        std::string longest;
        for (const char32_t code : c.longest) longest += utf8::encode(code);
        table.row({name, format("%.1f %%", 100 * c.share), std::to_string(c.longest.size()),
                   same(in_quotes(longest))});
    };
    add(say({"%td samples", "%td 段续写"}, kNoveltySamples), novelty.samples);
    add(Words{"validation part", "验证集"}, novelty.validation);
    return table.text();
}

}  // namespace zhuyi
