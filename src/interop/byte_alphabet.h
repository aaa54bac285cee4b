// How GPT-2's files write a byte as a visible character: 21 … 7E, A1 … AC and AE … FF stand for the code points of
// the same number, the other 68, in order, for U+0100, U+0101 … A space is Ġ (U+0120), a newline Ċ.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace zhuyi {

std::string in_byte_alphabet(std::string_view bytes);
std::optional<std::string> from_byte_alphabet(std::string_view text);  // nothing: another character

}  // namespace zhuyi
