// What reading and writing GGUF share; for nobody else.
#pragma once
#include "formats/gguf.h"

namespace zhuyi::gguf {

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::uint32_t kGgufVersion = 3;
constexpr std::uint32_t kArrayType = 9;  // the number of the type "array"

inline std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 31) / 32 * 32; }
inline std::uint64_t bytes_of(GgufType type) { return type == GgufType::F32 ? 4 : 2; }

// Elements; -1: no array has such extents.
inline Index size_of(const std::vector<Index>& extents) {
    Index size = 1;
    for (const Index extent : extents)
        if (extent < 1 || __builtin_mul_overflow(size, extent, &size)) return -1;
    return size;
}

}  // namespace zhuyi::gguf
