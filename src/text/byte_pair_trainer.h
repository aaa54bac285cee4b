// Learns a byte pair encoding from a text (Sennrich et al. 2016, algorithm 1; over bytes, as
// Radford et al. 2019, section 2.2).
//
//     the text is cut into pieces (text/byte_pair_split.h), each piece begins as its bytes
//     again and again: the two neighbouring tokens that occur together most often become one token
//
// Of pairs that occur equally often, the one whose left token has the smaller id comes first, then
// the one whose right token has. Only sums of integers decide, so every machine learns the same
// pairs, in whatever order the texts come.
#pragma once
#include <span>
#include <string_view>

#include "text/byte_pair.h"

namespace zhuyi {

// Ids: 0 is <|endoftext|>, 1 … 256 are the bytes 00 … FF, from 257 on stand the joined pairs, first
// the one that was joined first: `vocabulary` tokens in all, at least 257. `ends`: documents that
// end in the texts.
//
// Time: a piece that occurs often is counted once, with its weight; a join visits only the
// positions of its pair. Memory: about 28 bytes for each byte of the different pieces. Error: that
// is more than there is, or the texts are larger than 4 GiB. UsageError: before there are so many
// tokens, no pair occurs twice.
BytePairTokenizer train_byte_pairs(std::span<const std::string_view> texts, Index vocabulary,
                                   Index ends);

}  // namespace zhuyi
