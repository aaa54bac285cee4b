// Why a call of the system failed.
#pragma once
#include "base/language.h"

namespace zhuyi {

// error: the value of errno. English in the system's own words ("No space left on device"), Chinese
// for what a person is likely to meet; anything else is in English in both.
Text system_reason(int error);

}  // namespace zhuyi
