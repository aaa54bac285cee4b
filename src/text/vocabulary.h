// vocabulary.txt: one token a line, for people to read, and read back by the program itself.
//
//     # zhuyi vocabulary 1 characters
//     # id, token, count; …                 (comments only before the first token)
//     0 TAB <|endoftext|> TAB 518
//     1 TAB ⟨00⟩ TAB 0                      a byte
//     257 TAB ， TAB 9201                   a character, or one of the escapes below
//
// (The other kind, byte_pairs, is described in text/byte_pair.h.)
// A character that would not be seen is escaped: \s space, \n newline, \t tab, \r carriage return,
// \u{3000} any other blank, control, format or combining character by its hexadecimal number; \\ is
// the backslash itself.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/real.h"
#include "text/tokenizer.h"

namespace zhuyi {

inline constexpr const char* kVocabularyFile = "vocabulary.txt";      // in a run folder
inline constexpr const char* kVocabularyMark = "# zhuyi vocabulary";  // how each begins

// "小" -> 小, " " -> \s; bytes that belong to no character -> ⟨E8⟩.
std::string escaped(std::string_view bytes);

// The content of the file for a tokenizer; `kind` is the last word of its first line.
std::string vocabulary_lines(const Tokenizer& tokenizer, const char* kind);

// Error, naming `origin` (the path) and the line: a first line of another program or version, gaps
// or repetitions in the ids, byte tokens missing or out of order, a character twice, a token of
// several characters, unknown escapes, counts that are no numbers.
std::unique_ptr<Tokenizer> parse_vocabulary(std::string_view content, const std::string& origin);

// The same from a file. `path`: a vocabulary.txt or a run folder that holds one. Error: it is
// larger than 64 MiB.
std::unique_ptr<Tokenizer> read_tokenizer(const std::string& path);

// ---- What the two kinds of vocabulary.txt (characters here, byte pairs in text/byte_pair.h) share
// in reading.

// The lines of the file, one after the other. It knows the number of its line, so every Error names
// it.
class VocabularyReader {
  public:
    // origin: the path, for messages. Both must outlive the reader.
    VocabularyReader(std::string_view content, const std::string& origin)
        : rest_(content), origin_(origin) {}

    bool next_line();  // returns false if there is none
    std::string_view line() const { return line_; }
    Index number() const { return number_; }  // from 1
    [[noreturn]] void refuse(const std::string& complaint) const;

    // The three fields of a line, with a tab between them.
    struct Fields {
        std::string_view first, second, third;
    };
    Fields fields() const;
    // `what` is the field's name in messages.
    Index natural(std::string_view field, const Words& what) const;
    // The field must be `expected`: ids count from 0.
    void check_id(std::string_view field, Index expected) const;
    // Takes the first character off the token's field, written as it is or as an escape.
    char32_t take_character(std::string_view& field) const;

  private:
    char32_t take_escape(std::string_view& field) const;

    std::string_view rest_, line_;
    const std::string& origin_;
    Index number_ = 0;
};

}  // namespace zhuyi
