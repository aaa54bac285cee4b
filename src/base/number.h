// Numbers as a person writes them, and the shortest text that reads back as the same number.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/real.h"

namespace zhuyi {

// Decimal only: "-3", "0.5", "1e-4". Nothing else may stand around it; no "nan", "inf" or
// hexadecimal, nothing too large for a double.
std::optional<double> parse_number(std::string_view text);
// A whole number below 2^53, with a sign or none; "1e4" is one too.
std::optional<Index> parse_integer(std::string_view text);
// 0.1 -> "0.1", 300 -> "300", 1e-05 -> "1e-05". Finite numbers only.
std::string number_text(double number);

}  // namespace zhuyi
