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
// A file may have checksums (XXH64, base/hash.h) in its metadata, where other readers ignore them:
// "xxh64.NAME" is that of the bytes of the tensor NAME; "xxh64" is that of the N bytes of JSON,
// with zeros for its own 16 digits. Since the JSON contains the tensors' checksums, "xxh64" covers
// the whole file.
#pragma once
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/language.h"
#include "base/real.h"
#include "base/tensor.h"
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

// Atomically (system/atomic_file.h). The tensors are sorted, wide types first and then by name: so
// the same tensors give the same file in any order, and each is aligned. Nothing is copied. Error:
// a name twice, another number of bytes than the shape asks for.
void write_safetensors(const std::string& path, std::vector<TensorBytes> tensors,
                       const Metadata& metadata = {});

// The same with checksums, for files that must not be lost: the file gets its name only after it
// was read back and its checksums were right; until then the old file keeps the name. After that
// the old file is kept as `previous` (a path in the same folder), if given.
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
    // Checks the whole structure against the size of the file before it allocates anything by a
    // number of the file, and the checksum of the JSON if there is one. Every Error names the file
    // and says what is wrong with it.
    explicit SafetensorsFile(const std::string& path);

    const std::string& path() const { return file_.path(); }
    const Metadata& metadata() const { return metadata_; }
    // In the order of the data.
    const std::vector<SafetensorsEntry>& entries() const { return entries_; }
    const SafetensorsEntry* find(std::string_view name) const;  // nullptr: no such tensor
    const SafetensorsEntry& at(std::string_view name) const;    // Error: no such tensor

    // The tensor's bytes as they are. Error: another type or number of elements, or the bytes do
    // not have the checksum that the file says.
    template <class T>
    void read(std::string_view name, std::span<T> values) const {
        const SafetensorsEntry& entry = at(name);
        expect(entry, dtype_of<T>(), Index(values.size()));
        read_bytes(entry, 0, std::as_writable_bytes(values));
        check_sum(entry, hash_of(std::as_bytes(values)));
    }
    // The same for F64, F32, F16 or BF16, whichever it is, rounded to Real.
    void read_numbers(std::string_view name, Out values) const;
    // The same from number `from` on, as many as `values` has. No checksum is compared.
    void read_numbers(std::string_view name, Index from, Out values) const;
    // Fills `bytes` with those of the tensor from `offset` on. No checksum is compared.
    void read_bytes(const SafetensorsEntry& entry, std::uint64_t offset,
                    std::span<std::byte> bytes) const;

    bool has_checksums() const { return metadata_.contains("xxh64"); }
    // Reads the tensor's bytes and compares their checksum. Error: they are damaged.
    void verify(const SafetensorsEntry& entry) const;

  private:
    // Reads numbers from number `from` on; hear(bytes) gets the bytes of each piece.
    template <class Hear>
    void each_piece(const SafetensorsEntry& entry, Index from, Out values, const Hear& hear) const;
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

// What reading and writing safetensors share; for nobody else.
namespace zhuyi::safetensors {

// Keys of checksums in the metadata: of the file, and (a tensor's name follows) of a tensor.
constexpr const char *kSum = "xxh64", *kTensorSum = "xxh64.";

// Returns nothing if an extent is negative, or if the product is larger than an Index can be.
std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Dtype type);

// Returns the 16 digits of the file's checksum in the JSON, or nothing if there is none.
std::span<char> digits_in(std::string& header);
// The checksum that this header should have (its own 16 digits count as zeros).
std::string sum_of_header(std::string header);

}  // namespace zhuyi::safetensors
