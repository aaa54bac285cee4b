// safetensors (github.com/huggingface/safetensors): named arrays in one file.
//
//     u64 N | N bytes of JSON, padded with spaces so that the data begins at a multiple of 8 | data
//     to the end
//     {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__":
//     {"key": "text"}}
//
// Offsets count from the first byte of the data; sorted, the arrays tile it without gap or overlap.
// Row-major, little-endian.
//
// A file may carry checksums (XXH64, base/hash.h), which other readers take for metadata like any:
// "xxh64.NAME" of the bytes of the tensor NAME, and "xxh64" of the N bytes of JSON with these 16
// digits as zeros. The tensors' checksums stand in the JSON: so the last one is that of the file.
#pragma once
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/shape.h"
#include "base/real.h"
#include "system/input_file.h"

namespace zhuyi {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

enum class Dtype { F64, I64, U64, F32, I32, U32, F16, BF16, I16, U16, I8, U8, BOOL };
const char* name_of(Dtype type);
Index bytes_of(Dtype type);  // of one element

template <class T>
constexpr Dtype dtype_of() {
    if constexpr (std::is_same_v<T, double>) return Dtype::F64;
    if constexpr (std::is_same_v<T, float>) return Dtype::F32;
    if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::I64;
    if constexpr (std::is_same_v<T, std::uint64_t>) return Dtype::U64;
    if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::I32;
    if constexpr (std::is_same_v<T, std::uint32_t>) return Dtype::U32;
    if constexpr (std::is_same_v<T, std::uint8_t>) return Dtype::U8;
}

using Metadata = std::map<std::string, std::string>;

// ---- writing

struct TensorBytes {
    std::string name;
    Dtype type;
    std::vector<Index> shape;  // {} is a single number
    std::span<const std::byte> bytes;
};

template <class T>
TensorBytes tensor_bytes(std::string name, std::vector<Index> shape, std::span<const T> values) {
    return {std::move(name), dtype_of<T>(), std::move(shape), std::as_bytes(values)};
}

// Atomically (system/atomic_file.h), wide types first and then by name: the same tensors give the
// same bytes in any order, and each lies aligned. Nothing is copied. Error: a name twice, bytes
// that are not the shape's.
void write_safetensors(const std::string& path, std::vector<TensorBytes> tensors,
                       const Metadata& metadata = {});

// The same with checksums, for files that must not be lost: it takes its name when it has been read
// back and found to be what was meant, and until then the old one keeps it. The old one goes on as
// `previous` (a path in the same folder), if given.
void write_checked_safetensors(const std::string& path, std::vector<TensorBytes> tensors,
                               Metadata metadata, const std::string& previous = {});

// ---- reading

struct SafetensorsEntry {
    std::string name;
    Dtype type;
    std::vector<Index> shape;
    std::uint64_t begin, end;  // from the first byte of the data

    Index size() const { return Index(end - begin) / bytes_of(type); }  // elements
};

class SafetensorsFile {
  public:
    // Checks the whole structure against the size of the file before it trusts, or allocates for,
    // any number of it, and the checksum of the JSON if there is one. Every Error names the file,
    // and what is wrong with it.
    explicit SafetensorsFile(const std::string& path);

    const std::string& path() const { return file_.path(); }
    const Metadata& metadata() const { return metadata_; }
    const std::vector<SafetensorsEntry>& entries() const {
        return entries_;
    }                                                           // in the order of the data
    const SafetensorsEntry* find(std::string_view name) const;  // nullptr: no such tensor
    const SafetensorsEntry& at(std::string_view name) const;    // Error: no such tensor

    // The tensor's bytes as they are. Error: another type, another number of elements, another
    // checksum than the file says.
    template <class T>
    void read(std::string_view name, std::span<T> values) const {
        const SafetensorsEntry& entry = at(name);
        expect(entry, dtype_of<T>(), Index(values.size()));
        read_bytes(entry, 0, std::as_writable_bytes(values));
        check_sum(entry, hash_of(std::as_bytes(values)));
    }
    // F64, F32, F16 or BF16, whichever it is, rounded to Real; checked like that too.
    void read_numbers(std::string_view name, Out values) const;
    // `bytes` of the tensor, from byte `offset` of it.
    void read_bytes(const SafetensorsEntry& entry, std::uint64_t offset,
                    std::span<std::byte> bytes) const;

    bool has_checksums() const { return metadata_.contains("xxh64"); }
    // Reads the tensor's bytes for their checksum only. Error: they are damaged.
    void verify(const SafetensorsEntry& entry) const;

  private:
    void check_header_sum(const std::string& header) const;
    void check_sum(const SafetensorsEntry& entry, std::uint64_t sum) const;
    void expect(const SafetensorsEntry& entry, Dtype type, Index size) const;
    [[noreturn]] void fail_damaged(const std::string& what) const;
    std::string read_header();
    void read_entries(const std::string& header);
    void check_tiling();

    InputFile file_;
    std::uint64_t data_begin_ = 0;
    Metadata metadata_;
    std::vector<SafetensorsEntry> entries_;
};

}  // namespace zhuyi
