// Numbers as bytes, little-endian, one after the other: how zhuyi's own binary files are written
// and read.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
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

}  // namespace zhuyi
