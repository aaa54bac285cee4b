// GGUF version 3 (github.com/ggml-org/ggml, docs/gguf.md): settings and arrays in one file, as
// llama.cpp reads them.
//
//     "GGUF" | u32 3 | u64 number of arrays | u64 number of settings
//     for each setting   key | u32 type | value                       text is u64 length, bytes
//     for each array     name | u32 rank | u64 extent … | u32 type | u64 offset
//     zeros to a multiple of 32 | the arrays, each padded to one
//
// Extents come contiguous first: a row-major [rows][columns] is {columns, rows}. Offsets count from
// the first byte of the first array.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/language.h"
#include "base/real.h"
#include "system/input_file.h"

namespace zhuyi {

// Of the thirteen types of the format, those that our models need.
using GgufValue =
    std::variant<std::uint32_t, std::int32_t, float, bool, std::string, std::vector<std::int32_t>,
                 std::vector<float>, std::vector<std::string>>;
using GgufSettings = std::vector<std::pair<std::string, GgufValue>>;

enum class GgufType : std::uint32_t { F32 = 0, F16 = 1 };

struct GgufTensor {
    std::string name;  // shorter than 64 bytes
    std::vector<Index> extents;
    GgufType type;
    std::function<std::vector<float>()> values;  // called when it is written, so that only the
                                                 // values of one tensor are in memory
};

// Writes the file atomically. Before it gets its name, `check`, if there is one, may read it under
// another path and throw. Throws Error for a name that stands there twice, another number of values
// than the extents ask for, or a value too large for F16.
void write_gguf(const std::string& path, const GgufSettings& settings,
                const std::vector<GgufTensor>& tensors,
                const std::function<void(const std::string& draft)>& check = {});

// Reads what write_gguf writes, and checks every size against the file before it allocates.
class GgufFile {
  public:
    struct Entry {
        std::string name;
        std::vector<Index> extents;
        GgufType type;
        std::uint64_t offset;
        Index size;  // elements
    };

    explicit GgufFile(const std::string& path);

    const GgufSettings& settings() const { return settings_; }
    const std::vector<Entry>& entries() const { return entries_; }
    template <class T>
    const T& setting(std::string_view key) const {
        const T* value = std::get_if<T>(&at(key));
        if (value) return *value;
        fail_damaged(say({"the setting %s has another type", "设置 %s 的类型不对"}, key));
    }
    const GgufValue* find(std::string_view key) const;  // nullptr: no such setting
    const Entry& entry(std::string_view name) const;    // Error: no such array
    std::vector<float> values(const Entry& entry) const;

  private:
    class Header;
    const GgufValue& at(std::string_view key) const;
    [[noreturn]] void fail_damaged(const std::string& what) const;

    InputFile file_;
    GgufSettings settings_;
    std::vector<Entry> entries_;
    std::uint64_t data_begin_ = 0;
};

}  // namespace zhuyi
