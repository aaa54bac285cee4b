// Attention drawn for a terminal: one head large, or all heads as small pictures.
#pragma once
#include <string>

#include "attention/canvas.h"
#include "attention/maps.h"

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

}  // namespace zhuyi
