#include "base/format.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

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

}  // namespace zhuyi
