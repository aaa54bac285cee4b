#include "text/data_sheet.h"

#include <numbers>

#include "base/format.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "text/corpus.h"
#include "text/ngram.h"
#include "text/statistics.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace {

constexpr Words kCharacters = {"characters", "个字符"};

double share_of(Index part, Index whole) { return whole > 0 ? double(part) / double(whole) : 0; }
std::string percent(double share) { return format("%.1f %%", 100 * share); }

void add_counts(Sheet& sheet, Sheet::Table& table, const Corpus& corpus, const TextStatistics& s) {
    const Index files = corpus.files();
    table.value("documents", {"documents", "文档"}, Cell::count(s.documents),
                files == 1 ? Label{"in one file", "篇，在一个文件里"}
                           : Label(say({"in %td files", "篇，共 %td 个文件"}, files)));
    table.value("characters", {"characters", "字符"}, Cell::count(s.characters),
                say({"%s bytes", "个（标点也算），%s 字节"}, grouped(s.bytes)));
    table.value("distinct_characters", {"distinct characters", "不同的字符"},
                Cell::count(s.distinct),
                say({"%s of them seen once, %s fewer than five times",
                     "个，其中 %s 只出现一次，%s 不到五次"},
                    percent(share_of(s.seen_once, s.distinct)),
                    percent(share_of(s.seen_rarely, s.distinct))));
    table.value("longest_document", {"longest document", "最长的文档"}, Cell::count(s.longest),
                say(kCharacters));
    table.value("shortest_document", {"shortest document", "最短的文档"}, Cell::count(s.shortest),
                say(kCharacters));
    sheet.set("files", files), sheet.set("bytes", s.bytes);
    sheet.set("seen_once", s.seen_once), sheet.set("seen_fewer_than_five_times", s.seen_rarely);
}

// The beginning of the passage, with marks where it begins and ends.
std::string passage_text(const std::string& passage, Index length) {
    constexpr Index kShown = 40;
    if (length == 0) return {};
    std::string shown;
    for (std::string_view c : utf8::Characters(utf8::prefix(passage, kShown)))
        shown += c == " " ? " " : escaped(c);
    if (length > kShown) shown += "…";
    return say({": “%s”", "：〔%s〕"}, shown);
}

void add_repetitions(Sheet& sheet, Sheet::Table& table, const Repetitions& s) {
    const Index shared = utf8::length(s.longest_shared);
    table.value("exact_duplicates", {"exact duplicates", "完全重复"}, Cell::count(s.duplicates),
                {"documents that repeat an earlier one", "篇（与前面某一篇完全相同的）"});
    table.value("repeated_passages", {"repeated passages", "重复的片段"},
                Cell::percent(s.repeated_runs, 1),
                say({"of the runs of %td characters stand in more than %td documents",
                     "（%td 个字符的片段中，出现在超过 %td 篇里的比例）"},
                    kRunLength, kRunDocuments));
    table.value("", {"longest shared passage", "最长的共同片段"}, Cell::count(shared),
                say({"characters in two documents", "个字符，两篇共有"}) +
                    passage_text(s.longest_shared, shared));
    table.value("different_openings", {"different openings", "不同的开头"},
                Cell::percent(s.openings, 1),
                say({"by the first %td characters", "（按前 %td 个字符算）"}, kOpeningLength));
    if (s.searched == kPassagesWithin)
        table.value(
            "", {}, {},
            say({"passages: looked for in the first %s characters", "片段只在前 %s 个字符里查找"},
                grouped(s.searched)));
    sheet.set("longest_shared_passage", s.longest_shared);
    sheet.set("passages_searched_within", s.searched);
}

// A part of the text; a document's end is a token and a character, too.
struct PartSize {
    Index documents, characters = 0, tokens = 0;
};

// The tokenizer was made from the training part, and has counted it.
PartSize size_of_training_part(const Corpus& corpus, const Tokenizer& tokenizer) {
    PartSize size{std::ssize(corpus.pieces(Part::train))};
    for (Token token = 0; token < tokenizer.size(); ++token) {
        size.tokens += tokenizer.count(token);
        size.characters += tokenizer.count(token) * tokenizer.characters({&token, 1});
    }
    return size;
}

