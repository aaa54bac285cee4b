// Tokenizers of other programs: how they write bytes, and how their files describe a vocabulary
// before we know which kind of ours it becomes.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "text/byte_pair.h"

namespace zhuyi {

// GPT-2's files write each byte as a visible character: 21 … 7E, A1 … AC and AE … FF as the code
// point of the same number; the other 68, in order, as U+0100, U+0101 … So a space is Ġ (U+0120),
// and a newline is Ċ.
std::string in_byte_alphabet(std::string_view bytes);
// Returns the bytes, or nothing if a character of the text stands for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

// How a vocabulary with byte fallback writes a byte: "<0x0A>".
std::string byte_fallback_name(unsigned char byte);

// How a vocabulary of characters writes one of its tokens: "<|endoftext|>", "<0x0A>", "小".
std::string character_spelling(const Tokenizer& tokenizer, Token token);
// "Ġ t": the two tokens of each merge.
std::vector<std::string> merge_spellings(const BytePairTokenizer& tokenizer);

constexpr Index kMostForeignTokens = 1 << 22;

struct DescribedTokenizer {
    std::map<Token, std::string> vocabulary, added;  // how each token is spelt
    std::map<Token, std::string> plain;  // of the added ones those that a text may spell
    std::vector<std::pair<std::string, std::string>> merges;
    std::string end_of_text;  // how it is spelt; empty if no file says it
    Index rows;               // of the model's embedding
};

// These throw Error, which says what does not fit.

// Returns the first spellings, in quotes, of all these tokens except one; "" if no other is there.
std::string listed(const std::map<Token, std::string>& tokens, Token except);
Token end_of_text_of(const DescribedTokenizer& from);
// Refuses added tokens that a text may spell: there the text gets their ids, and here those of its
// characters.
void refuse_plain(const DescribedTokenizer& from);
std::unique_ptr<Tokenizer> byte_pairs(const DescribedTokenizer& from);
// The ids must be those of text/tokenizer.h, because an id is a row of the embedding.
std::unique_ptr<Tokenizer> characters(const DescribedTokenizer& from);

// Most Chinese GPT-2s have such a vocabulary.
inline constexpr Words kWordPiece = {
    "this is a vocabulary of BERT (WordPiece): it drops spaces and line ends, lowers capitals, and "
    "writes [UNK] for what it does not know, so a text does not come out as it went in",
    "这是 BERT 的词表（WordPiece）：它会丢掉空格和换行、把大写变小写、把不认识的字写成 "
    "[UNK]，文本进去再出来就不一样了"};

// Throws Error: why, and which tokenizers zhuyi reads.
[[noreturn]] void refuse_kind(const std::string& why);

}  // namespace zhuyi
