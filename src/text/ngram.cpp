#include "text/ngram.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/math.h"
#include "base/random.h"
#include "base/utf8.h"
#include "system/options.h"
#include "text/corpus.h"
#include "text/tokenized.h"

namespace zhuyi {

namespace {

// One, two or three tokens in a row, the last one lowest. (A tokenizer of characters has fewer than
// 2^21 tokens: Unicode has 1,114,112 characters.)
using Gram = std::uint64_t;
constexpr int kBits = 21;
constexpr Gram last(Gram gram, int tokens) { return gram & ((Gram(1) << (tokens * kBits)) - 1); }

// How often each n-gram has come. They are sorted, so that those after one context stand together:
// its total is a difference of two sums, and how many different tokens follow it one of two places.
class Counts {
  public:
    explicit Counts(std::vector<Gram> all) {
        std::sort(all.begin(), all.end());
        const auto differs = [&](std::size_t i) { return i == 0 || all[i] != all[i - 1]; };
        std::size_t different = 0;
        for (std::size_t i = 0; i < all.size(); ++i) different += differs(i);
        grams_.reserve(different), before_.reserve(different + 1);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (differs(i)) grams_.push_back(all[i]), before_.push_back(std::uint32_t(i));
        before_.push_back(std::uint32_t(all.size()));
    }
    std::span<const Gram> grams() const { return grams_; }

    // The n-grams after one context, as places in grams().
    struct Range {
        std::size_t begin, end;
    };
    Range after(Gram context) const {
        const std::size_t begin = place(context << kBits, {0, grams_.size()});
        std::size_t near = 1;  // most contexts have few
        const Gram next = (context + 1) << kBits;
        while (begin + near < grams_.size() && grams_[begin + near] < next) near *= 2;
        return {begin, place(next, {begin, std::min(begin + near, grams_.size())})};
    }
    Index times(Range range) const { return before_[range.end] - before_[range.begin]; }
    Index times(Gram gram, Range within) const {
        const std::size_t at = place(gram, within);
        return at < within.end && grams_[at] == gram ? times({at, at + 1}) : 0;
    }

  private:
    std::size_t place(Gram gram, Range within) const {
        const auto begin = grams_.begin();
        return std::size_t(std::lower_bound(begin + std::ptrdiff_t(within.begin),
                                            begin + std::ptrdiff_t(within.end), gram) -
                           begin);
    }
    std::vector<Gram> grams_;
    std::vector<std::uint32_t> before_;  // how many came that are smaller than grams_[i]
};

// p(last token | those before it), of n-grams of one length.
class Order {
  public:
    // grams: of `tokens` tokens. below: the order of one token less; null below a unigram, where
    // `even` is what every token has.
    Order(int tokens, Counts grams, const Order* below, double even = 0)
        : tokens_(tokens), grams_(std::move(grams)), below_(below), even_(even) {
        double once = 0, twice = 0;
        for (std::size_t i = 0; i < grams_.grams().size(); ++i) {
            const Index count = grams_.times({i, i + 1});
            once += count == 1, twice += count == 2;
        }
        if (once > 0 && twice > 0) discount_ = once / (once + 2 * twice);
    }
    double probability(Gram gram) const {
        gram = last(gram, tokens_);
        const double less = below_ ? below_->probability(gram) : even_;
        const Counts::Range after = grams_.after(gram >> kBits);
        if (after.begin == after.end) return less;
        const double kept = std::max(double(grams_.times(gram, after)) - discount_, 0.0);
        const double kinds = double(after.end - after.begin);
        return (kept + discount_ * kinds * less) / double(grams_.times(after));
    }

