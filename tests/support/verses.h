// Four documents in a few dozen characters.
#pragma once

namespace zhuyi {
inline namespace support {

inline constexpr char kVerses[] =
    "小猫坐在窗台上看雨。\n\n小沈阳江西演唱会。\n\n"
    "雨点打在玻璃上，像一群小鱼。\n\n月亮出来了。\n";

}  // namespace support
}  // namespace zhuyi
