// Numbers that are numbers: neither infinite nor NaN.
#pragma once
#include <cmath>
#include <optional>

#include "base/real.h"

namespace zhuyi {

// The place of the first that is not.
inline std::optional<Index> first_not_finite(In values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) return Index(i);
    return {};
}

}  // namespace zhuyi
