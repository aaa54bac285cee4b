#include "base/format.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdlib>

namespace zhuyi {

std::string format(const char* pattern, ...) {
    va_list arguments, again;
    va_start(arguments, pattern);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string text(std::size_t(length < 0 ? 0 : length), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

std::string grouped(long long number) {
    std::string digits = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t end = digits.size(); end > first + 3;) digits.insert(end -= 3, 1, ',');
    return digits;
}

std::string bytes_text(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
    return format(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

std::string duration_text(double seconds) {
    const long s = std::max(0L, std::lround(seconds));
    return s < 3600 ? format("%ld:%02ld", s / 60, s % 60)
                    : format("%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

// digits [. digits] [e [+-] digits], with an optional sign and at least one digit before the
// exponent.
static bool is_decimal(std::string_view text) {
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

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + separator.size());
    }
}

std::string first_names(std::vector<std::string> names) {
    constexpr std::size_t kMost = 4;
    std::ranges::sort(names);
    const char* more = names.size() > kMost ? " …" : "";
    names.resize(std::min(names.size(), kMost));
    return joined(names, ", ") + more;
}

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
