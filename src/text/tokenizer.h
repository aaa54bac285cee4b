// Text to tokens and back. A token is the number of a row of the token embedding; only the
// tokenizer knows which bytes of a text it stands for.
//
// Every tokenizer here is lossless: decode(encode(text)) == text for all bytes, seen in training or
// not. There is no token for "unknown". Nothing is normalised, folded or trimmed.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/list.h"
#include "base/real.h"

namespace zhuyi {

// Comes after each document, and before a sample that has no prompt. It has no bytes: no text can
// spell it. The thirteen characters <|endoftext|> inside a text are thirteen ordinary characters
// for zhuyi; Hugging Face tokenizers make token 0 of them wherever they occur, llama.cpp does so
// when asked to parse special tokens.
constexpr Token kEndOfText = 0;
constexpr std::string_view kEndOfTextName = "<|endoftext|>";

class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    virtual Index size() const = 0;  // V; tokens are 0 … V - 1
    // The one after each document. Other kinds of vocabularies have another number for it than 0.
    virtual Token end_of_text() const { return kEndOfText; }
    std::vector<Token> encode(std::string_view text) const;
    // The same, added to the end of `tokens`: a text of gigabytes need not be copied.
    virtual void append(std::vector<Token>& tokens, std::string_view text) const = 0;
    // What a token (in [0, V)) adds to a text: "小" is E5 B0 8F; nothing for end_of_text().
    virtual std::string_view bytes(Token token) const = 0;
    // How often the token occurs in the text that the vocabulary was made from.
    virtual Index count(Token token) const = 0;
    // The content of vocabulary.txt: read_tokenizer (text/vocabulary.h) makes the same tokenizer
    // from it.
    virtual std::string vocabulary_file() const = 0;

    std::string decode(std::span<const Token> tokens) const;
    // What a person is shown: 小, <|endoftext|>, ⟨E8⟩ for bytes that are no whole characters, \s \n
    // \t \u{3000} for what would not be seen, \\ for a backslash.
    std::string name(Token token) const;
    // How many characters the tokens spell: a character of three byte tokens is one, and the end of
    // a document counts as one, since a model must predict it like any other. Losses are compared
    // per character by this count.
    Index characters(std::span<const Token> tokens) const;
};

// One token for each character. The ids follow a fixed rule, so that other programs get the same
// ones (SPM with byte fallback in llama.cpp, BPE without merges in Hugging Face tokenizers):
//
//     0          <|endoftext|>
//     1 … 256    the bytes 00 … FF: they spell every character that has no token
//     257 …      characters by falling count, ties by code point
//
// U+2581 ▁ never gets a token of its own: those programs write the space as ▁. (llama.cpp still
// reads a ▁ in a text as a space; no file of ours can change that.)
class CharacterTokenizer : public Tokenizer {
  public:
    static constexpr Token kFirstByte = 1;
    static constexpr Token kFirstCharacter = 257;
    static constexpr char32_t kNeverAToken = 0x2581;

    struct Character {
        char32_t code;
        Index count;
    };

    // From the texts of a training part, in which `ends` documents end: characters that occur there
    // at least min_count times get tokens.
    static CharacterTokenizer from_texts(std::span<const std::string_view> texts, Index min_count,
                                         Index ends);

    // The characters from id 257 on, in order; and the counts of the 257 tokens before them. Error:
    // a character comes twice or is kNeverAToken.
    CharacterTokenizer(std::vector<Character> characters, std::vector<Index> first_counts);

    Index size() const override { return kFirstCharacter + Index(characters_.size()); }
    void append(std::vector<Token>& tokens, std::string_view text) const override;
    std::string_view bytes(Token token) const override;
    Index count(Token token) const override { return counts_[token]; }
    std::string vocabulary_file() const override;

    // Returns the token of a character, or -1 if it is spelt in bytes.
    Token token_of(char32_t code) const {
        return code < token_of_.size() ? token_of_[code] : Token(-1);
    }

  private:
    std::vector<Character> characters_;
    List<Index> counts_;
    std::vector<Token> token_of_;    // by code point, up to the largest that has a token
    std::string bytes_;              // of all tokens, one after the other
    List<std::size_t> bytes_begin_;  // V + 1
};

// ---- From what a person types to tokens.

// Throws UsageError, with the first wrong byte, when what a person typed is no UTF-8; `option`
// names it in the message ("--prompt").
void require_utf8(std::string_view text, const std::string& option);

// The tokens of a text that a model is to read. Throws UsageError when it is empty, is no UTF-8, or
// has more tokens than `context`; `option` names it in the message ("--text").
std::vector<Token> typed_text(const Tokenizer& tokenizer, std::string_view text, Index context,
                              const char* option);

// One line on the characters of a text that stand in no token met in the training text: a model
// knows nothing of them. It names up to three, each with the one that was probably meant (馬 → 马)
// where the training text has that, then a count. "" if there are none, or if the tokenizer does
// not know its counts (an imported one).
std::string unseen_text(const Tokenizer& tokenizer, std::string_view text);

// The token that is this character, or whose name in vocabulary.txt this is (\n, ⟨E8⟩,
// <|endoftext|>). Throws UsageError for a text of several tokens, and says which.
Token single_token(const Tokenizer& tokenizer, std::string_view text);

}  // namespace zhuyi
