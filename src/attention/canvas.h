// What all drawings for a terminal share: where they are drawn, a line that is painted cell by
// cell, how a token is written beside it, and the bar that says which colour means what.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "system/terminal.h"

namespace zhuyi {

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
