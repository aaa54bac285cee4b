// The model in front of you, forward, as a worked sheet.
#pragma once
#include <optional>

#include "explain/sheet.h"
#include "explain/worked_forward.h"

namespace zhuyi {

// How far training has moved the query token's row of the embedding, where that is known.
struct TrainedRow {
    Index step;     // of the checkpoint
    double moved;   // ‖E[token] now - E[token] at step 0‖
    double cosine;  // between the two
};

void write_forward(SheetWriter& writer, const WorkedForward& forward, const Tokenizer& tokenizer,
                   const std::optional<TrainedRow>& trained);

// The part about attention: from Q, K, V of the head to the sum of what all heads add.
void write_head(SheetWriter& writer, const WorkedForward& forward);

// ---- shared with the other sheets of a model

std::vector<std::string> place_labels(const std::vector<std::string>& tokens);  // "3 江"
// "江 0.93  小 0.41 …"
std::string neighbour_text(const std::vector<Neighbour>& near, const Tokenizer& tokenizer,
                           std::size_t most);
// A vector as rows added up, with the sum below a line.
void write_sum(SheetWriter& writer, const char* key, const std::string& caption,
               const std::vector<std::pair<std::string, std::span<const double>>>& parts,
               const std::string& label, std::span<const double> sum);

}  // namespace zhuyi
