// One training step as a sheet.
#pragma once
#include "observe/worked_step.h"
#include "report/sheet.h"

namespace zhuyi {

Sheet step_sheet(const WorkedStep& step, const TrainConfig& config, Language language);

}  // namespace zhuyi
