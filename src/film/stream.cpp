#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "film/history.h"

namespace zhuyi {
namespace {

// The upper half of a float, rounded to even.
struct Bf16 {
    std::uint16_t bits;
    explicit Bf16(double x) {
        const auto whole = std::bit_cast<std::uint32_t>(float(x));
        bits = std::uint16_t((whole + 0x7fffu + ((whole >> 16) & 1u)) >> 16);
    }
    explicit operator double() const {
        return double(std::bit_cast<float>(std::uint32_t(bits) << 16));
    }
};

struct Element {
    const char* name;
    std::size_t width;  // bytes
    double largest;     // level
    double (*read)(const char* bytes);
    void (*append)(std::string& bytes, double level);
};

template <class T>
constexpr Element element(const char* name, double largest) {
    return {name, sizeof(T), largest,
            [](const char* bytes) {
                alignas(T) char copy[sizeof(T)];
                std::memcpy(copy, bytes, sizeof(T));
                return double(std::bit_cast<T>(copy));
            },
            [](std::string& bytes, double level) {
                if constexpr (std::is_integral_v<T>) level = std::nearbyint(level);
                const auto number = T(level);
                bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
            }};
}

constexpr Element kElements[] = {
    element<std::uint8_t>("u8", 255),
    element<std::int8_t>("i8", 127),
    element<std::uint16_t>("u16", 65535),
    element<std::int16_t>("i16", 32767),
    element<std::uint32_t>("u32", 4294967295),
    element<std::int32_t>("i32", 2147483647),
    element<float>("f32", 1),
    element<double>("f64", 1),
    element<Bf16>("bf16", 1),
};

const Element* element_of(const HistoryStream& stream) {
    const auto found = std::ranges::find(kElements, stream.element, &Element::name);
    return found == std::end(kElements) ? nullptr : found;
}

}  // namespace

bool HistoryStream::readable() const { return element_of(*this) != nullptr; }

// Far beyond every model, and small enough that no product overflows.
Index HistoryStream::size() const {
    constexpr Index kMost = Index(1) << 31;
    Index product = 1;
    for (const Index extent : shape) {
        if (extent == kAnyLength) return kAnyLength;
        if (extent < 0 || extent > kMost || product * extent > kMost)
            fail({"the history names a stream that no memory can hold; the file is damaged",
                  "训练回放中有一项数据大得任何内存都放不下；文件已损坏"});
        product *= extent;
    }
    return product;
}

double HistoryStream::bytes() const {
    const double numbers = double(std::max<Index>(size(), 0));
    return numbers * double(element_of(*this)->width) + (group ? numbers / double(group) * 4 : 0);
}

bool HistoryStream::fits(std::size_t bytes) const {
    const std::size_t width = element_of(*this)->width;
    const Index numbers = size();
    if (numbers == kAnyLength) return group == 0 && bytes % width == 0;
    if (group != 0 && (group < 0 || numbers % group != 0)) return false;
    return bytes == std::size_t(numbers) * width + (group ? std::size_t(numbers / group) * 4 : 0);
}

std::string HistoryStream::encoded(const std::vector<double>& values) const {
    const Element& kind = *element_of(*this);
    std::string scales, levels;
    const std::size_t together =
        group ? std::size_t(group) : std::max(values.size(), std::size_t(1));
    for (std::size_t from = 0; from < values.size(); from += together) {
        const auto part = std::span(values).subspan(from, std::min(together, values.size() - from));
        double one = scale;
        if (group) {
            double largest = 0;
            for (const double x : part) largest = std::max(largest, std::abs(x));
            const auto own = float(largest / kind.largest);
            scales.append(reinterpret_cast<const char*>(&own), sizeof own);
            one = double(own);
        }
        for (const double x : part) kind.append(levels, one > 0 ? x / one : 0);
    }
    if (!fits(scales.size() + levels.size()))
        fail({"the history's %s has %zu numbers in a frame; expected %td",
              "训练回放的 %s 在一帧中有 %zu 个数，应有 %td 个"},
             name, values.size(), size());
    return scales + levels;
}

HistoryNumbers::HistoryNumbers(const HistoryStream& stream, std::string_view data)
    : scale_(stream.scale), group_(std::size_t(stream.group)) {
    const Element& kind = *element_of(stream);
    level_ = kind.read;
    width_ = kind.width;
    size_ = stream.size() == kAnyLength ? data.size() / width_ : std::size_t(stream.size());
    scales_ = data.substr(0, data.size() - size_ * width_);
    levels_ = data.substr(scales_.size());
}

double HistoryNumbers::at(std::size_t i) const {
    const double level = level_(levels_.data() + i * width_);
    if (group_ == 0) return scale_ * level;
    float own;
    std::memcpy(&own, scales_.data() + i / group_ * sizeof own, sizeof own);
    return double(own) * level;
}

}  // namespace zhuyi
