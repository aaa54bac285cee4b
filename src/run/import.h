// A run folder for a model that was trained elsewhere.
#pragma once
#include "model/loaded_model.h"
#include "run/run_folder.h"

namespace zhuyi {

// Fills an empty folder. The weights are step 0 of this run, its best and its first at once. There
// are no moments, so nothing to resume: training goes on with `train TEXT --from RUN`.
void write_imported_run(const RunFolder& folder, const LoadedModel& model, Language language);

}  // namespace zhuyi
