// How GPT-2's files write a byte as a visible character: 21 … 7E, A1 … AC and AE … FF as the code
// points of the same number; the other 68, in order, as U+0100, U+0101 … A space is Ġ (U+0120), a
// newline Ċ.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace zhuyi {

std::string in_byte_alphabet(std::string_view bytes);
// Nothing: `text` has a character that stands for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

// How a vocabulary with byte fallback writes a byte: "<0x0A>".
std::string byte_fallback_name(unsigned char byte);

}  // namespace zhuyi
