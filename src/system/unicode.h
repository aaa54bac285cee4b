// One code point at a time, as strict as the standard (Unicode 15, table 3-7): no overlong forms,
// no surrogates, nothing above U+10FFFF.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace zhuyi {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 0;  // 0: no valid character begins here
};

CodePoint first_code_point(std::string_view utf8);
// value: not a surrogate, at most U+10FFFF.
void append_code_point(std::string& utf8, char32_t value);

}  // namespace zhuyi