PartSize size_of_validation_part(const Corpus& corpus, const Tokenizer& tokenizer) {
    const std::vector<Piece>& pieces = corpus.pieces(Part::validation);
    PartSize size{std::ssize(pieces)};
    for (const Piece& piece : pieces) {
        const std::vector<Token> tokens = tokenizer.encode(piece.text);
        size.tokens += std::ssize(tokens) + piece.ends;
        size.characters += tokenizer.characters(tokens) + piece.ends;
    }
    return size;
}

void add_part(Sheet& sheet, Sheet::Table& table, const std::string& key, Label name,
              const PartSize& part, const Label& how) {
    table.value(key + ".tokens", std::move(name), Cell::count(part.tokens),
                say({"tokens, %s characters with the ends of documents, %s %s%s",
                     "个 token，%s 个字符（文档结尾也算一个），%s %s%s"},
                    grouped(part.characters), grouped(part.documents),
                    part.documents == 1 ? Words{"document", "篇"} : Words{"documents", "篇"}, how));
    sheet.set(key + ".documents", part.documents);
    sheet.set(key + ".characters", part.characters);
}

void add_parts(Sheet& sheet, Sheet::Table& table, const Corpus& corpus, const Tokenizer& tokenizer,
               TokenizerKind kind) {
    const bool by_hash = corpus.split() == Split::hash;
    const Index own = tokenizer.size() - 257;  // besides the end of text and the bytes
    table.value(
        "vocabulary", {"vocabulary", "词表大小"}, Cell::count(tokenizer.size()),
        say({"tokens: <|endoftext|>, 256 bytes, %s %s",
             "个 token：<|endoftext|>、256 个字节、%s %s"},
            grouped(own),
            kind == TokenizerKind::bpe ? Words{"joined pairs", "个合并出来的"} : kCharacters));
    add_part(sheet, table, "train", {"to learn from", "训练集"},
             size_of_training_part(corpus, tokenizer), {});
    add_part(sheet, table, "validation", {"for validation", "验证集"},
             size_of_validation_part(corpus, tokenizer),
             by_hash ? Words{" (by hash)", "（按哈希分）"} : Words{" (the tail)", "（取末尾）"});
    table.value("", {"hash of the text", "文本的哈希"}, {}, hash_text(corpus.hash()));
    sheet.set("split", by_hash ? "hash" : "tail"), sheet.set("hash", hash_text(corpus.hash()));
}

void add_levels(Sheet::Table& table, const Levels& levels) {
    const auto add = [&](const char* key, Label name, double nats, Words meaning) {
        table.value(key, std::move(name), Cell::fixed(nats, 3),
                    say({"nats a character = %.3f bits: %s", "奈特/字符 = %.3f 比特/字符：%s"},
                        nats / std::numbers::ln2, meaning));
    };
    const NgramLosses& counting = levels.counting;
    add("unigram_nats", {"unigram model", "一元模型"}, counting.unigram,
        {"knows how often each character comes", "只知道每个字符出现得多不多"});
    add("bigram_nats", {"bigram model", "二元模型"}, counting.bigram,
        {"… after the character before it", "还看前一个字符"});
    add("trigram_nats", {"trigram model", "三元模型"}, counting.trigram,
        {"… after the two before it", "看前两个字符"});
    table.value(
        "", {}, {},
        say({"counted on the training part, measured on the validation part "
             "(interpolated Kneser-Ney)",
             "在训练集上计数，在验证集上测量（插值 Kneser-Ney 平滑）"}) +
            (counting.whole ? std::string()
                            : say({", the first %s characters of each", "，各取前 %s 个字符"},
                                  grouped(kNgramCharacters))));
    if (levels.floor)
        add("floor_nats", {"floor", "理论下界（文本的熵率）"}, *levels.floor,
            {"no model can be below it on average", "任何模型的平均损失都不会更低"});
}

}  // namespace

Sheet data_sheet(const Corpus& corpus, const TextOptions& options) {
    const auto tokenizer = make_tokenizer(corpus, options);
    const TextStatistics text = text_statistics(corpus.documents());
    Sheet sheet;
    Sheet::Table& table = sheet.values();
    add_counts(sheet, table, corpus, text);
    add_repetitions(sheet, table, repetitions(corpus.documents()));
    add_parts(sheet, table, corpus, *tokenizer, options.tokenizer);
    add_levels(table, levels_of(corpus, options.data));
    return sheet;
}

}  // namespace zhuyi
