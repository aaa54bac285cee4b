// What counting alone can do: models that know only the one or two characters before. A network
// that is not better than they are has not learned to read further back.
//
// Interpolated Kneser-Ney with one discount D for each order (Kneser and Ney 1995; Chen and Goodman
// 1999, section 3, "interpolated Kneser-Ney"): of n occurrences of c after a context D are taken
// away, and given to what is known from the context without its first character,
//
//     p(c | ab) = (max(n(abc) - D, 0) + D · N(ab·) · p(c | b)) / n(ab),   D = n₁ / (n₁ + 2 n₂),
//
// N(ab·): how many different characters follow ab; n₁, n₂: n-grams that occur once, twice. The
// lower orders count in how many different contexts c stands, not how often; the lowest one leans
// on a distribution that gives every token the same.
#pragma once
#include "base/real.h"

namespace zhuyi {

class Corpus;

// In nats per character; a document's end is one. Counted on the training part, and measured on
// the validation part: characters that the former lacks are spelt in bytes, as a network does.
struct NgramLosses {
    double unigram = 0;  // how often each character occurs
    double bigram = 0;   // … after the one before it
    double trigram = 0;  // … after the two before it
    bool whole = true;   // false: counted and measured on the first kNgramCharacters of each part
};

// More take longer than a second and more than 0.1 GB of memory.
constexpr Index kNgramCharacters = 2'000'000;

NgramLosses ngram_losses(const Corpus& corpus);

}  // namespace zhuyi
