// zhuyi data: what is in a text, before one trains on it.
#include <algorithm>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "formats/json.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/statistics.h"
#include "text/suggestion.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace {

struct PartSize {
    Index documents, characters, tokens;
};

struct Findings {
    TextStatistics text;
    Repetitions repeated;
    PartSize train, validation;
    Split split;
    Index files, vocabulary;
    std::uint64_t hash;
    Suggestion model;
};

// By counting: the tokens themselves would take several times the memory of the text.
PartSize size_of(const std::vector<Piece>& pieces, const CharacterTokenizer& tokenizer) {
    PartSize size{std::ssize(pieces), 0, 0};
    for (const Piece& piece : pieces) {
        for (std::string_view character : utf8::Characters(piece.text)) {
            const bool known = tokenizer.token_of(utf8::front(character).code) >= 0;
            size.tokens += known ? 1 : std::ssize(character);
            size.characters += 1;
        }
        size.tokens += piece.ends;
        size.characters += piece.ends;
    }
    return size;
}

Findings findings_of(const Corpus& corpus, Index min_count) {
    Findings found;
    found.text = text_statistics(corpus.documents());
    found.repeated = repetitions(corpus.documents());
    const CharacterTokenizer tokenizer = make_tokenizer(corpus, min_count);
    found.train = size_of(corpus.pieces(Part::train), tokenizer);
    found.validation = size_of(corpus.pieces(Part::validation), tokenizer);
    found.split = corpus.split();
    found.files = corpus.files();
    found.vocabulary = tokenizer.size();
    found.hash = corpus.hash();
    found.model = suggest_model(found.text.characters, found.vocabulary);
    return found;
}

std::string percent(double share) { return format("%.1f %%", 100 * share); }
double share_of(Index part, Index whole) { return whole > 0 ? double(part) / double(whole) : 0; }
double bits(double nats) { return nats / 0.6931471805599453; }

// Aligned in columns, whatever the language: what, how much, and what that means.
class Table {
  public:
    explicit Table(Language language) : language_(language) {}
    void row(Words what, const std::string& how_much, const std::string& note = "") {
        rows_.push_back({what.in(language_), how_much, note});
    }
    const std::string& in(const std::string& english, const std::string& chinese) const {
        return language_ == Language::chinese ? chinese : english;
    }
    std::string text() const {
        int first = 0, second = 0;
        for (const Row& row : rows_) {
            first = std::max(first, display_width(row.what));
            second = std::max(second, display_width(row.how_much));
        }
        std::string lines;
        for (const Row& row : rows_) {
            lines += fit_left(row.what, first) + "  " + fit_right(row.how_much, second);
            lines += (row.note.empty() ? "" : "  ") + row.note + "\n";
        }
        return lines;
    }

  private:
    struct Row {
        std::string what, how_much, note;
    };
    Language language_;
    std::vector<Row> rows_;
};

void add_counts(Table& table, const Findings& found) {
    const TextStatistics& s = found.text;
    const std::string once = percent(share_of(s.seen_once, s.distinct));
    const std::string rarely = percent(share_of(s.seen_rarely, s.distinct));
    table.row({"documents", "文档"}, grouped(s.documents),
              table.in(found.files == 1 ? "in one file" : format("in %td files", found.files),
                       format("共 %td 个文件", found.files)));
    table.row({"characters", "字符"}, grouped(s.characters),
              table.in(grouped(s.bytes) + " bytes", grouped(s.bytes) + " 字节"));
    table.row({"distinct characters", "不同的字符"}, grouped(s.distinct),
              table.in(once + " of them seen once, " + rarely + " fewer than five times",
                       "其中 " + once + " 只出现一次，" + rarely + " 不到五次"));
    table.row({"longest document", "最长的文档"}, grouped(s.longest),
              table.in("characters", "字符"));
    table.row({"shortest document", "最短的文档"}, grouped(s.shortest),
              table.in("characters", "字符"));
}

void add_repetitions(Table& table, const Repetitions& s) {
    constexpr Index kShown = 40;
    const Index shared = utf8::length(s.longest_shared);
    std::string passage;
    for (std::string_view c : utf8::Characters(utf8::prefix(s.longest_shared, kShown)))
        passage += c == " " ? " " : escaped(c);
    if (shared > kShown) passage += "…";
    table.row({"exact duplicates", "完全重复"}, grouped(s.duplicates),
              table.in("documents that repeat an earlier one", "篇与前面某篇一字不差"));
    table.row({"repeated passages", "重复的片段"}, percent(s.repeated_runs),
              table.in(format("of the runs of %td characters stand in more than %td documents",
                              kRunLength, kRunDocuments),
                       format("的 %td 字片段出现在 %td 篇以上", kRunLength, kRunDocuments)));
    table.row({"longest shared passage", "最长的共同片段"}, grouped(shared),
              table.in("characters in two documents", "字，见于两篇文档") +
                  (shared > 0 ? table.in(": ", "：") + passage : ""));
    table.row({"different openings", "不同的开头"}, percent(s.openings),
              table.in(format("by the first %td characters", kOpeningLength),
                       format("按前 %td 个字符算", kOpeningLength)));
    if (s.searched == kPassagesWithin)
        table.row(
            {"", ""}, "",
            table.in("passages: looked for in the first " + grouped(s.searched) + " characters",
                     "片段只在前 " + grouped(s.searched) + " 个字符里查找"));
}

