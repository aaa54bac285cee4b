// One character in two contexts as a sheet.
#pragma once
#include "observe/worked_compare.h"
#include "report/sheet.h"

namespace zhuyi {

Sheet compare_sheet(const WorkedComparison& comparison, Language language);

}  // namespace zhuyi