  private:
    int tokens_;
    Counts grams_;
    const Order* below_;
    double even_, discount_ = 0.5;  // where the counts say nothing, any discount will do
};

// visit(the last three tokens) at every token. Before a document stand two ends.
template <class Visit>
void each_gram(std::span<const Token> text, Token end, const Visit& visit) {
    const Gram beginning = Gram(end) << kBits | Gram(end);
    Gram gram = beginning;
    for (const Token token : text) {
        gram = last(gram << kBits | Gram(token), 3);
        visit(gram);
        if (token == end) gram = beginning;
    }
}

// The beginning of a part, at most `most` characters; `whole` becomes false where it has more.
std::vector<Token> tokens_of(const Corpus& corpus, Part part, const Tokenizer& tokenizer,
                             bool& whole) {
    std::vector<Token> tokens;
    Index left = kNgramCharacters;
    for (const Piece& piece : corpus.pieces(part)) {
        const std::string_view text = utf8::prefix(piece.text, left);
        tokenizer.append(tokens, text);
        left -= utf8::length(text);
        if (text.size() < piece.text.size()) {
            whole = false;
            break;
        }
        if (piece.ends) tokens.push_back(tokenizer.end_of_text());
    }
    return tokens;
}

Counts counts_of(std::span<const Token> text, Token end, int tokens) {
    std::vector<Gram> grams;
    grams.reserve(text.size());
    each_gram(text, end, [&](Gram gram) { grams.push_back(last(gram, tokens)); });
    return Counts(std::move(grams));
}

// After how many different tokens the last `tokens` of these n-grams stand.
Counts contexts(const Counts& longer, int tokens) {
    std::vector<Gram> grams(longer.grams().begin(), longer.grams().end());
    for (Gram& gram : grams) gram = last(gram, tokens);
    return Counts(std::move(grams));
}

// Counts `train` and measures on `held_out`, per character of the latter.
NgramLosses losses_of(std::span<const Token> train, std::span<const Token> held_out,
                      const Tokenizer& tokenizer) {
    const Token end = tokenizer.end_of_text();
    Counts ones = counts_of(train, end, 1), pairs = counts_of(train, end, 2),
           triples = counts_of(train, end, 3);
    const double even = 1 / double(tokenizer.size());
    const Order lowest(1, contexts(pairs, 1), nullptr, even);
    const Order middle(2, contexts(triples, 2), &lowest);
    const Order unigram(1, std::move(ones), nullptr, even);
    const Order bigram(2, std::move(pairs), &lowest);
    const Order trigram(3, std::move(triples), &middle);

    NgramLosses losses;
    each_gram(held_out, end, [&](Gram gram) {
        losses.unigram -= math::log(unigram.probability(gram));
        losses.bigram -= math::log(bigram.probability(gram));
        losses.trigram -= math::log(trigram.probability(gram));
    });
    const double characters = double(std::max<Index>(1, tokenizer.characters(held_out)));
    losses.unigram /= characters, losses.bigram /= characters, losses.trigram /= characters;
    return losses;
}

// Every `every`-th of the stretches of kStretch tokens.
std::vector<Token> stretches(std::span<const Token> text, Index every) {
    constexpr Index kStretch = 100;
    std::vector<Token> some;
    for (Index i = 0; i < std::ssize(text); ++i)
        if (i / kStretch % every == 0) some.push_back(text[std::size_t(i)]);
    return some;
}

}  // namespace

NgramLosses ngram_losses(const Corpus& corpus) {
    bool whole = true;
    const auto tokenizer = make_tokenizer(corpus, {});
    const std::vector<Token> train = tokens_of(corpus, Part::train, *tokenizer, whole);
    const std::vector<Token> held_out = tokens_of(corpus, Part::validation, *tokenizer, whole);
    NgramLosses losses = losses_of(train, held_out, *tokenizer);
    losses.whole = whole;
    return losses;
}

std::vector<CountedTokens> counting_curve(const TokenizedText& text, const Tokenizer& tokenizer) {
    const Index held_out = std::min(std::ssize(text.validation), kNgramSample / 10);
    const Index every = (std::ssize(text.train) + kNgramSample - 1) / kNgramSample;
    std::vector<CountedTokens> curve;
    for (const Index share : {64, 16, 4, 1}) {
        const std::vector<Token> some = stretches(text.train, std::max<Index>(1, every) * share);
        curve.push_back(
            {std::ssize(some),
             losses_of(some, std::span(text.validation).first(std::size_t(held_out)), tokenizer)});
    }
    return curve;
}

Levels levels_of(const Corpus& corpus, const std::string& data) {
    return {ngram_losses(corpus), floor_of(data, corpus.hash())};
}

std::optional<double> floor_of(const std::string& data, std::uint64_t text_hash) {
    const std::string path = std::filesystem::path(data).replace_extension(".floor").string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return {};
    std::string hash;
    double nats = 0;
    Options options;
    options.add("text_hash", hash, "", {"of the text", "文本的哈希"});
    options.add("nats_per_character", nats, "nats", {"the floor", "理论下界（文本的熵率）"});
    options.read_file(path);
    return hash == hash_text(text_hash) ? std::optional(nats) : std::nullopt;
}

}  // namespace zhuyi
