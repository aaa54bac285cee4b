// NumPy's .npy, version 1.0 (NEP 1), float32: `numpy.load` opens it.
#pragma once
#include <bit>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/real.h"
#include "system/atomic_file.h"

namespace zhuyi {

static_assert(std::endian::native == std::endian::little, "'<f4' is how a float lies in memory");

// Writes the file atomically. values: row-major. Error: not as many as the shape asks for.
inline void write_npy(const std::string& path, const std::vector<Index>& shape, In values) {
    Index size = 1;
    std::string extents;  // a Python tuple: "(4,)" has a comma too
    for (const Index extent : shape) {
        size *= extent;
        extents += std::to_string(extent) + ", ";
    }
    if (size != Index(values.size()))
        fail({"cannot write %s: the shape has %td elements, there are %zu",
              "无法写入 %s：按形状应有 %td 个元素，实际有 %zu 个"},
             path, size, values.size());

    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + extents + "), }";
    constexpr std::size_t kBefore = 10;  // magic, version, length
    while ((kBefore + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';

    AtomicFile file(path);
    file.write(std::string_view("\x93NUMPY\x01\x00", 8));
    const std::uint16_t length = std::uint16_t(header.size());
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(header);
    for (const Real value : values) {
        const float number = float(value);
        file.write(std::as_bytes(std::span(&number, 1)));
    }
    file.commit();
}

}  // namespace zhuyi
