// What training says when it ends.
#pragma once
#include <cstdint>
#include <string>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

struct TrainEnd {
    std::string run;             // folder
    Index begun, reached, last;  // steps: done before, done now, and of the whole run
};

// Where the run stands, its fingerprint, and what to type to go on. No newline at the end.
std::string end_text(const TrainEnd& end, std::uint64_t fingerprint, Language language);

}  // namespace zhuyi
