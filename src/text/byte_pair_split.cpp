#include "text/byte_pair_split.h"

#include "text/utf8.h"

namespace zhuyi {
namespace {

struct Next {
    CharacterClass kind;
    std::size_t bytes;
};

Next next(std::string_view text) {
    const utf8::Front found = utf8::front(text);
    if (found.finding != utf8::Finding::whole) return {CharacterClass::other, 1};
    return {class_of(found.code), std::size_t(found.length)};
}

// Bytes of the characters of one class that `text` begins with.
std::size_t run(std::string_view text, CharacterClass kind) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const Next character = next(text.substr(bytes));
        if (character.kind != kind) break;
        bytes += character.bytes;
    }
    return bytes;
}

}  // namespace

std::size_t first_piece(std::string_view text) {
    if (text[0] == '\'')
        for (std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
            if (text.starts_with(ending)) return ending.size();

    const std::size_t gap = text[0] == ' ' && text.size() > 1 ? 1 : 0;
    const Next word = next(text.substr(gap));
    if (word.kind != CharacterClass::space) return gap + run(text.substr(gap), word.kind);

    // A run of blanks. When something follows, the last blank is left to it, unless it is the only
    // one.
    const std::size_t blanks = run(text, CharacterClass::space);
    if (blanks == text.size()) return blanks;
    std::size_t last = 0;
    for (std::size_t at = 0; at < blanks; at += next(text.substr(at)).bytes) last = at;
    return last ? last : blanks;
}

}  // namespace zhuyi
