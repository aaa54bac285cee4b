// printf into a std::string: g++ 12 has no <format>.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// 1234567 -> "1,234,567"
std::string grouped(long long number);

// 1536 -> "1.5 KiB"
std::string bytes_text(double bytes);

// 83 seconds -> "1:23", and "1:02:03" from an hour on
std::string duration_text(double seconds);

}  // namespace zhuyi
