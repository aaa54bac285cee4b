// Other trainings, to be seen beside the one that the page plays (page/panel_runs.js).
#pragma once
#include "film/page_data.h"

namespace zhuyi {

constexpr std::size_t kMostOthers = 5;

//     {"run", "steps": [of its frames], "parameters": [names],
//      "differs": {"en", "zh"}: its options from those of `film`,
//      "norm", "from_start": (frames, rows),
//      "rules": as rules_data gives them, "model": {"layers", "heads"},
//      "sentences": [{"ours": index of the same sentence in `film`, "frames": [indices in steps],
//                     "attention": in 256 levels, (frames, L, H, T (T + 1) / 2)}]}
//
// Its curve is set by film_data, in the unit of all curves.
Json other_data(const Film& other, const Film& film);

}  // namespace zhuyi
