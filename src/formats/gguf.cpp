#include "formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "formats/bytes.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kVersion = 3;
constexpr std::uint64_t kAlignment = 32;
constexpr std::size_t kLongestName = 63;

// Numbers of the types, in the order of GgufValue's alternatives; the last three are arrays of the
// type named.
constexpr std::uint32_t kTypeNumbers[] = {4, 5, 6, 7, 8, 5, 6, 8};
constexpr std::uint32_t kArray = 9;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}
std::uint64_t bytes_of(GgufType type) { return type == GgufType::F32 ? 4 : 2; }

// Elements, or -1 when there are no such extents.
Index size_of(const std::vector<Index>& extents) {
    Index size = 1;
    for (const Index extent : extents)
        if (extent < 1 || __builtin_mul_overflow(size, extent, &size)) return -1;
    return size;
}

void write_text(ByteWriter& out, std::string_view text) {
    out.number(std::uint64_t(text.size()));
    out.raw(text);
}

void write_value(ByteWriter& out, const GgufValue& value) {
    const std::uint32_t type = kTypeNumbers[value.index()];
    const auto scalar = [&](const auto& item) {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_same_v<T, std::string>)
            write_text(out, item);
        else if constexpr (std::is_same_v<T, bool>)
            out.number(std::uint8_t(item));
        else
            out.number(item);
    };
    const auto any = [&](const auto& item) {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            out.number(type);
            scalar(item);
        } else {
            out.number(kArray);
            out.number(type);
            out.number(std::uint64_t(item.size()));
            for (const auto& element : item) scalar(element);
        }
    };
    std::visit(any, value);
}

std::string header_of(const GgufSettings& settings, const std::vector<GgufTensor>& tensors) {
    ByteWriter out;
    out.raw(kMagic);
    out.number(kVersion);
    out.number(std::uint64_t(tensors.size()));
    out.number(std::uint64_t(settings.size()));
    for (const auto& [key, value] : settings) {
        write_text(out, key);
        write_value(out, value);
    }
    std::uint64_t offset = 0;
    for (const GgufTensor& tensor : tensors) {
        write_text(out, tensor.name);
        out.number(std::uint32_t(tensor.extents.size()));
        for (const Index extent : tensor.extents) out.number(std::uint64_t(extent));
        out.number(std::uint32_t(tensor.type));
        out.number(offset);
        offset += aligned(std::uint64_t(size_of(tensor.extents)) * bytes_of(tensor.type));
    }
    return out.bytes() + std::string(aligned(out.bytes().size()) - out.bytes().size(), '\0');
}

std::string data_of(const GgufTensor& tensor, const std::string& path) {
    const std::vector<float> values = tensor.values();
    if (Index(values.size()) != size_of(tensor.extents))
        fail_english(format("cannot write %s: %s has %zu values, not those of its extents",
                            path.c_str(), tensor.name.c_str(), values.size()));
    std::string bytes(aligned(values.size() * bytes_of(tensor.type)), '\0');
    if (tensor.type == GgufType::F32) {
        std::memcpy(bytes.data(), values.data(), values.size() * sizeof(float));
        return bytes;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = half_of(values[i]);
        if ((half & 0x7FFF) >= 0x7C00)
            fail_english(
                format("%s holds %g, which is no number of type f16; export with --type f32",
                       tensor.name.c_str(), double(values[i])));
        std::memcpy(bytes.data() + 2 * i, &half, sizeof half);
    }
    return bytes;
}

}  // namespace

std::uint16_t half_of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000u;
    const float size = std::bit_cast<float>(bits & 0x7FFFFFFFu);
    if (!(size == size)) return std::uint16_t(sign | 0x7E00u);
    if (size >= 65520.0f) return std::uint16_t(sign | 0x7C00u);
    // Adding a power of two that leaves ten bits (or 2^-24, for the denormals) behind the point
    // rounds as the processor does, ties to even.
    const int exponent = std::max(std::ilogb(size == 0 ? 0x1p-24f : size), -14);
    const float unit = std::ldexp(1.0f, exponent - 10);
    // 2^10 … 2^11, less for denormals.
    const auto steps = std::uint32_t(std::nearbyint(size / unit));
    return std::uint16_t(sign + (std::uint32_t(exponent + 14) << 10) + steps);
}

