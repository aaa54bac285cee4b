#include "text/data_sheet.h"

#include <numbers>

#include "base/format.h"
#include "base/hash.h"
#include "system/table.h"
#include "text/corpus.h"
#include "text/tokenized.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

// The tokenizer was made from this part, and has counted it.
DataSheet::PartSize counted(Index documents, const Tokenizer& tokenizer) {
    DataSheet::PartSize size{documents, 0, 0};
    for (Token token = 0; token < tokenizer.size(); ++token) {
        size.tokens += tokenizer.count(token);
        size.characters += tokenizer.count(token) * tokenizer.characters({&token, 1});
    }
    return size;
}

DataSheet::PartSize size_of(const std::vector<Piece>& pieces, const Tokenizer& tokenizer) {
    DataSheet::PartSize size{std::ssize(pieces), 0, 0};
    for (const Piece& piece : pieces) {
        const std::vector<Token> tokens = tokenizer.encode(piece.text);
        size.tokens += std::ssize(tokens) + piece.ends;
        size.characters += tokenizer.characters(tokens) + piece.ends;
    }
    return size;
}

constexpr Words kCharacters = {"characters", "个字符"};

std::string percent(double share) { return format("%.1f %%", 100 * share); }
double share_of(Index part, Index whole) { return whole > 0 ? double(part) / double(whole) : 0; }

void add_counts(Table& table, const DataSheet& sheet) {
    const TextStatistics& s = sheet.text;
    table.row({Words{"documents", "文档"}, grouped(s.documents),
               sheet.files == 1 ? Text(Words{"in one file", "篇，在一个文件里"})
                                : say({"in %td files", "篇，共 %td 个文件"}, sheet.files)});
    table.row({Words{"characters", "字符"}, grouped(s.characters),
               say({"%s bytes", "个（标点也算），%s 字节"}, grouped(s.bytes))});
    table.row({Words{"distinct characters", "不同的字符"}, grouped(s.distinct),
               say({"%s of them seen once, %s fewer than five times",
                    "个，其中 %s 只出现一次，%s 不到五次"},
                   percent(share_of(s.seen_once, s.distinct)),
                   percent(share_of(s.seen_rarely, s.distinct)))});
    table.row({Words{"longest document", "最长的文档"}, grouped(s.longest), kCharacters});
    table.row({Words{"shortest document", "最短的文档"}, grouped(s.shortest), kCharacters});
}

// The beginning of the passage, marks where it begins and ends.
Text passage_text(const std::string& passage, Index length) {
    constexpr Index kShown = 40;
    if (length == 0) return {};
    std::string shown;
    for (std::string_view c : utf8::Characters(utf8::prefix(passage, kShown)))
        shown += c == " " ? " " : escaped(c);
    if (length > kShown) shown += "…";
    return say({": “%s”", "：〔%s〕"}, shown);
}

void add_repetitions(Table& table, const Repetitions& s) {
    const Index shared = utf8::length(s.longest_shared);
    table.row({Words{"exact duplicates", "完全重复"}, grouped(s.duplicates),
               Words{"documents that repeat an earlier one", "篇（与前面某一篇完全相同的）"}});
    table.row({Words{"repeated passages", "重复的片段"}, percent(s.repeated_runs),
               say({"of the runs of %td characters stand in more than %td documents",
                    "（%td 个字符的片段中，出现在超过 %td 篇里的比例）"},
                   kRunLength, kRunDocuments)});
    table.row({Words{"longest shared passage", "最长的共同片段"}, grouped(shared),
               Text(Words{"characters in two documents", "个字符，两篇共有"}) +
                   passage_text(s.longest_shared, shared)});
    table.row({Words{"different openings", "不同的开头"}, percent(s.openings),
               say({"by the first %td characters", "（按前 %td 个字符算）"}, kOpeningLength)});
    if (s.searched == kPassagesWithin)
        table.row(
            {Words{}, Words{},
             say({"passages: looked for in the first %s characters", "片段只在前 %s 个字符里查找"},
                 grouped(s.searched))});
}

void add_parts(Table& table, const DataSheet& sheet) {
    const auto note = [&](const DataSheet::PartSize& part) {
        return say({"tokens, %s characters with the ends of documents, %s %s",
                    "个 token，%s 个字符（文档结尾也算一个），%s %s"},
                   grouped(part.characters), grouped(part.documents),
                   part.documents == 1 ? Words{"document", "篇"} : Words{"documents", "篇"});
    };
    table.row({Words{"vocabulary", "词表大小"}, grouped(sheet.vocabulary),
               say({"tokens: <|endoftext|>, 256 bytes, %s %s",
                    "个 token：<|endoftext|>、256 个字节、%s %s"},
                   grouped(sheet.vocabulary - 257),
                   sheet.tokenizer == TokenizerKind::bpe ? Words{"joined pairs", "个合并出来的"}
                                                         : kCharacters)});
    table.row({Words{"to learn from", "训练集"}, grouped(sheet.train.tokens), note(sheet.train)});
    table.row({Words{"for validation", "验证集"}, grouped(sheet.validation.tokens),
               note(sheet.validation) + (sheet.split == Split::hash
                                             ? Words{" (by hash)", "（按哈希分）"}
                                             : Words{" (the tail)", "（取末尾）"})});
    table.row({Words{"hash of the text", "文本的哈希"}, Words{}, hash_text(sheet.hash)});
}

