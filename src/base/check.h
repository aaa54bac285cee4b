// Errors. They are thrown where the outside world comes in (files, options, shapes), say what was
// expected, what was found, where, and what to do next, and are caught once, in main.
#pragma once
#include <stdexcept>
#include <string>

namespace zhuyi {

// The work could not be done: exit code 1.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The command line or a configuration is wrong: exit code 2.
class UsageError : public Error {
  public:
    using Error::Error;
};

[[noreturn]] inline void fail(const std::string& message) { throw Error(message); }
[[noreturn]] inline void fail_usage(const std::string& message) { throw UsageError(message); }

// For invariants whose message costs nothing to build; otherwise write `if (!ok)
// fail(format(...))`.
inline void require(bool holds, const char* message) {
    if (!holds) throw Error(message);
}

}  // namespace zhuyi
