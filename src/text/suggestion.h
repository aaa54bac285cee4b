// The best model for a text and an amount of work, and the loss that it will reach: for a command
// that names the text only, `zhuyi train poems.txt`.
//
// Work is counted in operations, never in seconds, so that two machines choose the same model.
// What is written here was measured: configs/README.md has the table,
// scripts/measure_suggestions.py makes it and fits the law.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/real.h"
#include "text/ngram.h"

namespace zhuyi {

class Corpus;
class Tokenizer;
struct TextOptions;

// Options by name, with the value of each.
using OptionValue = std::variant<Index, double, const char*>;
using OptionValues = std::vector<std::pair<const char*, OptionValue>>;
std::string text_of(const OptionValue& value);  // as one writes it in a configuration

// The work where nobody says how long: a minute or two on a laptop.
constexpr double kUsualOperations = 8.5e12;
constexpr double kUsualPace = 1e11;  // operations a second, of two cores of a laptop

// A model and its training. Muon, rotary positions and a linear schedule go with it.
struct Recipe {
    Index channels, layers, context, batch, steps;
    double learning_rate = 0, dropout = 0, embedding_dropout = 0, weight_decay = 0;
    bool tied = true, shuffled = false;  // one table for input and output; WindowOrder::shuffled
    double beta1 = 0.9, beta2 = 0.99;    // AdamW's, of embeddings and norms
    Index heads() const { return channels < 64 ? 1 : channels / 32; }
};
OptionValues model_options(const Recipe& recipe);  // sizes and positions: not with --from
OptionValues training_options(const Recipe& recipe);

// Forward and backward are six operations for each weight and token (Kaplan et al., arXiv
// 2001.08361, section 2.1): 12 C² weights in a block, T·C for its attention, C for each token that
// the vocabulary has.
double operations_of(const Recipe& recipe, Index vocabulary);

// What a token is, for a text of which only its name was given; writes it to `text` and returns the
// tokenizer. Byte pairs where one holds more than 1.25 characters in the mean, and the text has 75
// for each of them: words of an alphabet, programs, modern Chinese prose; what is read for the same
// work is then longer by as much. In poems hardly any two characters stand together often enough,
// and short texts say too little of each pair: there a character is a token, and so it is in texts
// of more than 64 MB, whose pairs would take too much memory to learn. Error: that of
// learn_byte_pairs.
std::unique_ptr<Tokenizer> suggest_tokens(const Corpus& corpus, TextOptions& text);

// Characters that are rarer than this get no token of their own: they are spelt in bytes. An
// embedding that is seen a few times learns nothing, and its logits cost work at every token.
Index suggested_min_count(Index characters);
// Returns how many tokens a vocabulary of byte pairs should have: 4.5 √characters, but at least
// twice `single`, the tokens there are where each is a character; at most 7,000.
Index suggested_byte_pairs(Index characters, Index single);

// tokens: of the training part, those of repeated documents once (Corpus::new_share). A text that
// is small for so much work gets less: it would only be learnt by heart.
Recipe suggest(Index tokens, Index vocabulary, double operations);

// The validation loss at the end, nats per character: 9 of 10 end within ± error.
struct Forecast {
    double nats, error;
};
struct TextSize {
    Index tokens, vocabulary;  // tokens: of the training part, as for suggest()
    double tokens_per_character;
};

// Before a training a small model learns the text for a few seconds. What it has learnt, and how
// fast it still learns, says more of what the training will reach than all that can be counted.
constexpr Recipe kPilot{64, 2, 64, 8, 300, 0.012, 0, 0, 0.1};
struct Pilot {
    double halfway, end;  // validation losses, nats per character
};
bool long_enough_for_pilot(Index tokens);
// Returns whether the text is long enough, and whether the pilot costs little beside the training.
bool worth_a_pilot(const Recipe& recipe, const TextSize& text);

// pilot: of kPilot, or nothing if none was trained. It counts where it is worth_a_pilot.
Forecast forecast(const Recipe& recipe, const TextSize& text,
                  const std::vector<CountedTokens>& counting, std::optional<Pilot> pilot = {});

}  // namespace zhuyi
