// Numbers as bytes, little-endian, one after the other: how zhuyi's own binary files are written
// and read. And two encodings of others: half precision, and base64.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace zhuyi {

static_assert(std::endian::native == std::endian::little,
              "files hold little-endian numbers; on this machine every number would have to be "
              "turned around");

class ByteWriter {
  public:
    template <class T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    // Their count, then the numbers.
    template <class T>
    void numbers(const std::vector<T>& values) {
        static_assert(std::is_arithmetic_v<T>);
        number(std::uint32_t(values.size()));
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    void text(std::string_view text) {
        number(std::uint32_t(text.size()));
        bytes_.append(text);
    }
    void raw(std::string_view bytes) { bytes_.append(bytes); }  // without their count
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

// Reads what ByteWriter wrote. Throws Error when the bytes end before.
class ByteReader {
  public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> numbers() {
        const auto count = std::size_t(number<std::uint32_t>());
        if (count > rest_.size() / sizeof(T)) fail_short();
        std::vector<T> values(count);
        if (count) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
        return values;
    }
    std::string text() { return std::string(take(number<std::uint32_t>())); }
    bool at_end() const { return rest_.empty(); }

  private:
    [[noreturn]] static void fail_short() {
        fail({"the bytes end before the numbers they announce", "数据在应有的数字之前就结束了"});
    }
    std::string_view take(std::size_t count) {
        if (count > rest_.size()) fail_short();
        const std::string_view front = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return front;
    }
    std::string_view rest_;
};

// ---- IEEE 754 binary16: a sign, 5 bits of exponent (bias 15), 10 bits of fraction

// Rounds ties to even; infinity from 65520 on.
inline std::uint16_t half_of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000u;
    const float size = std::bit_cast<float>(bits & 0x7FFFFFFFu);
    if (!(size == size)) return std::uint16_t(sign | 0x7E00u);
    if (size >= 65520.0f) return std::uint16_t(sign | 0x7C00u);
    // In units of the last of its ten bits (2^-24 for the denormals) the number is 2^10 … 2^11, or
    // less; nearbyint rounds as the processor does, ties to even.
    const int exponent = std::max(std::ilogb(size == 0 ? 0x1p-24f : size), -14);
    const float unit = std::ldexp(1.0f, exponent - 10);
    const auto steps = std::uint32_t(std::nearbyint(size / unit));
    return std::uint16_t(sign + (std::uint32_t(exponent + 14) << 10) + steps);
}

// Exact.
inline float from_half(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, fraction = bits & 0x3FF;
    const std::uint32_t exponent = bits >> 10 & 0x1F;
    if (exponent == 0) {
        const float small = float(fraction) * 0x1p-24f;  // zero and the denormals
        return sign ? -small : small;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// ---- bytes as text (RFC 4648, section 4), for a page that contains its data

inline constexpr std::string_view kSixBits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes are four letters of six bits; a last group of one or two bytes is filled up with '='.
inline std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group =
                group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? kSixBits[group >> (18 - 6 * k) & 63u] : '=';
    }
    return text;
}

// The bytes again, or nothing if this is no such text.
inline std::optional<std::string> from_base64(std::string_view text) {
    std::string bytes;
    if (text.size() % 4 != 0) return {};
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t filled = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=');
        unsigned group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t letter = k < 4 - filled ? kSixBits.find(text[i + k]) : 0;
            if (letter == std::string_view::npos) return {};
            group = group << 6 | unsigned(letter);
        }
        for (std::size_t k = 0; k < 3 - filled; ++k)
            bytes += char(static_cast<unsigned char>(group >> (16 - 8 * k) & 255u));
    }
    return bytes;
}

}  // namespace zhuyi
