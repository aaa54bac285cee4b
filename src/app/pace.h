// How many steps of training fit into so many minutes, on this machine and now.
#pragma once
#include "text/corpus.h"
#include "train/run_folder.h"

namespace zhuyi {

// Makes some steps of this training, and an evaluation, on a model that is thrown away: of what
// comes afterwards no bit depends on it but the number it gives. At least 1.
Index steps_within(double minutes, const RunConfig& config, const TokenizedText& text);

}  // namespace zhuyi
