// What is in a text before one trains on it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace zhuyi {

constexpr Index kRunLength = 12;    // repeated passages: runs of so many characters …
constexpr Index kRunDocuments = 3;  // … in more documents than these
constexpr Index kOpeningLength =
    6;  // two documents that begin with the same so many characters begin alike
constexpr Index kPassagesWithin =
    20'000'000;  // characters that passages are looked for in; memory sets the limit

struct TextStatistics {
    Index documents = 0, characters = 0, bytes = 0;
    Index distinct = 0;               // characters that differ
    Index seen_once = 0;              // of them
    Index seen_rarely = 0;            // fewer than five times
    Index longest = 0, shortest = 0;  // document, in characters
    Index duplicates = 0;             // documents that repeat an earlier one exactly
    double repeated_runs =
        0;  // share of the 12-character runs that stand in more than three documents
    std::string longest_shared;  // the longest passage of two documents that are not duplicates
    double openings = 0;         // different beginnings of six characters, per document
    Index searched =
        0;  // characters in which passages were looked for: all, or the first kPassagesWithin

    // In nats per character, of this very text; the end of a document counts as a character, as a
    // model must predict it. A model that knows only how often each character comes has the first
    // as its loss; one that knows the frequencies of pairs the second — on this text: on another,
    // what it never saw costs it more.
    double unigram_entropy = 0;  // -Σ p(c) ln p(c)
    double bigram_entropy = 0;   // -Σ p(b, c) ln p(c | b), b the character before
};

TextStatistics text_statistics(const std::vector<std::string_view>& documents);

}  // namespace zhuyi
