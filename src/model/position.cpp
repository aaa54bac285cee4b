#include "model/position.h"

#include "base/check.h"
#include "base/math.h"

namespace zhuyi {

const PositionEncoding& encoding_of(Position position) {
    static const PositionEncoding learned{"learned", true, true, {"", ""}};
    static const PositionEncoding sinusoidal{
        "sinusoidal", true, false, {"sines and cosines, not learned", "正弦、余弦，没有参数"}};
    static const PositionEncoding rotary{
        "rotary", false, false, {"q and k are turned, not learned", "旋转 q 和 k，没有参数"}};
    switch (position) {
        case Position::learned:
            return learned;
        case Position::sinusoidal:
            return sinusoidal;
        case Position::rotary:
            return rotary;
    }
    fail({"no such position encoding", "没有这种位置编码"});
}

std::vector<Real> sinusoids(Index T, Index C) {
    std::vector<Real> table(std::size_t(T * C));
    for (Index c = 0; c < C; ++c) {
        const double wave = math::power(10000, double(c / 2 * 2) / double(C));
        for (Index t = 0; t < T; ++t) {
            const double turns = double(t) / wave / 6.283185307179586;
            table[std::size_t(t * C + c)] =
                Real(c % 2 ? math::cos_turns(turns) : math::sin_turns(turns));
        }
    }
    return table;
}

}  // namespace zhuyi
