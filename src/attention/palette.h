// Attention as colour: dark blue for none, yellow for all of it.
#pragma once
#include <string>

#include "system/terminal.h"

namespace zhuyi {

// How bright a weight in [0, 1] is drawn: its square root. A row of T weights that sums to 1 has
// most of them near 1/T; drawn in proportion, every map would be a bright diagonal on darkness.
double brightness(double weight);

struct Rgb {
    int red, green, blue;  // sRGB, 0 … 255
    bool operator==(const Rgb&) const = default;
};

// brightness in [0, 1]. Equal steps look equally far apart: lightness in OKLab (Ottosson 2020)
// rises in a straight line from 0.25 to 0.93, so the map reads the same in grey and for
// colour-blind eyes.
Rgb colour(double brightness);
// The nearest of nine steps in the 6 × 6 × 6 cube that 256-colour terminals share.
int palette_colour(double brightness);

// Terminal sequences; empty without colours.
std::string foreground(double brightness, Colours colours);
std::string background(double brightness, Colours colours);
std::string plain_again(Colours colours);  // ends them

// For terminals without colours, one column wide: " ", "░", "▒", "▓", "█".
const char* shade(double brightness);

}  // namespace zhuyi
