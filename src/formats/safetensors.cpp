#include "formats/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "formats/bytes.h"
#include "formats/json.h"
#include "system/printable.h"

namespace zhuyi {

using namespace safetensors;

// In the order of Dtype: name, and bytes of an element.
constexpr std::pair<const char*, Index> kDtypes[] = {
    {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
    {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};

// The format allows 100 MB; thousands of tensors need 1 MB. Reading a hostile header allocates at
// most some thirty times its length.
constexpr std::uint64_t kLongestHeader = std::uint64_t(16) << 20;

static std::optional<Dtype> dtype_named(std::string_view name) {
    for (std::size_t i = 0; i < std::size(kDtypes); ++i)
        if (name == kDtypes[i].first) return Dtype(i);
    return std::nullopt;
}

static SafetensorsEntry entry_of(const std::string& name, const Json& json,
                                 std::uint64_t data_bytes) {
    if (json.members().size() != 3)
        fail(
            {"expected dtype, shape and data_offsets only", "应只有 dtype、shape 和 data_offsets"});
    const std::string& type_name = json.at("dtype").text();
    const std::optional<Dtype> type = dtype_named(type_name);
    if (!type) fail({"its type %s is unknown here", "不认识它的类型 %s"}, in_quotes(type_name));

    std::vector<Index> shape;
    for (const Json& extent : json.at("shape").items()) shape.push_back(extent.integer());
    const Json::Array& offsets = json.at("data_offsets").items();
    if (offsets.size() != 2) fail({"expected two data_offsets", "data_offsets 应有两个"});
    const Index begin = offsets[0].integer(), end = offsets[1].integer();
    if (begin < 0 || end < begin || std::uint64_t(end) > data_bytes)
        fail({"its bytes [%td, %td) lie outside the file", "它的字节 [%td, %td) 超出了文件"}, begin,
             end);
    if (bytes_of_shape(shape, *type) != end - begin)
        fail({"%s of %s does not take its %td bytes", "%s 的 %s 不应占 %td 字节"},
             shape_text(shape), name_of(*type), end - begin);
    return {name, *type, shape, std::uint64_t(begin), std::uint64_t(end)};
}

const char* name_of(Dtype type) { return kDtypes[int(type)].first; }
Index bytes_of(Dtype type) { return kDtypes[int(type)].second; }

namespace safetensors {

std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Dtype type) {
    Index bytes = bytes_of(type);
    for (const Index extent : shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
    return bytes;
}

std::span<char> digits_in(std::string& header) {
    const std::string key = std::string("\"") + kSum + "\": \"";
    const std::size_t at = header.find(key), digits = 16;
    if (at == header.npos || header.size() - at - key.size() < digits) return {};
    return {header.data() + at + key.size(), digits};
}

std::string sum_of_header(std::string header) {
    std::ranges::fill(digits_in(header), '0');
    return hash_text(hash_of(header));
}

}  // namespace safetensors

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
    const std::string header = read_header();
    read_entries(header);
    check_tiling();
    check_header_sum(header);
}

void SafetensorsFile::fail_damaged(const std::string& what) const {
    fail({"%s is no safetensors file, or a damaged one: %s",
          "%s 不是 safetensors 文件，或者已损坏：%s"},
         path(), what);
}

std::string SafetensorsFile::read_header() {
    std::uint64_t length = 0;
    if (file_.size() < sizeof length)
        fail_damaged(say({"expected at least 8 bytes, found %llu", "至少应有 8 字节，实际有 %llu"},
                         file_.size()));
    file_.read(0, std::as_writable_bytes(std::span(&length, 1)));
    const std::uint64_t most = std::min(file_.size() - sizeof length, kLongestHeader);
    if (length < 2 || length > most)
        fail_damaged(say({"expected a header of 2 to %llu bytes, found a length of %llu",
                          "头部应为 2 到 %llu 字节，写着的长度是 %llu"},
                         most, length));
    std::string header(std::size_t(length), '\0');
    file_.read(sizeof length, std::as_writable_bytes(std::span(header)));
    data_begin_ = sizeof length + length;
    if (header[0] != '{')
        fail_damaged(
            say({"expected a header that begins with {, found %s", "头部应以 { 开头，实际是%s"},
                in_quotes(header)));
    return header;
}

void SafetensorsFile::read_entries(const std::string& header) {
    const Json json = parse_json(header, path() + " (header)");
    for (const auto& [name, value] : json.members()) {
        try {
            if (name == "__metadata__")
                for (const auto& [key, text] : value.members()) metadata_[key] = text.text();
            else
                entries_.push_back(entry_of(name, value, file_.size() - data_begin_));
        } catch (const Error& error) {
            fail_damaged(say({"%s: %s", "%s：%s"}, in_quotes(name), error.what()));
        }
    }
}

// The tensors must fill the data: no byte belongs to two of them, or to none.
void SafetensorsFile::check_tiling() {
    std::ranges::sort(entries_, {}, [](const auto& e) { return std::pair(e.begin, e.end); });
    std::uint64_t expected = 0;
    for (const SafetensorsEntry& entry : entries_) {
        if (entry.begin != expected)
            fail_damaged(say({"%s: expected to begin at byte %llu of the data, found %llu",
                              "%s：应从数据的第 %llu 字节开始，实际是 %llu"},
                             in_quotes(entry.name), expected, entry.begin));
        expected = entry.end;
    }
    if (expected != file_.size() - data_begin_)
        fail_damaged(
            say({"expected %llu bytes of data, found %llu", "数据应有 %llu 字节，实际有 %llu"},
                expected, file_.size() - data_begin_));
}

void SafetensorsFile::check_header_sum(const std::string& header) const {
    if (!has_checksums()) {
        // The header's own name may be what is damaged: those of the tensors never stand alone.
        const auto sum = metadata_.lower_bound(kTensorSum);
        if (sum != metadata_.end() && sum->first.starts_with(kTensorSum))
            fail_damaged(say({"it has checksums of tensors, but none of its header",
                              "有张量的校验和，却没有头部的校验和"}));
        return;
    }
    const std::string found = sum_of_header(header), &expected = metadata_.find(kSum)->second;
    if (found != expected)
        fail_damaged(
            say({"its header has the checksum %s, expected %s", "头部的校验和是 %s，应为%s"}, found,
                in_quotes(expected)));
}

void SafetensorsFile::check_sum(const SafetensorsEntry& entry, std::uint64_t sum) const {
    const auto expected = metadata_.find(kTensorSum + entry.name);
    if (expected == metadata_.end() || expected->second == hash_text(sum)) return;
    fail({"%s is damaged: the bytes of tensor %s have the checksum %s, expected %s",
          "%s 已损坏：张量 %s 的校验和是 %s，应为%s"},
         path(), in_quotes(entry.name), hash_text(sum), in_quotes(expected->second));
}

void SafetensorsFile::verify(const SafetensorsEntry& entry) const {
    std::vector<std::byte> piece(std::size_t(1) << 16);
    Hash hash;
    for (std::uint64_t done = 0, size = entry.end - entry.begin; done < size;) {
        const std::span part(piece.data(),
                             std::size_t(std::min<std::uint64_t>(size - done, piece.size())));
        read_bytes(entry, done, part);
        hash.add(std::span<const std::byte>(part));
        done += part.size();
    }
    check_sum(entry, hash.value());
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &SafetensorsEntry::name);
    return entry == entries_.end() ? nullptr : &*entry;
}

const SafetensorsEntry& SafetensorsFile::at(std::string_view name) const {
    if (const SafetensorsEntry* entry = find(name)) return *entry;
    fail({"%s: expected a tensor %s among its %zu, found none",
          "%s：应有张量 %s，但文件的 %zu 个张量里没有"},
         path(), in_quotes(name), entries_.size());
}

void SafetensorsFile::expect(const SafetensorsEntry& entry, Dtype type, Index size) const {
    if (entry.type == type && entry.size() == size) return;
    fail({"%s: tensor %s: expected %td elements of %s, found %s of %s",
          "%s：张量 %s：应有 %td 个 %s 元素，实际是 %s 的 %s"},
         path(), in_quotes(entry.name), size, name_of(type), shape_text(entry.shape),
         name_of(entry.type));
}

void SafetensorsFile::read_bytes(const SafetensorsEntry& entry, std::uint64_t offset,
                                 std::span<std::byte> bytes) const {
    const std::uint64_t length = entry.end - entry.begin;
    require(offset <= length && bytes.size() <= length - offset, "read beyond a tensor's end");
    file_.read(data_begin_ + entry.begin + offset, bytes);
}

static Real number_at(const std::byte* bytes, Dtype type) {
    const auto read = [&](auto value) {
        std::memcpy(&value, bytes, sizeof value);
        return value;
    };
    switch (type) {
        case Dtype::F64:
            return Real(read(double()));
        case Dtype::F32:
            return Real(read(float()));
        case Dtype::F16:
            return Real(from_half(read(std::uint16_t())));
        default:
            return Real(std::bit_cast<float>(std::uint32_t(read(std::uint16_t())) << 16));
    }
}

template <class Hear>
void SafetensorsFile::each_piece(const SafetensorsEntry& entry, Index from, Out values,
                                 const Hear& hear) const {
    std::array<std::byte, 1 << 16> piece;
    const std::size_t step = std::size_t(bytes_of(entry.type)), at_once = piece.size() / step;
    for (std::size_t done = 0; done < values.size(); done += at_once) {
        const std::size_t count = std::min(at_once, values.size() - done);
        const std::span bytes = std::span(piece).first(count * step);
        read_bytes(entry, (std::size_t(from) + done) * step, bytes);
        hear(std::span<const std::byte>(bytes));
        for (std::size_t i = 0; i < count; ++i)
            values[done + i] = number_at(piece.data() + i * step, entry.type);
    }
}

void SafetensorsFile::read_numbers(std::string_view name, Out values) const {
    const SafetensorsEntry& entry = at(name);
    const std::string_view type = name_of(entry.type);
    const bool floating = type[0] == 'F' || type == "BF16";
    expect(entry, floating ? entry.type : dtype_of<Real>(), Index(values.size()));
    if (entry.type == dtype_of<Real>()) return read(name, values);

    Hash hash;
    each_piece(entry, 0, values, [&](std::span<const std::byte> bytes) { hash.add(bytes); });
    check_sum(entry, hash.value());
}

void SafetensorsFile::read_numbers(std::string_view name, Index from, Out values) const {
    const SafetensorsEntry& entry = at(name);
    const std::string_view type = name_of(entry.type);
    if (type[0] != 'F' && type != "BF16") expect(entry, dtype_of<Real>(), entry.size());
    each_piece(entry, from, values, [](std::span<const std::byte>) {});
}

}  // namespace zhuyi