void add_parts(Table& table, const Findings& found) {
    const auto note = [&](const PartSize& part) {
        return table.in("tokens, " + grouped(part.characters) +
                            " characters with the ends of documents, " + grouped(part.documents) +
                            (part.documents == 1 ? " document" : " documents"),
                        "个词元，" + grouped(part.characters) + " 个字符（文档结尾也算一个），" +
                            grouped(part.documents) + " 篇");
    };
    table.row(
        {"vocabulary", "词表"}, grouped(found.vocabulary),
        table.in(
            "tokens: <|endoftext|>, 256 bytes, " + grouped(found.vocabulary - 257) + " characters",
            "个词元：<|endoftext|>、256 个字节、" + grouped(found.vocabulary - 257) + " 个字符"));
    table.row({"to learn from", "训练部分"}, grouped(found.train.tokens), note(found.train));
    table.row({"for validation", "验证部分"}, grouped(found.validation.tokens),
              note(found.validation) + (found.split == Split::hash
                                            ? table.in(" (by hash)", "（按哈希分）")
                                            : table.in(" (the tail)", "（取末尾）")));
    table.row({"hash of the text", "文本的哈希"}, "", hash_text(found.hash));
}

void add_targets(Table& table, const Findings& found) {
    const auto in_bits = [&](double nats) {
        return table.in(format("nats a character = %.3f bits: ", bits(nats)),
                        format("奈特每字 = %.3f 比特：", bits(nats)));
    };
    const double single = found.text.unigram_entropy, pairs = found.text.bigram_entropy;
    table.row(
        {"unigram entropy", "单字熵"}, format("%.3f", single),
        in_bits(single) + table.in("a loss above it knows less than how often each character comes",
                                   "损失比它高，就连每个字出现得多不多也没学会"));
    table.row({"bigram entropy", "双字熵"}, format("%.3f", pairs),
              in_bits(pairs) +
                  table.in("what knowing the character before leaves open, on this very text",
                           "在这份文本里，知道前一个字以后还剩的不确定"));
    const Suggestion& m = found.model;
    table.row({"suggested model", "建议的模型"}, "",
              format("context=%td channels=%td heads=%td layers=%td batch=%td steps=%td dropout=%g "
                     "learning_rate=%g",
                     m.context, m.channels, m.heads, m.layers, m.batch, m.steps, m.dropout,
                     m.learning_rate));
}

std::string table_of(const Findings& found, Language language) {
    Table table(language);
    add_counts(table, found);
    add_repetitions(table, found.repeated);
    add_parts(table, found);
    add_targets(table, found);
    return table.text();
}

Json json_of(const PartSize& part) {
    return Json()
        .set("documents", part.documents)
        .set("characters", part.characters)
        .set("tokens", part.tokens);
}

Json json_of(const Suggestion& model) {
    return Json()
        .set("context", model.context)
        .set("channels", model.channels)
        .set("heads", model.heads)
        .set("layers", model.layers)
        .set("batch", model.batch)
        .set("steps", model.steps)
        .set("dropout", model.dropout)
        .set("learning_rate", model.learning_rate);
}

Json json_of(const Findings& found) {
    const TextStatistics& s = found.text;
    const Repetitions& r = found.repeated;
    return Json()
        .set("files", found.files)
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
        .set("vocabulary", found.vocabulary)
        .set("split", found.split == Split::hash ? "hash" : "tail")
        .set("train", json_of(found.train))
        .set("validation", json_of(found.validation))
        .set("hash", hash_text(found.hash))
        .set("unigram_entropy_nats", s.unigram_entropy)
        .set("bigram_entropy_nats", s.bigram_entropy)
        .set("suggested_model", json_of(found.model));
}

class DataCommand : public Command {
  public:
    const char* name() const override { return "data"; }
    const char* usage() const override {
        return "FILE|FOLDER [--documents --split --min_count] [--json]";
    }
    Words summary() const override {
        return {"what is in a text before one trains on it", "训练之前，先看看文本里有什么"};
    }
    void declare(Options& options) override {
        zhuyi::declare(options, text_);
        options.add("json", json_,
                    {"the same as JSON, for programs", "同样的内容，写成 JSON，给程序读"});
    }
    void prepare(const std::vector<std::string>& words, Options&) override {
        if (words.size() > 1)
            fail_usage_english("expected one file or folder, found a second word " +
                               in_quotes(words[1]));
        if (!words.empty()) text_.data = words[0];
    }
    int run(const std::vector<std::string>&, const Options&, Language language) override {
        if (text_.data.empty()) fail_usage_english("expected a file or folder: zhuyi data FILE");
        const Findings found = findings_of(Corpus::read(text_), text_.min_count);
        print(json_ ? json_of(found).write(2) + "\n" : table_of(found, language));
        return 0;
    }

  private:
    TextOptions text_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> data_command() { return std::make_unique<DataCommand>(); }

}  // namespace zhuyi
