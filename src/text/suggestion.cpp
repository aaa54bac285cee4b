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
constexpr Blocks kBlockSizes[] = {{32, 1},  {32, 2},  {48, 2},  {64, 2},  {64, 3},   {96, 2},
                                  {96, 3},  {128, 3}, {128, 4}, {160, 4}, {192, 4},  {192, 6},
                                  {256, 6}, {320, 7}, {384, 8}, {512, 8}, {640, 10}, {768, 12}};

// How often a text of U tokens can be read before it is known by heart: this many times U / (all
// weights). Small texts stand more of it, because little else can be learnt from them.
double readings(double U) { return std::clamp(120 * math::power(3e4 / U, 0.8), 110.0, 340.0); }

// The largest model for which there is both work and text. With more work the model grows as its
// square root (Hoffmann et al., arXiv 2203.15556), and the tokens that it reads do as well. Where
// the work is enough to learn the text by heart, the text alone limits the model.
Blocks blocks_for(double U, double V, double operations) {
    const double enough = 6 * readings(U) * U * U;
    const double work =
        1.25e5 * std::sqrt(operations / 8e11) * std::clamp(4 * operations / enough, 1.0, 4.0);
    const double text = (8.5 + 5 * std::sqrt(8000 / U)) * U;
    Blocks best = kBlockSizes[0];
    for (const Blocks& blocks : kBlockSizes) {
        const double N = blocks.weights(), embedding = double(blocks.channels) * V;
        // A row of the embedding that is not the target costs work and learns little.
        if (N + embedding / 5 <= work && N + embedding <= text) best = blocks;
    }
    return best;
}

double all_weights(const Blocks& blocks, Index vocabulary) {
    return blocks.weights() + double(blocks.channels * vocabulary);
}

// Above 0 where D tokens of a text of U are read so often, by so many weights, that the text is
// learnt by heart: it grows with the logarithm of both.
double by_heart(double D, double U, double weights) {
    return std::max(0.0, math::log(D / U * weights / U / 8));
}

double rounded(double value) { return std::stod(format("%.2g", value)); }

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

// loss - trigram = Σ weight · feature, fitted by scripts/measure_suggestions.py. The trigram model
// is counted on as much of the text as the network reads.
constexpr double kLaw[] = {-0.0081, 0.1397,  -1.1061, -0.6519, 1.3174, -0.3661, 0.4033,
                           0.0822,  -0.3824, 1.0221,  -0.5950, 0.8926, -0.4969, 0.8695,
                           0.0520,  -0.2045, -0.0411, 0.2394,  -0.2396};
// loss - pilot's = Σ weight · feature, where a pilot was trained.
constexpr double kPilotLaw[] = {-0.0528, -0.5391, -0.8984, -0.2409, -1.2895, 0.0622, 0.0742};
// Nine of ten trainings by the recipe, of texts that are left out of the fit, end within this. It
// is more for a text of a few pages, for fewer than some 250 steps, and with ten times as many
// tokens as were measured.
constexpr double kErrorBesidePilot = 0.12, kError = 0.2, kErrorOfSmall = 0.3,
                 kErrorOfTenfold = 0.05;
constexpr Index kSmall = 20'000;

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

