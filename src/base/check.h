// Errors. They are thrown where the outside world comes in (files, options, shapes), say what was
// expected, what was found, where, and what to do next, and are caught once, in main. Each is in
// the language of the process (base/language.h).
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "base/language.h"

namespace zhuyi {

// The work could not be done: exit code 1.
class Error : public std::exception {
  public:
    explicit Error(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
};

// The command line or a configuration is wrong: exit code 2.
class UsageError : public Error {
  public:
    using Error::Error;
};

template <std::convertible_to<std::string> Message>
[[noreturn]] void fail(const Message& message) {
    throw Error(message);
}
template <std::convertible_to<std::string> Message>
[[noreturn]] void fail_usage(const Message& message) {
    throw UsageError(message);
}

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

// A precondition that only a programmer can break: one English sentence says what must hold.
inline void require(bool holds, const char* sentence) {
    if (!holds) throw Error(sentence);
}

}  // namespace zhuyi
