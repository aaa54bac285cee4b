// Files of a run that are lost, while the weights to go on from are whole: what --resume does about
// each of them before it begins, and what verify can therefore promise.
#pragma once
#include <cstdint>
#include <optional>

#include "base/language.h"

namespace zhuyi {

struct RunConfig;
struct RunFolder;

// Folders, pipes and the like in the place of the run's files are given other names, beside them. A
// line each; empty: there was none.
std::string set_aside_what_is_no_file(const RunFolder& folder);

// Can the weights of step 0 be drawn once more from the seed? The fingerprint that metrics.csv
// notes for step 0 decides: with --from they were others.
bool can_draw_first_weights(const RunFolder& folder, const RunConfig& config);

// Without its first weights nothing can be said to have moved, and no history is recorded: draws
// them once more where that can be, and else switches `config.history` off. Gives a line that says
// so; empty: they are there, or no history wants them.
struct TextHashes {
    std::uint64_t text, vocabulary;
};
std::string mend_first_weights(const RunFolder& folder, RunConfig& config,
                               const TextHashes& hashes);

// Where probes.txt cannot be read, no probes are asked from here on. Gives a line that says so.
std::string mend_probes(const RunFolder& folder, RunConfig& config);

}  // namespace zhuyi
