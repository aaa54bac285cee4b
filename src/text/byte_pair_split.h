// How GPT-2 cuts a text into pieces before it joins bytes: no token reaches across two pieces. The
// rule is the regular expression
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// (Radford et al. 2019, section 2.2, and their published code): one space before a word, a number
// or a run of signs belongs to it; of several blanks the last one belongs to what follows.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/real.h"

namespace zhuyi {

enum class CharacterClass : unsigned char { letter, number, space, other };
CharacterClass class_of(char32_t code);

// Bytes of the first piece of `text`, which is not empty. A byte that belongs to no character
// counts as a sign.
std::size_t first_piece(std::string_view text);

}  // namespace zhuyi
