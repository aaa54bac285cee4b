#include "base/number.h"

#include <cmath>
#include <cstdlib>

#include "base/format.h"

namespace zhuyi {
namespace {

// digits [. digits] [e [+-] digits], with an optional sign and at least one digit before the
// exponent.
bool is_decimal(std::string_view text) {
    std::size_t at = 0;
    const auto skip_any_of = [&](std::string_view set) {
        const std::size_t from = at;
        while (at < text.size() && set.find(text[at]) != set.npos) ++at;
        return at - from;
    };
    const auto skip_one_of = [&](std::string_view set) {
        const bool found = at < text.size() && set.find(text[at]) != set.npos;
        at += found;
        return found;
    };
    constexpr std::string_view kDigits = "0123456789";
    skip_one_of("+-");
    std::size_t digits = skip_any_of(kDigits);
    if (skip_one_of(".")) digits += skip_any_of(kDigits);
    if (digits == 0) return false;
    if (skip_one_of("eE")) {
        skip_one_of("+-");
        if (skip_any_of(kDigits) == 0) return false;
    }
    return at == text.size();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    if (!is_decimal(text)) return std::nullopt;
    // strtod depends on the locale, but the program never sets one. (libc++ has no from_chars for
    // double.)
    const double number = std::strtod(std::string(text).c_str(), nullptr);
    if (!std::isfinite(number)) return std::nullopt;
    return number;
}

std::optional<Index> parse_integer(std::string_view text) {
    const std::optional<double> number = parse_number(text);
    // From 2^53 on a double may stand for its neighbours too.
    if (!number || std::abs(*number) >= 0x1p53 || std::trunc(*number) != *number)
        return std::nullopt;
    return Index(*number);
}

std::string number_text(double number) {
    // Up to 15 digits survive the way into a double and back, so "%.15g" finds the shortest text
    // where there is one.
    for (int digits = 15; digits < 17; ++digits) {
        const std::string text = format("%.*g", digits, number);
        if (std::strtod(text.c_str(), nullptr) == number) return text;
    }
    return format("%.17g", number);
}

}  // namespace zhuyi
