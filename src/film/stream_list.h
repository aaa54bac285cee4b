// What is recorded: the list of streams. measure.h computes their numbers, under the same names;
// the page (page_data.h) gets every stream of this list.
//
// A new stream is a row in this list and a line in measure.cpp.
#pragma once
#include <string>
#include <vector>

#include "attention/roles.h"
#include "film/history.h"

namespace zhuyi {

struct GptConfig;
struct Parameter;

constexpr Index kTopPredictions = 5, kNeighbours = 8;
constexpr Index kFollowed = 16;  // tokens at each position of a sentence

// What the shapes of the streams depend on.
struct Recorded {
    Index parameters = 0;                  // rows of the parameter table
    Index watched = 0;                     // tokens whose embedding is followed
    Index channels = 0;                    // C
    std::vector<Index> sentences;          // T of each watched sentence
    Index blocks = 0, heads = 0;           // L, H
    Index weights = 0;                     // of the whole model, where there are snapshots
    Index vocabulary = 0;                  // V, where there are
    Index pushed = 0;                      // tokens whose ΔE is split by contexts (pushes.h)
    Index roles = std::ssize(kHeadRoles);  // of heads; a film has the first ones of its time
};

History::Row row_of(const Parameter& parameter);
// What a history of this model holds, but for sentences and tokens: they depend on the text.
Recorded recorded_of(const GptConfig& model);

// `snapshot_steps`, `push_steps`: of the frames that carry snapshots, and what pushed embeddings.
std::vector<HistoryStream> stream_list(const Recorded& recorded,
                                       const std::vector<Index>& snapshot_steps = {},
                                       const std::vector<Index>& push_steps = {});

// All weights, row after row of the parameter table.
constexpr const char* kSnapshot = "snapshot";

// The name of a stream: "sentence.0.attention", or without `part` "sentence.0", the tokens of the
// sentence.
std::string sentence_stream(std::size_t sentence, const char* part = "");

// recorded_in: the sizes that follow from the streams of a start. complete: fills `sentences`,
// `watched` and `absent` of a history whose start was read; Error when the shape of a stream does
// not fit the others.
Recorded recorded_in(const History& history);
void complete(History& history);

// (L · H): the habit of each head at a frame, a place in kHeadRoles or -1 (attention/roles.h). Even
// attention is that of step 0, a mean over the heads; 0 where the film begins later. Empty where
// no roles were recorded.
List<Index> habits(const History& history, const Frame& frame);

}  // namespace zhuyi
