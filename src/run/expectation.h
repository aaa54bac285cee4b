// What a training will reach, said before its first step, and what to make of it.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/suggestion.h"

namespace zhuyi {

class Corpus;
class Tokenizer;
struct Pace;
struct RunConfig;
struct Sheet;
struct TextOptions;
struct TokenizedText;
struct TrainingText;

double work_of(const RunConfig& config);  // operations, from the first step to the last
// Returns how many operations this machine does in the time; measured with a model of about as much
// work.
double work_within(double minutes, const RunConfig& config, const TokenizedText& text);
// Plans as many steps as fit into what is left of the seconds since `begun`, at least into half.
void plan_within(RunConfig& config, const Pace& pace, double seconds,
                 std::chrono::steady_clock::time_point begun);
// Measures the pace, and plans as if nothing had been spent. Returns nothing if --steps decides (0
// minutes).
std::optional<Pace> plan_by_time(RunConfig& config, const TokenizedText& text, double minutes);

// The law was measured with Muon, rotary positions and a schedule that ends at 0, on
// texts of thousands of characters.
bool can_forecast(const RunConfig& config, const TrainingText& text);

// Trains kPilot, the same for all texts, for some seconds. Returns its validation loss, nats per
// character, or nothing if the text is too short to say anything by it.
std::optional<Pilot> learnt_by_pilot(const TokenizedText& text, const Tokenizer& tokenizer);
// Returns nothing, too, where the pilot would cost much beside this training.
std::optional<Pilot> pilot_of(const RunConfig& config, const TrainingText& text);

struct Expectation {
    double work;
    Forecast end;
    double tenfold;  // the loss of the recipe for ten times the work
    // For 2, 3, 5 … times the work: how many times, and the loss of the recipe for it.
    std::vector<std::pair<double, double>> longer;
};
// floor: the loss below which no model comes (text/ngram.h), if it is known. pilot: of pilot_of.
Expectation expectation_of(const RunConfig& config, const TrainingText& text,
                           std::optional<double> floor, std::optional<Pilot> pilot);

// "work: …", "expected: …"; if counting is expected to be better, how long it will be.
// trigram: nats a character, of counting alone.
std::string text_of(const Expectation& expectation, double trigram);

// For `zhuyi data`: the recipes for 1, 10 and 60 minutes, with what each is expected to reach.
// tokens_given: their tokens are those of `options`; else the recipe chooses them.
void add_recipes(Sheet& sheet, const Corpus& corpus, TextOptions options, bool tokens_given);

}  // namespace zhuyi
