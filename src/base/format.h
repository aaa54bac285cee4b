// Numbers as text, and text as numbers. format() is printf into a std::string: g++ 12 has no
// <format>.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace zhuyi {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// 1234567 -> "1,234,567"
std::string grouped(long long number);

// 1536 -> "1.5 KiB"
std::string bytes_text(double bytes);

// 83 seconds -> "1:23", and "1:02:03" from an hour on
std::string duration_text(double seconds);

// "a,b" -> {"a", "b"}, "" -> {""}. The parts are views of `text`.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

// What text(item) gives for each item, with `between` between them: "a, b, c".
template <class Items, class Text>
std::string joined(const Items& items, std::string_view between, const Text& text) {
    std::string all;
    for (const auto& item : items) (all += all.empty() ? "" : between) += text(item);
    return all;
}
inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
    return joined(words, between,
                  [](const std::string& word) -> const std::string& { return word; });
}

// The first four of them by name, "a, b, c, d …"; "" of none.
std::string first_names(std::vector<std::string> names);

// Decimal only: "-3", "0.5", "1e-4". Nothing else may stand around it; no "nan", "inf" or
// hexadecimal, nothing too large for a double.
std::optional<double> parse_number(std::string_view text);
// A whole number below 2^53, with a sign or none; "1e4" is one too.
std::optional<Index> parse_integer(std::string_view text);
// The shortest text that reads back as the same number: 0.1 -> "0.1", 300 -> "300", 1e-05 ->
// "1e-05". Finite numbers only.
std::string number_text(double number);

}  // namespace zhuyi
