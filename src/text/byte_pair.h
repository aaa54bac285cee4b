// Byte pair encoding over bytes (Sennrich et al. 2016; Radford et al. 2019): GPT-2's tokenizer.
// Every byte is a token, so every text can be spelt; pairs of tokens that were frequent in the text
// that the vocabulary was made from are joined, the most frequent first. The pairs come with an
// imported model, or are learnt (text/byte_pair_trainer.h).
#pragma once
#include <array>
#include <memory>

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
    std::string_view bytes(Token token) const override { return tokens_[std::size_t(token)]; }
    Index count(Token token) const override { return counts_[std::size_t(token)]; }
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
        Join join{-1, -1};  // rank -1: nothing stands here
    };
    Place& place_of(Token left, Token right);

    std::vector<std::string> tokens_;
    std::vector<Merge> merges_;
    std::vector<Index> counts_;
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

}  // namespace zhuyi