Index suggested_byte_pairs(Index characters) {
    return std::clamp<Index>(std::llround(3.5 * std::sqrt(double(characters))), 500, 16'000);
}

std::unique_ptr<Tokenizer> suggest_tokens(const Corpus& corpus, TextOptions& text) {
    // Learning byte pairs takes about 28 bytes of memory for each byte of the text.
    constexpr Index kLeast = 50'000, kMostBytes = 64'000'000;
    constexpr double kCharactersOfAPair = 1.2;
    const Index characters = corpus.characters();
    if (characters >= kLeast && corpus.bytes() <= kMostBytes) {
        std::vector<std::string_view> texts;
        Index ends = 0, learnt_from = 0;
        for (const Piece& piece : corpus.pieces(Part::train)) {
            texts.push_back(piece.text);
            ends += piece.ends;
            learnt_from += utf8::length(piece.text);
        }
        BytePairTokenizer pairs = learn_byte_pairs(texts, suggested_byte_pairs(characters), ends);
        if (double(learnt_from) > kCharactersOfAPair * double(tokens_counted(pairs))) {
            text.tokenizer = TokenizerKind::bpe;
            text.bpe_vocabulary = pairs.size();
            return std::make_unique<BytePairTokenizer>(std::move(pairs));
        }
    }
    text.min_count = suggested_min_count(characters);
    return make_tokenizer(corpus, text);
}

Recipe suggest(Index tokens, Index vocabulary, double operations) {
    const double U = double(std::max<Index>(1, tokens));
    const Blocks blocks = blocks_for(U, double(vocabulary), operations);
    const double all = all_weights(blocks, vocabulary);

    // D: how many tokens the training reads, repetitions counted.
    const double most = readings(U) * U / all * U;
    const auto D = [&](double attention) {
        return std::min(operations / (6 * (all + attention)), most);
    };
    Recipe r{blocks.channels, blocks.layers, 64, 0, 0};
    if (D(0) >= 8e6) r.context = D(0) < 1e8 ? 128 : 256;
    while (r.context > 8 && r.context * 4 > tokens) r.context /= 2;
    const double read = D(double(r.layers * r.context * r.channels));

    // Small batches learn more from as many tokens, until there are thousands of steps; few steps
    // must be long ones, and those of a wide model short ones.
    Index of_a_step = 512;
    while (read / double(of_a_step) > 4000) of_a_step *= 2;
    r.batch = std::max<Index>(1, of_a_step / r.context);
    r.steps = std::max<Index>(100, Index(read / double(of_a_step)));

    // Dropout delays learning by heart, and costs where nothing is learnt by heart.
    const double most_dropout = 0.25, dropout = 0.1 * by_heart(read, U, all) / math::log(2);
    r.dropout = std::round(std::min(dropout, most_dropout) * 20) / 20;
    r.embedding_dropout = r.dropout >= 0.2 && U > 5e4 ? 0.1 : 0;
    r.weight_decay = r.dropout >= 0.1 ? 0.5 : 0.1;
    const double rate = 8e-3 * std::clamp(math::power(2000 / double(r.steps), 0.75), 1.0, 2.0) *
                        std::clamp(96 / double(r.channels), 0.5, 1.0);
    const double careful = r.dropout < 0.2 ? 1 : U < 6e4 ? 4e-3 : 8e-3;
    r.learning_rate = rounded(std::min(rate, careful));
    return r;
}

OptionValues model_options(const Recipe& r) {
    return {{"context", r.context},
            {"channels", r.channels},
            {"heads", r.heads()},
            {"layers", r.layers},
            {"position", "rotary"}};
}

OptionValues training_options(const Recipe& r) {
    return {{"batch", r.batch},
            {"steps", r.steps},
            {"optimizer", "muon"},
            {"learning_rate", r.learning_rate},
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

static double read_by(const Recipe& r) { return double(r.batch * r.context * r.steps); }

// More is read, by more weights, than in the pilot. What that gains is the larger the more the
// pilot had left to learn; what is read again gains less.
static double beyond_pilot(double pilot, const Recipe& r, const TextSize& text,
                           const std::vector<CountedTokens>& counting) {
    const double U = double(text.tokens), D = read_by(r);
    const NgramLosses h = counted(counting, std::min(D, U));
    const double longer = 1 - math::power(D / read_by(kPilot), -0.1);
    const double larger = 1 - math::power(Blocks{r.channels, r.layers}.weights() / 1e5, -0.2);
    const double gain = h.bigram - h.trigram;
    const auto again = [&](double read) {
        return text.tokens_per_character * math::log(1 + read / U);
    };
    const double features[] = {
        1,        pilot * longer,        (pilot - h.trigram) * larger, gain, gain * longer,
        again(D), again(read_by(kPilot))};
    return std::inner_product(std::begin(kPilotLaw), std::end(kPilotLaw), std::begin(features),
                              pilot);
}

Forecast forecast(const Recipe& r, const TextSize& text, const std::vector<CountedTokens>& counting,
                  std::optional<double> pilot) {
    if (!worth_a_pilot(r, text)) pilot.reset();
    const double U = double(std::max<Index>(1, text.tokens)), V = double(text.vocabulary);
    const double b = double(r.batch * r.context), D = std::max(1.0, read_by(r));
    const double seen = std::min(D, U), tokens = text.tokens_per_character;
    const NgramLosses h = counted(counting, seen);
    // Steps of 1024 tokens that are worth as much (McCandlish et al., arXiv 1812.06162).
    const double steps = double(r.steps) * b / (b + 500) * (1024 + 500) / 1024;
    const double few = std::sqrt(1000 / steps);
    const Blocks blocks{r.channels, r.layers};
    const double narrow = math::power(blocks.weights() / 1e5, -0.3);
    const double gain = h.bigram - h.trigram, spread = h.unigram - h.bigram;
    // What counting gained from a fourfold text, and what reading again gives in its place: less
    // each time, and after some 8 times next to nothing (Muennighoff et al., arXiv 2305.16264, has
    // 15 for larger models).
    const double quarter = counted(counting, seen / 4).trigram;
    const double fourfold = quarter - h.trigram;
    const double before = counted(counting, seen / 16).trigram - quarter;
    const double choice = tokens * math::log(V / 1000);
    const double worth = 8 * (1 - math::exp(-D / U / 8));
    const double features[] = {1,
                               tokens,
                               gain,
                               gain * few,
                               gain * narrow,
                               spread,
                               spread * few,
                               tokens * few,
                               tokens * narrow,
                               fourfold,
                               before,
                               before * narrow,
                               fourfold * math::log(std::max(1.0, worth)),
                               fourfold * gain,
                               tokens * by_heart(D, U, all_weights(blocks, text.vocabulary)),
                               std::sqrt(V / D),
                               few * h.trigram,
                               choice,
                               choice * few};
    const double nats = pilot ? beyond_pilot(*pilot, r, text, counting)
                              : std::inner_product(std::begin(kLaw), std::end(kLaw),
                                                   std::begin(features), h.trigram);
    // Larger models and longer trainings than were measured are less certain.
    const double tenfold = std::max(0.0, math::log(D / 4e6) / math::log(10));
    const double at_first = std::max(math::log(V) * tokens, h.unigram);  // before the first step
    const double error = pilot ? kErrorBesidePilot : text.tokens < kSmall ? kErrorOfSmall : kError;
    return {std::min(nats, at_first),
            error + kErrorOfTenfold * tenfold + kError * std::max(0.0, few - 2)};
}

}  // namespace zhuyi
