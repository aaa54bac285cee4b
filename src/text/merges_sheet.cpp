#include "text/merges_sheet.h"

#include "base/format.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

using Join = BytePairTokenizer::Join;

std::vector<Token> bytes_of(const BytePairTokenizer& tokenizer, std::string_view piece) {
    std::vector<Token> tokens;
    for (const char byte : piece) tokens.push_back(tokenizer.token_of_byte(byte));
    return tokens;
}

// Returns the rule that joins a pair of neighbours first, or nullptr if no rule does.
const Join* first_join(const BytePairTokenizer& tokenizer, const std::vector<Token>& tokens) {
    const Join* first = nullptr;
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (const Join* join = tokenizer.join(tokens[i - 1], tokens[i]))
            if (!first || join->rank < first->rank) first = join;
    return first;
}

std::string names(const BytePairTokenizer& tokenizer, const std::vector<Token>& tokens) {
    std::string text;
    for (const Token token : tokens) text += (text.empty() ? "" : "  ") + tokenizer.name(token);
    return text;
}

void add_piece(Sheet& sheet, const BytePairTokenizer& tokenizer, std::string_view piece) {
    sheet.part(in_quotes(piece));
    Sheet::Table& table = sheet.records("merges", {Sheet::unseen("piece"),
                                                   {"step", {"step", "步"}},
                                                   {"rule", {"rule", "规则"}},
                                                   {"joined", {"joined", "合并"}},
                                                   {"tokens", {"tokens", "token"}}});
    const std::string text(piece);
    table.record({text, Sheet::Cell::count(0), Sheet::Cell(), say({"bytes", "字节"}),
                  names(tokenizer, bytes_of(tokenizer, piece))});
    Index step = 0;
    for (const MergeStep& s : merge_steps(tokenizer, piece))
        table.record({text, Sheet::Cell::count(++step), Sheet::Cell::count(s.join.rank + 1),
                      tokenizer.name(s.pair.left) + " + " + tokenizer.name(s.pair.right),
                      names(tokenizer, s.tokens)});
}

}  // namespace

std::vector<MergeStep> merge_steps(const BytePairTokenizer& tokenizer, std::string_view piece) {
    std::vector<Token> tokens = bytes_of(tokenizer, piece);
    std::vector<MergeStep> steps;
    while (const Join* join = first_join(tokenizer, tokens)) {
        const BytePairTokenizer::Merge pair = tokenizer.merges()[std::size_t(join->rank)];
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
            if (tokens[i] == pair.left && tokens[i + 1] == pair.right) {
                tokens[i] = join->result;
                tokens.erase(tokens.begin() + std::ptrdiff_t(i) + 1);
            }
        steps.push_back({pair, *join, tokens});
    }
    return steps;
}

Sheet merges_sheet(const BytePairTokenizer& tokenizer, std::string_view text) {
    Sheet sheet;
    sheet.text(
        {"The text is cut into pieces; in each, its bytes are joined. In every step the neighbours "
         "are joined whose rule was learnt first (%s rules; rule 1 was the most frequent pair of "
         "the text).",
         "先把文字切成片段，再在每一段里从字节开始合并。每一步，合并最早学到的那条规则所指的相邻"
         "两个 token（共 %s 条规则；规则 1 是训练文本里最常见的一对）。"},
        grouped(std::ssize(tokenizer.merges())));
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, first_piece(text));
        add_piece(sheet, tokenizer, piece);
        text.remove_prefix(piece.size());
    }
    return sheet;
}

}  // namespace zhuyi
