// Rows of numbers, made small for the page.
#include <algorithm>

#include "film/page_data.h"
#include "film/stream_list.h"

namespace zhuyi {
constexpr Index kWhole = 4096;  // what the frequencies of a plane add up to

// How often each byte occurs, of kWhole; at least 1 if it does at all.
static std::array<Index, 256> frequencies(std::string_view plane) {
    std::array<Index, 256> times{};
    for (const char byte : plane) ++times[static_cast<unsigned char>(byte)];
    std::array<Index, 256> found{};
    Index sum = 0;
    for (std::size_t b = 0; b < 256; ++b) {
        if (times[b] > 0) found[b] = std::max<Index>(1, times[b] * kWhole / std::ssize(plane));
        sum += found[b];
    }
    for (; sum != kWhole; sum += sum < kWhole ? 1 : -1)
        *std::ranges::max_element(found) += sum < kWhole ? 1 : -1;
    return found;
}

// One number x in [2^23, 2^31) holds the bytes so far: a byte of frequency f that begins at b makes
// it 4096 (x / f) + b + x % f. What would be too large goes out first, eight bits at a time. The
// last byte comes first, for the page undoes it from the other end.
static std::string coded(std::string_view plane) {
    const auto frequency = frequencies(plane);
    std::array<Index, 256> begin{};
    std::string table, out;
    Index at = 0;
    for (std::size_t b = 0; b < 256; at += frequency[b++]) {
        begin[b] = at;
        table += {char(frequency[b] & 255), char(frequency[b] >> 8)};
    }
    std::uint32_t x = 1u << 23;
    for (std::size_t i = plane.size(); i-- > 0;) {
        const auto byte = static_cast<unsigned char>(plane[i]);
        const auto f = std::uint32_t(frequency[byte]);
        for (; x >= f << 19; x >>= 8) out += char(x & 255);
        x = x / f * std::uint32_t(kWhole) + std::uint32_t(begin[byte]) + x % f;
    }
    for (int k = 0; k < 4; ++k, x >>= 8) out += char(x & 255);
    std::ranges::reverse(out);
    return table + out;
}

// Numbers of `width` bytes, plane after plane.
static std::string squeezed(std::string_view numbers, std::size_t width) {
    std::string all;
    for (std::size_t k = 0; k < width; ++k) {
        std::string plane;
        for (std::size_t i = k; i < numbers.size(); i += width) plane += numbers[i];
        const std::string fewer = plane.size() > 2 * 256 ? coded(plane) : plane;
        all += fewer.size() < plane.size() ? '\1' + fewer : '\0' + plane;
    }
    return all;
}

static Json array_of(const HistoryStream& stream, std::string_view scales,
                     std::string_view levels) {
    const auto digit = stream.element.find_first_of("123456789");
    const std::size_t width = std::size_t(std::stoi(stream.element.substr(digit))) / 8;
    Json array;
    array.set("type", stream.element).set("scale", stream.scale);
    array.set("count", Index(levels.size() / width));
    if (stream.group) array.set("group", stream.group);
    return array.set("squeezed",
                     (stream.group ? squeezed(scales, 4) : "") + squeezed(levels, width));
}

Json over(const History& history, const Frames& frames, const std::string& name) {
    std::string scales, levels;
    for (const Frame* frame : frames) {
        const HistoryNumbers numbers = history.numbers(*frame, name);
        scales += numbers.scales();
        levels += numbers.levels();
    }
    return array_of(*history.stream(name), scales, levels);
}

Json gathered(const Json& data, std::string& bytes) {
    if (data.is_array()) {
        Json::Array items;
        for (const Json& item : data.items()) items.push_back(gathered(item, bytes));
        return items;
    }
    if (!data.is_object()) return data;
    Json copy{Json::Object{}};
    for (const auto& [name, value] : data.members())
        if (name == "squeezed") {
            copy.set("at", std::ssize(bytes));
            bytes += value.text();
        } else {
            copy.set(name, gathered(value, bytes));
        }
    return copy;
}

std::string dense_text(std::string_view bytes) {
    constexpr std::string_view kChanged("\0\r<", 3);
    std::string sevens, text;
    unsigned bits = 0, count = 0;
    for (const char byte : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(byte);
        for (count += 8; count >= 7;) sevens += char(bits >> (count -= 7) & 127u);
    }
    if (count > 0) sevens += char(bits << (7 - count) & 127u);
    for (std::size_t i = 0; i < sevens.size(); ++i) {
        const std::size_t which = kChanged.find(sevens[i]);
        if (which == kChanged.npos) {
            text += sevens[i];
            continue;
        }
        const unsigned next = ++i < sevens.size() ? unsigned(sevens[i]) : 0;
        const unsigned point = 0x80 + 128 * unsigned(which) + next;
        text += {char(0xC0 | point >> 6), char(0x80 | (point & 63))};
    }
    return text;
}

Json packed(const std::vector<double>& values, const char* element, double scale, Index group) {
    const HistoryStream stream{"", element, {std::ssize(values)}, 1, {}, scale, group};
    const std::string data = stream.encoded(values);
    const HistoryNumbers numbers(stream, data);
    return array_of(stream, numbers.scales(), numbers.levels());
}

}  // namespace zhuyi
