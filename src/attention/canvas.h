// What all drawings share: attention as colour, dark blue for none and yellow for all of it; a line
// of the terminal that is painted cell by cell; how a token is written beside it; and the bar that
// says which colour means what.
#pragma once
#include <string>
#include <string_view>
#include <vector>

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

// ---- lines of a terminal

// Where a drawing will be seen.
struct Picture {
    Colours colours = Colours::none;
    int width = 80;  // columns
};

// One line, from left to right. Colours are switched only where they change, and are off at its
// end.
class Line {
  public:
    explicit Line(const Picture& picture) : colours_(picture.colours) {}

    void text(std::string_view text);    // as it is
    void strong(std::string_view text);  // bold where there are colours
    void faint(std::string_view text);
    void gap(int columns);
    void cell(double brightness, int columns);  // a filled rectangle; needs colours
    // Two weights above each other in one column (▀); a negative brightness leaves its half empty.
    void halves(double upper, double lower);

    std::string finish();  // with '\n'

  private:
    void style(const std::string& sequence);
    const Colours colours_;
    std::string line_, style_;
};

// A token's name (Tokenizer::name) as it is drawn.
std::string side_label(std::string_view name);  // in front of its row: 小, ⟨E8⟩⟨B0⟩, ␣the, ↵
// Above its column, one glyph of at most two columns a line: {"小"}, {"E8", "B0"}, {"t", "h", "e"}.
std::vector<std::string> top_label(std::string_view name);

// The bar from 0 to 1 with its numbers below: two lines, indented by `margin`. Without colours, one
// line about the shades.
std::string legend(const Picture& picture, int margin);

}  // namespace zhuyi
