// What occurs more than once in a collection of documents.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// Documents as code points, one after the other; document d is [begins[d], begins[d + 1]).
struct CodePoints {
    std::vector<char32_t> codes;
    std::vector<Index> begins{0};

    Index documents() const { return std::ssize(begins) - 1; }
    void add(std::string_view document);
};

// Of all runs of `length` characters inside a document, the share that occurs in more than
// `documents` of them. 0 when no document is long enough.
double repeated_share(const CodePoints& text, Index length, Index documents);

// The longest run of characters that two different documents share (one of them, when several are
// as long); empty when they share no character. Time: n log(longest), with hashing; memory: 36 to
// 60 bytes a character.
std::u32string longest_shared(const CodePoints& text);

struct Copied {
    double share = 0;        // of all runs of so many characters inside a document
    std::u32string longest;  // run, of any length
};

// What of `written` stands in `source`, with the same `length` for the share. 0 when no document is
// long enough.
Copied copied(const CodePoints& written, const CodePoints& source, Index length);

}  // namespace zhuyi
