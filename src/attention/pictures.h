// Attention maps drawn for a terminal (drawing.cpp), and written as files: pictures, and numbers
// for other programs (files.cpp); and what all drawings share (canvas.cpp).
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attention/maps.h"
#include "system/terminal.h"

namespace zhuyi {

// ---- attention as colour: dark blue for none, and yellow for all of it

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

    void text(std::string_view text) { put("", text); }           // as it is
    void strong(std::string_view text) { put("\x1b[1m", text); }  // bold where there are colours
    void faint(std::string_view text) { put("\x1b[2m", text); }
    void gap(int columns);
    void cell(double brightness, int columns);  // a filled rectangle; needs colours
    // Two weights above each other in one column (▀); a negative brightness leaves its half empty.
    void halves(double upper, double lower);

    std::string finish();  // with '\n'

  private:
    void put(const std::string& style, std::string_view text);
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

// ---- in a terminal

// What suits these maps: one head is drawn large, with its last row in numbers; several small.
std::string drawing(const AttentionMaps& maps, const Picture& picture);

// One head (maps of one layer and one head): a row for each query, a column for each key, two
// columns wide (so that 汉字 stand above their column); without colours, percentages in three. What
// the causal mask hides stays empty. A text too long for the width is drawn in bands of columns,
// one below the other. All lines of a band are equally wide.
std::string heat_map(const AttentionMaps& maps, const Picture& picture);

// Where the last token of one head looks, in falling order: "江 35 %  小 21 % …". Tokens that stand
// in the text more than once carry their position, counted from 0: 春[5].
std::string last_row(const AttentionMaps& maps, const Picture& picture);

// All heads, a group for each block, as many side by side as fit. A weight is half a character (▀)
// high and one column wide, or two columns and a line where there is room. Texts too long for that
// are drawn coarser: the largest weight of k × k, and a line says so.
std::string head_grid(const AttentionMaps& maps, const Picture& picture);

// ---- pictures

// Rows ask, columns are looked at; both are said on the axes. Stands alone as a file.
std::string attention_svg(const AttentionMaps& maps);
// The same in a page that needs nothing else; weights show under the pointer.
std::string attention_html(const AttentionMaps& maps);

// ---- numbers
//
//   npy   array (L, H, T, T), float32: numpy.load opens it. The tokens stand beside it, in
//         FILE.tokens.json: {"tokens": [T names], "layers": [0, …], "heads": [0, …]}
//   csv   layer,head,query,key,query_token,key_token,weight: L·H·T·T lines, quoted after RFC 4180
//   json  {"tokens": [T names], "layers": [0, …], "heads": [0, …], "shape": [L, H, T, T],
//         "weights": nested as shape says}
//
// Tokens have the names of vocabulary.txt (\n for a newline, ⟨E8⟩ for a byte). A mean over heads is
// called "mean" where a head's number would stand. Weights are the shortest decimals that read back
// as the same float32.

// Takes the next piece of a file.
using Sink = std::function<void(std::string_view)>;

void write_csv(const AttentionMaps& maps, const Sink& sink);
void write_json(const AttentionMaps& maps, const Sink& sink);
// Both files, each of them whole or not at all. Throws Error when one cannot be written.
void write_npy_and_tokens(const AttentionMaps& maps, const std::string& path);

}  // namespace zhuyi
