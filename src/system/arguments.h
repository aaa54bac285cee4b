// The words of a command line, taken apart into words and options.
//
//     words and options in any order
//     --key=value, --key value, --switch      '-' and '_' in a key are the same
//     --                                      everything after it is a word
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "system/options.h"

namespace zhuyi {

struct Setting {
    std::string name, text, origin;  // origin: how an error names it, "--steps"
};

struct Arguments {
    std::vector<std::string> words;
    std::vector<Setting> settings;
};

// A switch takes no value: its presence says yes. Only where yes, no, on, off, true or false
// follows, this is its value.
enum class Takes { value, nothing, unknown };
Takes takes(const Options& options, std::string_view name);

// Throws UsageError where a value is missing. Unknown options are left to Options::set, which names
// the nearest one.
Arguments split_line(std::span<const std::string> arguments,
                     const std::function<Takes(std::string_view name)>& takes);

bool is_option(std::string_view argument);  // "--steps", "-h", but not "-"

// The language that the last --lang asks for, wherever it stands; without one that of the locale.
// Reads even a line that is wrong otherwise: an error is printed in this language.
Language language_of(std::span<const std::string> arguments);

}  // namespace zhuyi
