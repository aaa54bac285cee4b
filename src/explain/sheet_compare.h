// One character in two contexts as a sheet.
#pragma once
#include "explain/sheet.h"
#include "explain/worked_compare.h"

namespace zhuyi {

Sheet compare_sheet(const WorkedComparison& comparison, Language language);

}  // namespace zhuyi
