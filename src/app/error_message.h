// What is left of the program when something went wrong: a message and an exit code.
#pragma once
#include <exception>

#include "base/language.h"

namespace zhuyi {

// Says on stderr what went wrong; returns the exit code: 1 failed, 2 wrong usage.
int report(const std::exception& error);

}  // namespace zhuyi
