// What the two kinds of vocabulary.txt share in reading (text/vocabulary.h, text/byte_pair.h); for
// nobody else.
#pragma once
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

// The lines of the file, one after the other. It knows the number of its line, so every Error names
// it.
class VocabularyReader {
  public:
    // origin: the path, for messages. Both must outlive the reader.
    VocabularyReader(std::string_view content, const std::string& origin)
        : rest_(content), origin_(origin) {}

    bool next_line();  // false: there is none
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
