// What is in a text before one trains on it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/list.h"
#include "base/real.h"

namespace zhuyi {

// A passage counts as repeated if it has kRunLength characters and stands in more than
// kRunDocuments documents.
constexpr Index kRunLength = 12, kRunDocuments = 3;
// Two documents begin alike if their first kOpeningLength characters agree.
constexpr Index kOpeningLength = 6;
// Passages are looked for in no more characters than these, which takes 0.4 GB of memory.
constexpr Index kPassagesWithin = 10'000'000;

struct TextStatistics {
    Index documents = 0, characters = 0, bytes = 0;
    Index distinct = 0;               // characters that differ
    Index seen_once = 0;              // of them
    Index seen_rarely = 0;            // fewer than five times
    Index longest = 0, shortest = 0;  // document, in characters
};

// Memory: a little, however long the text.
TextStatistics text_statistics(const std::vector<std::string_view>& documents);

// What occurs more than once.
struct Repetitions {
    Index duplicates = 0;        // documents that repeat an earlier one exactly
    double repeated_runs = 0;    // share of all runs of kRunLength characters
    std::string longest_shared;  // the longest passage of two documents that are not duplicates
    double openings = 0;         // different beginnings of kOpeningLength characters, per document
    Index searched = 0;  // characters in which passages were looked for; 0 if all are one document
};

Repetitions repetitions(const std::vector<std::string_view>& documents);

// ---- passages

// Documents as code points, one after the other; document d is [begins[d], begins[d + 1]).
struct CodePoints {
    List<char32_t> codes;
    List<Index> begins{0};

    Index documents() const { return begins.count() - 1; }
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
    double share = 0;        // of all runs of `length` characters inside a document
    std::u32string longest;  // the longest run that is copied
};

// What of `written` stands in `source`, with the same `length` for the share. 0 when no document is
// long enough.
Copied copied(const CodePoints& written, const CodePoints& source, Index length);

}  // namespace zhuyi
