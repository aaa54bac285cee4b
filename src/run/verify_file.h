// What zhuyi verify looks at by itself: one file that lies somewhere, and the text of a run.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/real.h"
#include "text/corpus.h"

namespace zhuyi {

// UsageError: a file of no kind that there is a reader for.
void check_kind(const std::filesystem::path& path);
// What there is to say of a whole file of such a kind; a checkpoint in a run folder is held against
// its run.conf. Error: what is wrong with it.
std::string look_at_file(const std::filesystem::path& path, Language language);

// The parts that a run is made of.
std::string look_at_steps(Index last, Language language);  // of a metrics.csv
std::string look_at_samples(std::string_view text);

// What must be done about the text before training can go on with it, which had this hash: "" nothing.
std::string about_the_text(const TextOptions& options, std::uint64_t hash, Language language);

}  // namespace zhuyi
