// Why a call of the system failed.
#pragma once
#include "base/check.h"
#include "base/language.h"

namespace zhuyi {

// There is no room: on the disk, in the quota, below the limit on a file's size. What was saved
// before is whole, so making room is all that is needed.
class NoRoom : public Error {
  public:
    using Error::Error;
};
bool is_no_room(int error);
// Throws Error with this text, NoRoom where that is the reason.
[[noreturn]] void fail_for(int error, const std::string& text);

// error: the value of errno. English in the system's own words ("No space left on device"), Chinese
// for what a person is likely to meet; anything else is in English in both.
std::string system_reason(int error);

}  // namespace zhuyi
