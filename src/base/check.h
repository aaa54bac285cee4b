// Errors. They are thrown where the outside world comes in (files, options, shapes), say what was
// expected, what was found, where, and what to do next, and are caught once, in main. Each is
// written in both languages (base/language.h).
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "base/language.h"

namespace zhuyi {

// The work could not be done: exit code 1.
class Error : public std::exception {
  public:
    explicit Error(Text text) : text_(std::move(text)) {}
    const Text& text() const { return text_; }
    const char* what() const noexcept override { return text_.english.c_str(); }

  private:
    Text text_;
};

// The command line or a configuration is wrong: exit code 2.
class UsageError : public Error {
  public:
    using Error::Error;
};

[[noreturn]] inline void fail(Text text) { throw Error(std::move(text)); }
[[noreturn]] inline void fail_usage(Text text) { throw UsageError(std::move(text)); }

// fail({"%s: there is no such folder", "%s：没有这个目录"}, path)
template <class... Args>
[[noreturn]] void fail(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
                       const Args&... args) {
    throw Error(say<Args...>(pattern, args...));
}
template <class... Args>
[[noreturn]] void fail_usage(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
                             const Args&... args) {
    throw UsageError(say<Args...>(pattern, args...));
}

// For what the caller must get right; the message costs nothing to build.
inline void require(bool holds, Words message) {
    if (!holds) throw Error(Text(message));
}

}  // namespace zhuyi
