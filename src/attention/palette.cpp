#include "attention/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"

namespace zhuyi {
namespace {

// Hue turns from blue (266°) through cyan (195°) and green (148°) to yellow (104°) while lightness
// rises evenly; chroma is as large as sRGB allows there. Between them sRGB is mixed linearly, which
// stays within 0.01 of the straight line.
constexpr std::array<Rgb, 9> kColours{{{0x07, 0x17, 0x5a},
                                       {0x00, 0x34, 0x71},
                                       {0x00, 0x50, 0x87},
                                       {0x00, 0x6f, 0x8e},
                                       {0x1b, 0x8f, 0x8f},
                                       {0x27, 0xaf, 0x8d},
                                       {0x66, 0xcb, 0x79},
                                       {0xb3, 0xde, 0x64},
                                       {0xfb, 0xed, 0x58}}};

constexpr std::array<int, 9> kPalette{17, 18, 24, 30, 36, 77, 149, 185, 227};

constexpr std::array<const char*, 5> kShades{" ", "░", "▒", "▓", "█"};

template <class Table>
auto nearest(const Table& table, double x) {
    const double last = double(table.size() - 1);
    return table[std::size_t(std::lround(std::clamp(x, 0.0, 1.0) * last))];
}

// 38 sets the colour of what is drawn, 48 of its background (ISO 8613-6, as xterm reads it).
std::string sequence(int ground, double x, Colours colours) {
    if (colours == Colours::palette) return format("\x1b[%d;5;%dm", ground, palette_colour(x));
    if (colours == Colours::none) return "";
    const Rgb c = colour(x);
    return format("\x1b[%d;2;%d;%d;%dm", ground, c.red, c.green, c.blue);
}

}  // namespace

// (A NaN, of a model gone astray, is drawn as nothing.)
double brightness(double weight) { return weight > 0 ? std::sqrt(std::min(weight, 1.0)) : 0; }

Rgb colour(double x) {
    const double place = std::clamp(x, 0.0, 1.0) * double(kColours.size() - 1);
    const std::size_t low = std::min(std::size_t(place), kColours.size() - 2);
    const double share = place - double(low);
    const Rgb a = kColours[low], b = kColours[low + 1];
    const auto between = [share](int from, int to) {
        return int(std::lround(from + share * (to - from)));
    };
    return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

int palette_colour(double x) { return nearest(kPalette, x); }
const char* shade(double x) { return nearest(kShades, x); }

std::string foreground(double x, Colours colours) { return sequence(38, x, colours); }
std::string background(double x, Colours colours) { return sequence(48, x, colours); }
std::string plain_again(Colours colours) { return colours == Colours::none ? "" : "\x1b[0m"; }

}  // namespace zhuyi
