// A tokenizer of another program as its files describe it, before it is one kind of ours or the
// other.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/language.h"
#include "text/tokenizer.h"

namespace zhuyi {

constexpr Index kMostForeignTokens = 1 << 22;

struct DescribedTokenizer {
    std::map<Token, std::string> vocabulary, added;  // spellings by id
    std::map<Token, std::string> plain;  // those added that are not special: a text may spell them
    std::vector<std::pair<std::string, std::string>> merges;
    std::string end_of_text;  // spelling; "": not said
    Index rows;
};

// Errors: each says what about the files does not fit.

// The spellings of these tokens but one, in quotes; "": there are none.
std::string listed(const std::map<Token, std::string>& tokens, Token but);
Token end_of_text_of(const DescribedTokenizer& from);
// Added tokens that a text may spell.
void refuse_plain(const DescribedTokenizer& from);
std::unique_ptr<Tokenizer> byte_pairs(const DescribedTokenizer& from);
// The ids must be those of text/tokenizer.h: an id is a row of the embedding.
std::unique_ptr<Tokenizer> characters(const DescribedTokenizer& from);

// Most Chinese GPT-2s have it.
inline constexpr Words kWordPiece = {
    "this is a vocabulary of BERT (WordPiece): it drops spaces and line ends, lowers capitals, and "
    "writes [UNK] for what it does not know, so a text does not come out as it went in",
    "这是 BERT 的词表（WordPiece）：它会丢掉空格和换行、把大写变小写、把不认识的字写成 "
    "[UNK]，文本进去再出来就不一样了"};

// `why`, and what zhuyi reads instead.
[[noreturn]] void refuse_kind(const std::string& why);

}  // namespace zhuyi
