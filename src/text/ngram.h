// What a validation loss is held against, in nats per character: what counting alone can do, and
// what no model can be below.
//
// Counting: models that know only the one or two characters before. A network
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
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Corpus;
class Tokenizer;
struct TokenizedText;

// In nats per character; a document's end is one. Counted on the training part, and measured on
// the validation part: characters that the former lacks are spelt in bytes, as a network does.
struct NgramLosses {
    double unigram = 0;  // how often each character occurs
    double bigram = 0;   // … after the one before it
    double trigram = 0;  // … after the two before it
    bool whole = true;   // if not: counted and measured on the first kNgramCharacters of each part
};

// More take longer than a second. Counting takes up to 25 bytes of memory for each of them.
constexpr Index kNgramCharacters = 2'000'000;

NgramLosses ngram_losses(const Corpus& corpus);

// How much counting gains from more text: the same losses, of this tokenizer's tokens, when 1/64,
// 1/16, 1/4 and all of the training part were counted. Of a long text kNgramSample tokens, spread
// evenly, stand for all of it, and the first tenth as many of the validation part: a second or two.
struct CountedTokens {
    Index tokens;
    NgramLosses losses;
};
constexpr Index kNgramSample = 1'000'000;
std::vector<CountedTokens> counting_curve(const TokenizedText& text, const Tokenizer& tokenizer);

struct Levels {
    NgramLosses counting;         // what counting alone can do
    std::optional<double> floor;  // what no model can be below on average (floor_of)
};

// Of the text `corpus`, which was read from the file `data`.
Levels levels_of(const Corpus& corpus, const std::string& data);

// The floor of the text in the file `data`: nats per character that no model can be below on
// average, because whoever wrote the text chose at random. Only the generator of a text knows it;
// it stands in a file beside the text, data/village.floor beside data/village.txt:
//
//     text_hash = 0123456789abcdef       Corpus::hash of the text that it is true of
//     nats_per_character = 0.3323
//
// Returns nothing if there is no such file, or if it speaks of another text. UsageError: it cannot
// be read.
std::optional<double> floor_of(const std::string& data, std::uint64_t text_hash);

}  // namespace zhuyi