float from_half(std::uint16_t bits) {
    const std::uint32_t exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;
    const float size = exponent == 0    ? std::ldexp(float(fraction), -24)
                       : exponent == 31 ? (fraction ? NAN : INFINITY)
                                        : std::ldexp(float(fraction + 1024), int(exponent) - 25);
    return bits & 0x8000u ? -size : size;
}

void write_gguf(const std::string& path, const GgufSettings& settings,
                const std::vector<GgufTensor>& tensors) {
    std::vector<std::string_view> names, keys;
    for (const GgufTensor& tensor : tensors) {
        names.push_back(tensor.name);
        if (tensor.name.empty() || tensor.name.size() > kLongestName || size_of(tensor.extents) < 1)
            fail_english("cannot write " + path +
                         ": no name or extents of a tensor: " + tensor.name);
    }
    for (const auto& setting : settings) keys.push_back(setting.first);
    for (auto* list : {&names, &keys}) {
        std::sort(list->begin(), list->end());
        const auto twice = std::adjacent_find(list->begin(), list->end());
        if (twice != list->end())
            fail_english("cannot write " + path + ": twice the name " + in_quotes(*twice));
    }
    AtomicFile file(path);
    file.write(header_of(settings, tensors));
    for (const GgufTensor& tensor : tensors) file.write(data_of(tensor, path));
    file.commit();
}

// ---- reading

// Walks through the header; never believes a length that the rest of the file could not hold.
class GgufFile::Header {
  public:
    explicit Header(const GgufFile& file) : file_(file) {}

