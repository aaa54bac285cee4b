// What is in a text before one trains on it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// A repeated passage: a run of so many characters that stands in more documents than so many.
constexpr Index kRunLength = 12, kRunDocuments = 3;
// Two documents begin alike when so many characters agree.
constexpr Index kOpeningLength = 6;
// Passages are looked for in so many characters at most: that takes 0.4 GB of memory.
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
    Index searched = 0;  // characters in which passages were looked for; 0: all are one document
};

Repetitions repetitions(const std::vector<std::string_view>& documents);

}  // namespace zhuyi
