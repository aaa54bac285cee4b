// UTF-8 (RFC 3629), strictly: exactly the byte sequences that the Unicode Standard calls
// well-formed (its table 3-7). NUL is a character like any other; unassigned and private code
// points are characters too.
//
//     U+0000  … U+007F     0xxxxxxx                                1 byte
//     U+0080  … U+07FF     110xxxxx 10xxxxxx                       2   é
//     U+0800  … U+FFFF     1110xxxx 10xxxxxx 10xxxxxx              3   小 = E5 B0 8F
//     U+10000 … U+10FFFF   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx     4   emoji, rare 汉字
//
// Four things fit these patterns and are still refused: a form longer than needed (C0 80 for NUL),
// the surrogates U+D800 … U+DFFF (a pair of them is what CESU-8 makes of an emoji), numbers above
// U+10FFFF, and a sequence that ends too early.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/real.h"

namespace zhuyi::utf8 {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD �, for bytes that are no text
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // U+FEFF, which some editors put first

enum class Finding {
    whole,      // a character
    cut,        // the bytes end inside a character that more bytes could complete
    stray,      // a continuation byte (80 … BF) that continues nothing
    unused,     // F8 … FF: never in UTF-8
    broken,     // another byte where a continuation byte should stand
    overlong,   // a longer form than the character needs
    surrogate,  // U+D800 … U+DFFF
    too_large,  // above U+10FFFF
};

struct Front {
    Finding finding = Finding::cut;
    char32_t code = 0;       // of a whole character, otherwise 0
    std::size_t length = 1;  // bytes of a whole character, otherwise 1

    bool whole() const { return finding == Finding::whole; }
};

// What `bytes`, which is not empty, begins with. Inline for one byte: a text in English is split
// twice as fast.
Front front_of_many(std::string_view bytes);
inline Front front(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    return lead < 0x80 ? Front{Finding::whole, lead, 1} : front_of_many(bytes);
}

// Returns the offset of the first byte that belongs to no character, or nothing if all of `bytes`
// is UTF-8. Reads about a gigabyte a second of plain text.
std::optional<Index> first_error(std::string_view bytes);

// code: a Unicode scalar value, that is, at most U+10FFFF and no surrogate.
std::string encode(char32_t code);

// Number of characters. Each byte that belongs to none counts as one.
Index length(std::string_view bytes);

// `for (std::string_view character : Characters(text))`: the characters in order. A byte that
// belongs to no character comes alone, so all pieces together are always the whole text.
class Characters {
  public:
    class Iterator {
      public:
        explicit Iterator(std::string_view rest) : rest_(rest) { look(); }
        std::string_view operator*() const { return rest_.substr(0, length_); }
        Iterator& operator++() {
            rest_.remove_prefix(length_);
            look();
            return *this;
        }
        bool operator!=(const Iterator& other) const { return rest_.size() != other.rest_.size(); }

      private:
        void look() { length_ = rest_.empty() ? 0 : front(rest_).length; }
        std::string_view rest_;
        std::size_t length_ = 0;
    };

    explicit Characters(std::string_view text) : text_(text) {}
    Iterator begin() const { return Iterator(text_); }
    Iterator end() const { return Iterator(text_.substr(text_.size())); }

  private:
    std::string_view text_;
};

// The bytes with U+FFFD for each one that belongs to no character: text for a person.
std::string repaired(std::string_view bytes);

// The first `count` characters of `text`, or all of it.
std::string_view prefix(std::string_view text, Index count);

}  // namespace zhuyi::utf8
