#include "text/suggestion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.h"
#include "base/math.h"
#include "base/utf8.h"
#include "text/byte_pair.h"
#include "text/tokenized.h"

namespace zhuyi {

namespace {

struct Blocks {
    Index channels, layers;
    double weights() const { return 12.0 * double(layers) * double(channels * channels); }
};
constexpr Blocks kBlockSizes[] = {{32, 1},  {32, 2},  {48, 2},   {64, 2},  {64, 3},
                                  {64, 4},  {96, 2},  {96, 3},   {128, 3}, {128, 4},
                                  {160, 4}, {192, 4}, {192, 6},  {256, 6}, {320, 7},
                                  {384, 8}, {512, 8}, {640, 10}, {768, 12}};

// How often a text of U tokens, V of them different, can be read before it is known by heart: this
// many times U / (all weights). Small texts stand more of it, because little else can be learnt
// from them; so do those of few characters, for each of their tokens tells less.
double readings(double U, double V) {
    const double simple = std::max(1.0, math::log(1000) / math::log(V));
    return std::clamp(120 * math::power(3e4 / U, 0.8), 110.0, 600.0) * simple * simple;
}

// The largest model for which there is both work and text. With more work both grow, the model and
// the tokens that it reads (Hoffmann et al., arXiv 2203.15556). Where the work is enough to learn
// the text by heart, the text alone limits the model.
Blocks blocks_for(double U, double V, double operations) {
    const double enough = 6 * readings(U, V) * U * U, small = 8000 / U;
    const double often = std::clamp(4 * operations / enough, 1.0, 4.0), more = operations / 8e11;
    const double of_blocks = 1.25e5 * std::sqrt(more) * often;
    // A channel costs a weight for every token. A text that is read fewer than four times gains
    // more by steps than by width.
    double of_all = std::max(2e5 * math::power(more, 0.4), 1.25e5 * math::power(more, 0.6));
    of_all *= often * std::max(1.0, math::power(operations / (6 * of_all * U) / 4, 0.6));
    // the weights that a text can feed: the fewer for each token, the longer it is (searched)
    const double text = std::min(19.5, 8.5 + 5 * std::sqrt(small) + 7.2 * small * small) * U;
    Blocks best = kBlockSizes[0];
    for (const Blocks& blocks : kBlockSizes) {
        const double N = blocks.weights(), E = double(blocks.channels) * V;
        if (N + E / 5 <= of_blocks && N + 0.9 * E <= of_all && N + E <= text) best = blocks;
    }
    return best;
}

// How far so many weights learn a text of U tokens by heart when they read D: how often that is,
// times the weights for each token, as a power of 2.
double by_heart(double D, double U, double weights) {
    return math::log(D / U * weights / U) / math::log(2);
}

double rounded(double value) { return std::stod(format("%.2g", value)); }
double in_twentieths(double value) { return std::round(value * 20) / 20; }

// The losses when n tokens were counted: on a line between two points of the curve over ln n, and
// beyond the last one by steps that get smaller as the last two did. More text makes counting no
// worse: where documents come twice the discount is too small, and the measured curve rises.
NgramLosses counted(const std::vector<CountedTokens>& curve, double n) {
    const auto at = [&](double NgramLosses::*order) {
        const auto x = [&](std::size_t i) { return math::log(double(curve[i].tokens)); };
        const auto y = [&](std::size_t i) {
            double least = curve[i].losses.*order;
            while (i-- > 0) least = std::min(least, curve[i].losses.*order);
            return least;
        };
        const auto slope = [&](std::size_t i) {  // of a fourfold text, from point i to i + 1
            const double width = x(i + 1) - x(i);
            return width > 0 ? (y(i) - y(i + 1)) / width * math::log(4) : 0;
        };
        const std::size_t last = curve.size() - 1;
        const double wanted = math::log(n);
        if (wanted > x(last)) {
            const double step = std::max(slope(last - 1), 0.0), before = slope(last - 2);
            const double ratio =
                step > 0 && before > 0 ? std::clamp(step / before, 0.3, 0.95) : 0.3;
            const double steps = (wanted - x(last)) / math::log(4);
            return y(last) - step * ratio * (1 - math::power(ratio, steps)) / (1 - ratio);
        }
        std::size_t i = 0;
        while (i + 2 < curve.size() && wanted > x(i + 1)) ++i;
        return y(i) - (wanted - x(i)) / math::log(4) * slope(i);
    };
    return {at(&NgramLosses::unigram), at(&NgramLosses::bigram), at(&NgramLosses::trigram)};
}

double read_by(const Recipe& r) { return double(r.batch * r.context * r.steps); }
double weights_of(const Recipe& r) { return Blocks{r.channels, r.layers}.weights(); }
double all_weights(const Recipe& r, double V) { return weights_of(r) + double(r.channels) * V; }

// How much less one learns in steps as few as these: 1 for 1000 steps of 1024 tokens (McCandlish
// et al., arXiv 1812.06162, say how many those of another size are worth).
double few(const Recipe& r) {
    const double b = double(r.batch * r.context);
    return std::sqrt(1000 / (double(r.steps) * b / (b + 500) * (1024 + 500) / 1024));
}

// The two laws, fitted by scripts/measure_suggestions.py: loss = known + Σ weight · feature.
template <std::size_t size>
double law(double known, const double (&weights)[size], const double (&features)[size]) {
    return std::inner_product(std::begin(weights), std::end(weights), std::begin(features), known);
}

// Known is the trigram model, counted on as much of the text as the network reads.
double beside_counting(const Recipe& r, const TextSize& text,
                       const std::vector<CountedTokens>& counting) {
    const double U = double(std::max<Index>(1, text.tokens)), D = read_by(r);
    const double seen = std::min(D, U);
    const NgramLosses h = counted(counting, seen);
    const double narrow = math::power(weights_of(r) / 1e5, -0.3), spread = h.unigram - h.bigram;
    // What counting gained from a fourfold text, and what reading again gives in its place: less
    // each time, and after some 8 times next to nothing (Muennighoff et al., arXiv 2305.16264, has
    // 15 for larger models).
    const double quarter = counted(counting, seen / 4).trigram;
    const double fourfold = quarter - h.trigram;
    const double before = counted(counting, seen / 16).trigram - quarter;
    const double worth = 8 * (1 - math::exp(-D / U / 8));
    return law(
        h.trigram, {-0.2014, -0.2384, 0.1549, -0.2080, 1.0964, 0.6589, -0.4222, -0.0260},
        {1, spread, spread * few(r), text.tokens_per_character * narrow, fourfold, before * narrow,
         fourfold * math::log(std::max(1.0, worth)), r.shuffled ? h.trigram : 0});
}

// Known is the pilot. More is read than in it, by more weights: what that gains is the larger the
// more the pilot had left to learn and the faster it learnt, and the more counting gains from a
// longer text; what is read so often that it is learnt by heart gains less. A long memory of
// squares gains most where the vocabulary is large, and more weights where there are two tables.
double beyond_pilot(const Pilot& pilot, const Recipe& r, const TextSize& text,
                    const std::vector<CountedTokens>& counting) {
    const double U = double(text.tokens), D = read_by(r), seen = std::min(D, U);
    const NgramLosses h = counted(counting, seen);
    const double fourfold = counted(counting, seen / 4).trigram - h.trigram;
    const double longer = math::log(D / read_by(kPilot));
    const double larger = math::log(weights_of(r) / weights_of(kPilot));
    const double left = pilot.end - h.trigram, lately = pilot.halfway - pilot.end;
    const double long_memory = r.beta2 > 0.99 ? left : 0, V = double(text.vocabulary);
    const double all = all_weights(r, V);
    return law(pilot.end,
               {-0.0349, -0.0267, 1.0963, -0.1489, -0.1139, -0.6223, -0.1494, 0.0401, 0.8754,
                0.0109, -0.0575, -0.1902},
               {h.trigram, r.shuffled ? pilot.end : 0, long_memory, long_memory * math::log(V),
                lately, lately * longer, left * longer, text.tokens_per_character * longer,
                fourfold * (1 - math::exp(-0.3 * longer)), left * by_heart(D, U, all),
                (h.bigram - h.trigram) * larger,
                r.tied ? 0 : left * math::log(all / all_weights(kPilot, V))});
}

// Nine of ten trainings by the recipe, of texts that are left out of the fit, end within about
// this. It is more for fewer than some 250 steps, and for more tokens than most trainings read.
constexpr double kErrorBesidePilot = 0.10, kErrorOfCounting = 0.22, kErrorOfShortText = 0.35,
                 kErrorOfTenfold = 0.2;

}  // namespace

std::string text_of(const OptionValue& value) {
    struct {
        std::string operator()(Index v) const { return std::to_string(v); }
        std::string operator()(double v) const { return format("%g", v); }
        std::string operator()(const char* v) const { return v; }
    } word;
    return std::visit(word, value);
}

double operations_of(const Recipe& r, Index vocabulary) {
    const double C = double(r.channels), L = double(r.layers), T = double(r.context);
    const double weights = 12 * L * C * C + L * T * C + C * double(vocabulary);
    return 6 * weights * double(r.batch) * T * double(r.steps);
}

Index suggested_min_count(Index characters) {
    if (characters < 2000) return 1;  // a toy text keeps every character
    return std::max<Index>(2, std::llround(std::sqrt(double(characters) / 6600)));
}

Index suggested_byte_pairs(Index characters, Index single) {
    const Index pairs = std::llround(4.5 * std::sqrt(double(characters)));
    return std::min<Index>(std::max(pairs, 2 * single), 7'000);
}

std::unique_ptr<Tokenizer> suggest_tokens(const Corpus& corpus, TextOptions& text) {
    constexpr Index kCharactersForEach = 75, kMostBytes = 64'000'000;
    constexpr double kCharactersOfAPair = 1.25;
    const Index characters = corpus.characters();
    TextOptions single = text;
    single.min_count = suggested_min_count(characters);
    auto by_character = make_tokenizer(corpus, single);
    const Index most = suggested_byte_pairs(characters, by_character->size());
    if (characters >= kCharactersForEach * most && corpus.bytes() <= kMostBytes) {
        std::vector<std::string_view> texts;
        Index ends = 0, learnt_from = 0;
        for (const Piece& piece : corpus.pieces(Part::train)) {
            texts.push_back(piece.text);
            ends += piece.ends;
            learnt_from += utf8::length(piece.text);
        }
        BytePairTokenizer pairs = learn_byte_pairs(texts, most, ends);
        if (double(learnt_from) > kCharactersOfAPair * double(tokens_counted(pairs))) {
            adopt(text, pairs);
            return std::make_unique<BytePairTokenizer>(std::move(pairs));
        }
    }
    text = single;
    return by_character;
}

Recipe suggest(Index tokens, Index vocabulary, double operations) {
    const double U = double(std::max<Index>(1, tokens)), V = double(vocabulary);
    const Blocks blocks = blocks_for(U, V, operations);
    Recipe r{blocks.channels, blocks.layers, 64, 0, 0};
    const double all = all_weights(r, V);

    // How many tokens the training reads, repetitions counted; more: what attention costs beside
    // the weights.
    const double most = readings(U, V) * U / all * U;
    const auto D = [&](double more) { return std::min(operations / (6 * (all + more)), most); };
    if (D(0) >= 1e6) r.context = D(0) < 1e8 ? 128 : 256;  // gains nothing in shorter trainings
    while (r.context > 8 && r.context * 4 > tokens) r.context /= 2;
    const double read = D(double(r.layers * r.context * r.channels));

    // Small batches learn more from as many tokens, until there are thousands of steps; few steps
    // must be long ones, and those of a wide model short ones.
    Index of_a_step = 512;
    while (read / double(of_a_step) > 6200) of_a_step *= 2;
    r.batch = std::max<Index>(1, of_a_step / r.context);
    r.steps = std::max<Index>(100, Index(read / double(of_a_step)));

    // Dropout delays learning by heart; one table for input and output learns less by heart than
    // two. Where a text is read too seldom for that, both cost; where it is read often, they gain.
    const double heart = by_heart(read, U, all);
    const bool most_by_heart = heart > 5.8;
    r.dropout = in_twentieths(std::clamp(0.05 * (heart - 3.1), 0.0, 0.25));
    r.embedding_dropout = most_by_heart && U > 5e4 ? 0.1 : 0;
    r.tied = heart > 4.5;
    r.shuffled = true;
    // A rare token's embedding has a gradient once in many steps. √v is √(1 - β2) of it then, and
    // one gradient moves the embedding by 1 / √(1 - β2) rates in all: 32 of them instead of 10.
    if (U > 6e4) r.beta1 = 0.6, r.beta2 = 0.999;
    const double rate = 8e-3 * std::clamp(math::power(2000 / double(r.steps), 0.75), 1.0, 2.0) *
                        std::clamp(96 / double(r.channels), 0.5, 1.0);
    const double careful = !most_by_heart ? 1 : U < 6e4 ? 4e-3 : 8e-3;
    r.learning_rate = rounded(std::min(rate, careful));
    // All steps fade a weight to exp(-weight decay · sum of the rates): best is 1 / e in a reading,
    // so that the one before still counts (Wang and Aitchison, arXiv 2405.13698).
    const double rates = r.learning_rate * double(r.steps) / 2;
    r.weight_decay = in_twentieths(std::clamp(read / U / rates, 0.1, 0.5));
    return r;
}

OptionValues model_options(const Recipe& r) {
    return {{"context", r.context}, {"channels", r.channels},        {"heads", r.heads()},
            {"layers", r.layers},   {"tied", r.tied ? "yes" : "no"}, {"position", "rotary"}};
}

OptionValues training_options(const Recipe& r) {
    return {{"batch", r.batch},
            {"order", r.shuffled ? "shuffled" : "random"},
            {"steps", r.steps},
            {"optimizer", "muon"},
            {"learning_rate", r.learning_rate},
            {"beta1", r.beta1},
            {"beta2", r.beta2},
            {"schedule", "linear"},
            {"warmup", Index(60)},
            {"weight_decay", r.weight_decay},
            {"dropout", r.dropout},
            {"embedding_dropout", r.embedding_dropout},
            {"eval_tokens", Index(16'384)}};
}

bool long_enough_for_pilot(Index tokens) { return tokens >= 25'000; }

bool worth_a_pilot(const Recipe& recipe, const TextSize& text) {
    return long_enough_for_pilot(text.tokens) &&
           operations_of(recipe, text.vocabulary) >= 3 * operations_of(kPilot, text.vocabulary);
}

Forecast forecast(const Recipe& r, const TextSize& text, const std::vector<CountedTokens>& counting,
                  std::optional<Pilot> pilot) {
    if (!worth_a_pilot(r, text)) pilot.reset();
    const double nats =
        pilot ? beyond_pilot(*pilot, r, text, counting) : beside_counting(r, text, counting);
    const double untrained = math::log(double(text.vocabulary)) * text.tokens_per_character;
    const double tenfold = std::max(0.0, math::log(read_by(r) / 3e6) / math::log(10));
    const double error = pilot                                ? kErrorBesidePilot
                         : long_enough_for_pilot(text.tokens) ? kErrorOfCounting
                                                              : kErrorOfShortText;
    return {std::min(nats, untrained),
            error + kErrorOfTenfold * tenfold + kErrorOfCounting * std::max(0.0, few(r) - 2)};
}

}  // namespace zhuyi
