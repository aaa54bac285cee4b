// NumPy's .npy, version 1.0 (NEP 1), float32: `numpy.load` opens it.
#pragma once
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

// Atomically. values: row-major. Error: not as many as the shape asks for.
void write_npy(const std::string& path, const std::vector<Index>& shape, In values);

}  // namespace zhuyi