// "context=64 channels=128"
std::string in_words(const OptionValues& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text += (text.empty() ? "" : " ") + std::string(name) + "=" + text_of(value);
    return text;
}

void add_targets(Table& table, const DataSheet& sheet) {
    const auto in_bits = [](double nats, Words meaning) {
        return say({"nats a character = %.3f bits: %s", "奈特/字符 = %.3f 比特/字符：%s"},
                   nats / std::numbers::ln2, meaning);
    };
    const NgramLosses& counting = sheet.levels.counting;
    table.row({Words{"unigram model", "一元模型"}, format("%.3f", counting.unigram),
               in_bits(counting.unigram,
                       {"knows how often each character comes", "只知道每个字符出现得多不多"})});
    table.row({Words{"bigram model", "二元模型"}, format("%.3f", counting.bigram),
               in_bits(counting.bigram, {"… after the character before it", "还看前一个字符"})});
    table.row({Words{"trigram model", "三元模型"}, format("%.3f", counting.trigram),
               in_bits(counting.trigram, {"… after the two before it", "看前两个字符"})});
    table.row(
        {Words{}, Words{},
         Text(Words{"counted on the training part, measured on the validation part "
                    "(interpolated Kneser-Ney)",
                    "在训练集上计数，在验证集上测量（插值 Kneser-Ney 平滑）"}) +
             (counting.whole ? Text()
                             : say({", the first %s characters of each", "，各取前 %s 个字符"},
                                   grouped(kNgramCharacters)))});
    if (sheet.levels.floor)
        table.row({Words{"floor", "下限"}, format("%.3f", *sheet.levels.floor),
                   in_bits(*sheet.levels.floor, {"no model can be below it on average",
                                                 "任何模型的平均损失都不会更低"})});
    table.row({Words{"suggested model", "建议的模型"}, Words{}, in_words(sheet.suggested.model)});
    table.row({Words{"and training", "建议的训练"}, Words{}, in_words(sheet.suggested.training)});
}

Json json_of(const DataSheet::PartSize& part) {
    return Json()
        .set("documents", part.documents)
        .set("characters", part.characters)
        .set("tokens", part.tokens);
}

Json json_of(const Suggestion& suggestion) {
    Json json;
    for (const OptionValues& values : {suggestion.model, suggestion.training})
        for (const auto& [name, value] : values)
            json.set(name, std::visit([](auto v) { return Json(v); }, value));
    return json;
}

}  // namespace

DataSheet data_sheet(const Corpus& corpus, const TextOptions& options) {
    const auto tokenizer = make_tokenizer(corpus, options);
    const TextStatistics text = text_statistics(corpus.documents());
    return {text,
            repetitions(corpus.documents()),
            counted(std::ssize(corpus.pieces(Part::train)), *tokenizer),
            size_of(corpus.pieces(Part::validation), *tokenizer),
            corpus.split(),
            corpus.files(),
            tokenizer->size(),
            options.tokenizer,
            corpus.hash(),
            suggest(text.characters, tokenizer->size()),
            levels_of(corpus, options.data)};
}

Text data_text(const DataSheet& sheet) {
    Table table("lrl", 0);
    add_counts(table, sheet);
    add_repetitions(table, sheet.repeated);
    add_parts(table, sheet);
    add_targets(table, sheet);
    return table.text();
}

Json data_json(const DataSheet& sheet) {
    const TextStatistics& s = sheet.text;
    const Repetitions& r = sheet.repeated;
    Json json = Json()
                    .set("files", sheet.files)
                    .set("documents", s.documents)
                    .set("characters", s.characters)
                    .set("bytes", s.bytes)
                    .set("distinct_characters", s.distinct)
                    .set("seen_once", s.seen_once)
                    .set("seen_fewer_than_five_times", s.seen_rarely)
                    .set("longest_document", s.longest)
                    .set("shortest_document", s.shortest)
                    .set("exact_duplicates", r.duplicates)
                    .set("repeated_passages", r.repeated_runs)
                    .set("longest_shared_passage", r.longest_shared)
                    .set("different_openings", r.openings)
                    .set("passages_searched_within", r.searched)
                    .set("vocabulary", sheet.vocabulary)
                    .set("split", sheet.split == Split::hash ? "hash" : "tail")
                    .set("train", json_of(sheet.train))
                    .set("validation", json_of(sheet.validation))
                    .set("hash", hash_text(sheet.hash))
                    .set("unigram_nats", sheet.levels.counting.unigram)
                    .set("bigram_nats", sheet.levels.counting.bigram)
                    .set("trigram_nats", sheet.levels.counting.trigram)
                    .set("suggested_model", json_of(sheet.suggested));
    if (sheet.levels.floor) json.set("floor_nats", *sheet.levels.floor);
    return json;
}

}  // namespace zhuyi
