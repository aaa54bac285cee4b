// Attention maps drawn for a terminal (drawing.cpp), and written as files: pictures, and numbers
// for other programs (files.cpp).
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "attention/canvas.h"
#include "attention/maps.h"
#include "base/language.h"

namespace zhuyi {

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
