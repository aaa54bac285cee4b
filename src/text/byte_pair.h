// Byte pair encoding over bytes (Sennrich et al. 2016; Radford et al. 2019): GPT-2's tokenizer.
// Every byte is a token, so every text can be spelt; pairs of tokens that were frequent in the text
// that the vocabulary was made from are joined, the most frequent first. The pairs come with an
// imported model, or are learnt (train_byte_pairs).
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "text/tokenizer.h"

namespace zhuyi {

class BytePairTokenizer : public Tokenizer {
  public:
    struct Merge {
        Token left, right;
    };
    // tokens: the bytes of each; "" for those that no text spells (end_of_text, and rows of an
    // embedding that is larger than its vocabulary). merges: in order of their rank. counts: one
    // for each token, or {}. Error: a byte has no token, two tokens have the same bytes, a merge
    // comes twice or makes no token.
    BytePairTokenizer(std::vector<std::string> tokens, const std::vector<Merge>& merges,
                      Token end_of_text, std::vector<Index> counts = {});

    Index size() const override { return Index(tokens_.size()); }
    Token end_of_text() const override { return end_of_text_; }
    void append(std::vector<Token>& tokens, std::string_view text) const override;
    std::string_view bytes(Token token) const override { return tokens_[token]; }
    Index count(Token token) const override { return counts_[token]; }
    std::string vocabulary_file() const override;

    const std::vector<Merge>& merges() const { return merges_; }
    // What a pair of tokens becomes, and its place in merges(): lower ones are joined first.
    struct Join {
        std::int32_t rank;
        Token result;
    };
    const Join* join(Token left, Token right) const;  // nullptr: they are not joined
    Token token_of_byte(char byte) const {
        return token_of_byte_[static_cast<unsigned char>(byte)];
    }

  private:
    struct Piece;  // its symbols, and the pairs that wait to be joined
    void join_short(std::string_view bytes, std::vector<Token>& tokens) const;
    void join_long(std::string_view bytes, Piece& piece, std::vector<Token>& tokens) const;

    // The joins by their pair: a table with open addressing, at most half of it filled, since a
    // text of n bytes asks for about 3 n pairs. Twice as fast as std::unordered_map.
    struct Place {
        std::uint64_t pair;
        Join join{-1, -1};  // rank -1 means that nothing stands here
    };
    Place& place_of(Token left, Token right);

    List<std::string> tokens_;
    std::vector<Merge> merges_;
    List<Index> counts_;
    Token end_of_text_;
    std::array<Token, 256> token_of_byte_{};
    std::vector<Place> joins_;
};

// The second kind of vocabulary.txt (text/vocabulary.h), whose first line is kBytePairs and the id
// of end_of_text:
//
//     # zhuyi vocabulary 1 byte_pairs, end of text 50256
//     262 TAB \sthe TAB 0          id, bytes, count; ⟨E5⟩ is a byte that is no whole character,
//                                  and ⟨ itself is \u{27E8}; ⟨unused⟩ has no bytes
//     merge TAB 256 TAB 68         after the tokens, in order of their rank
constexpr std::string_view kBytePairs = "# zhuyi vocabulary 1 byte_pairs, end of text ";
std::unique_ptr<Tokenizer> parse_byte_pairs(std::string_view content, const std::string& origin);

// ---- learning

// Learns a byte pair encoding from a text (Sennrich et al. 2016, algorithm 1; over bytes, as
// Radford et al. 2019, section 2.2).
//
//     the text is cut into pieces (first_piece), each piece begins as its bytes
//     again and again: the two neighbouring tokens that occur together most often become one token
//
// Of pairs that occur equally often, the one whose left token has the smaller id comes first, then
// the one whose right token has. Only sums of integers decide, so every machine learns the same
// pairs, in whatever order the texts come.
//
// Ids: 0 is <|endoftext|>, 1 … 256 are the bytes 00 … FF, from 257 on stand the joined pairs, first
// the one that was joined first: `vocabulary` tokens in all, at least 257. `ends`: documents that
// end in the texts.
//
// Time: a piece that occurs often is counted once, with its weight; a join visits only the
// positions of its pair. Memory: about 28 bytes for each byte of the different pieces. Error: that
// is more than there is, or the texts are larger than 4 GiB. UsageError of train_byte_pairs: before
// there are so many tokens, no pair occurs twice; learn_byte_pairs then makes fewer.
BytePairTokenizer train_byte_pairs(std::span<const std::string_view> texts, Index vocabulary,
                                   Index ends);
BytePairTokenizer learn_byte_pairs(std::span<const std::string_view> texts, Index at_most,
                                   Index ends);

// ---- pieces

// How GPT-2 cuts a text into pieces before it joins bytes: no token reaches across two pieces. The
// rule is the regular expression
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// (Radford et al. 2019, section 2.2, and their published code): one space before a word, a number
// or a run of signs belongs to it; of several blanks the last one belongs to what follows. Returns
// the bytes of the first piece of `text`, which is not empty. A byte that belongs to no character
// counts as a sign.
std::size_t first_piece(std::string_view text);

enum class CharacterClass : unsigned char { letter, number, space, other };
CharacterClass class_of(char32_t code);

}  // namespace zhuyi
