// The course's examples as worked sheets.
#pragma once
#include "explain/sheet.h"
#include "explain/worked_example.h"

namespace zhuyi {

Sheet example_sheet(const WorkedExample& example, Language language);
Sheet dot_sheet(const WorkedDot& example, Language language);
Sheet query_sheet(const WorkedQuery& example, Language language);
Sheet softmax_sheet(const WorkedSoftmax& example, Language language);

}  // namespace zhuyi
