// zhuyi verify: is every file as it was written, and if not, what can still be used?
#pragma once
#include <functional>
#include <string>

#include "base/language.h"

namespace zhuyi {

enum class Verdict { ok, none_yet, missing, damaged };
Words words_of(Verdict verdict);

// What one file holds, or what is wrong with it and where.
struct Finding {
    std::string file;  // its name without folders
    Verdict verdict;
    std::string text;
};

struct Verified {
    bool passed = true;  // nothing is damaged, nothing is missing
    std::string usable;  // some lines that say what of a run can still be used; "" for a file
};

// `path`: a run folder, a folder that Hugging Face reads, or a file of one of the kinds that they
// hold. `tell` hears of one file after the other, as each was read: large ones take a while.
// Throws UsageError for a file of another kind, Error where there is nothing or no run.
Verified verify(const std::string& path, const std::function<void(const Finding&)>& tell);

}  // namespace zhuyi
