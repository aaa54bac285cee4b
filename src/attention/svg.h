// Attention as a picture file: one head large with its numbers, or all heads side by side.
#pragma once
#include <string>

#include "attention/maps.h"
#include "base/language.h"

namespace zhuyi {

// Rows ask, columns are looked at; both are said on the axes. Stands alone as a file.
std::string attention_svg(const AttentionMaps& maps);
// The same in a page that needs nothing else; weights show under the pointer.
std::string attention_html(const AttentionMaps& maps);

}  // namespace zhuyi