    template <class T>
    T number() {
        T value;
        read(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    std::string text() {
        std::string text(count(1), '\0');
        read(std::as_writable_bytes(std::span(text)));
        return text;
    }
    // A count of things of at least `bytes` each.
    std::size_t count(std::uint64_t bytes) {
        const auto count = number<std::uint64_t>();
        if (count > (file_.file_.size() - at_) / bytes)
            file_.fail_damaged(format("a count of %llu is more than the file can hold",
                                      static_cast<unsigned long long>(count)));
        return std::size_t(count);
    }
    template <class T>
    T scalar() {
        if constexpr (std::is_same_v<T, std::string>)
            return text();
        else if constexpr (std::is_same_v<T, bool>)
            return number<std::uint8_t>() != 0;
        else
            return number<T>();
    }
    template <class T>
    std::vector<T> array() {
        std::vector<T> items(count(sizeof(T) < 8 ? sizeof(T) : 8));
        for (T& item : items) item = scalar<T>();
        return items;
    }
    GgufValue value() {
        switch (const auto type = number<std::uint32_t>()) {
            case 4:
                return number<std::uint32_t>();
            case 5:
                return number<std::int32_t>();
            case 6:
                return number<float>();
            case 7:
                return scalar<bool>();
            case 8:
                return text();
            case kArray:
                switch (const auto of = number<std::uint32_t>()) {
                    case 5:
                        return array<std::int32_t>();
                    case 6:
                        return array<float>();
                    case 8:
                        return array<std::string>();
                    default:
                        file_.fail_damaged(format("an array of type %u is unknown here", of));
                }
            default:
                file_.fail_damaged(format("the type %u is unknown here", type));
        }
    }
    Entry entry() {
        Entry entry{text(), {}, GgufType::F32, 0, 0};
        const auto rank = number<std::uint32_t>();
        if (rank < 1 || rank > 4) file_.fail_damaged(format("%u extents, not 1 to 4", rank));
        for (std::uint32_t i = 0; i < rank; ++i)
            entry.extents.push_back(Index(number<std::uint64_t>()));
        const auto type = number<std::uint32_t>();
        if (type > 1) file_.fail_damaged(format("%s: type %u", entry.name.c_str(), type));
        entry.type = GgufType(type);
        entry.offset = number<std::uint64_t>();
        entry.size = size_of(entry.extents);
        if (entry.size < 0 || std::uint64_t(entry.size) > file_.file_.size())
            file_.fail_damaged(entry.name + ": extents beyond the file");
        return entry;
    }
    std::uint64_t at() const { return at_; }

  private:
    // A header is read in thousands of small pieces: a window of it is held.
    void read(std::span<std::byte> bytes) {
        if (bytes.size() > file_.file_.size() - at_) file_.fail_damaged("it ends in its header");
        if (at_ < begin_ || at_ + bytes.size() > begin_ + window_.size()) {
            begin_ = at_;
            window_.resize(std::min<std::size_t>(std::max<std::size_t>(bytes.size(), 1 << 16),
                                                 std::size_t(file_.file_.size() - at_)));
            file_.file_.read(begin_, window_);
        }
        if (!bytes.empty())
            std::memcpy(bytes.data(), window_.data() + (at_ - begin_), bytes.size());
        at_ += bytes.size();
    }

    const GgufFile& file_;
    std::vector<std::byte> window_;
    std::uint64_t begin_ = 0, at_ = 0;
};

GgufFile::GgufFile(const std::string& path) : file_(path) {
    Header header(*this);
    char magic[4];
    for (char& letter : magic) letter = header.number<char>();
    if (std::string_view(magic, 4) != kMagic) fail_damaged("expected \"GGUF\" in front");
    const auto version = header.number<std::uint32_t>();
    if (version != kVersion) fail_damaged(format("expected version 3, found %u", version));
    const std::size_t tensors = header.count(24), settings = header.count(13);
    for (std::size_t i = 0; i < settings; ++i) {
        std::string key = header.text();
        if (find(key)) fail_damaged("two settings " + in_quotes(key));
        settings_.emplace_back(std::move(key), header.value());
    }
    for (std::size_t i = 0; i < tensors; ++i) entries_.push_back(header.entry());
    data_begin_ = aligned(header.at());
    std::uint64_t offset = 0;
    for (const Entry& entry : entries_) {
        if (entry.offset != offset) fail_damaged(entry.name + ": not behind the one before it");
        offset += aligned(std::uint64_t(entry.size) * bytes_of(entry.type));
    }
    if (data_begin_ + offset != file_.size())
        fail_damaged(format("expected %llu bytes, found %llu",
                            static_cast<unsigned long long>(data_begin_ + offset),
                            static_cast<unsigned long long>(file_.size())));
}

void GgufFile::fail_damaged(const std::string& what) const {
    fail_english(file_.path() + " is no GGUF file of ours, or a damaged one: " + what);
}

const GgufValue* GgufFile::find(std::string_view key) const {
    for (const auto& setting : settings_)
        if (setting.first == key) return &setting.second;
    return nullptr;
}

const GgufValue& GgufFile::at(std::string_view key) const {
    if (const GgufValue* value = find(key)) return *value;
    fail_damaged("it has no setting " + std::string(key));
}

const GgufFile::Entry& GgufFile::entry(std::string_view name) const {
    for (const Entry& entry : entries_)
        if (entry.name == name) return entry;
    fail_damaged("it has no array " + std::string(name));
}

std::vector<float> GgufFile::values(const Entry& entry) const {
    std::vector<float> values(std::size_t(entry.size), 0.0f);
    const std::uint64_t begin = data_begin_ + entry.offset;
    if (entry.type == GgufType::F32) {
        file_.read(begin, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::vector<std::uint16_t> halves(values.size());
    file_.read(begin, std::as_writable_bytes(std::span(halves)));
    std::transform(halves.begin(), halves.end(), values.begin(), from_half);
    return values;
}

}  // namespace zhuyi
