// One training step as a sheet.
#pragma once
#include "explain/sheet.h"
#include "explain/worked_step.h"

namespace zhuyi {

Sheet step_sheet(const WorkedStep& step, const TrainConfig& config, Language language);

}  // namespace zhuyi
