#include "base/random.h"

#include <cmath>

#include "base/math.h"

namespace zhuyi {

Index Random::below(Index bound, Index element) const {
    __extension__ using Wide = unsigned __int128;
    return Index(Wide(bits(element)) * Wide(std::uint64_t(bound)) >> 64);
}

double Random::normal(Index element) const {
    const double radius = 1.0 - uniform(2 * element);  // in (0, 1]: log stays finite
    const double angle = uniform(2 * element + 1);
    return std::sqrt(-2.0 * math::log(radius)) * math::cos_turns(angle);
}

}  // namespace zhuyi
