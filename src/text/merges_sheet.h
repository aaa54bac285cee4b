// How byte pairs become the tokens of a text, written out step by step.
#pragma once
#include <string_view>
#include <vector>

#include "formats/sheet.h"
#include "text/byte_pair.h"

namespace zhuyi {

// One step: it joins the pair of neighbouring tokens whose rule has the lowest rank, everywhere in
// the piece.
struct MergeStep {
    BytePairTokenizer::Merge pair;
    BytePairTokenizer::Join join;
    std::vector<Token> tokens;  // of the whole piece, afterwards
};
// All steps of a piece (text/byte_pair.h), from its bytes to its tokens. This is the
// definition; BytePairTokenizer::append computes the tokens of the last step faster. Takes time in
// proportion to the square of the length.
std::vector<MergeStep> merge_steps(const BytePairTokenizer& tokenizer, std::string_view piece);

// A table for each piece of the text: step, rank (from 1), what was joined, the piece's tokens.
Sheet merges_sheet(const BytePairTokenizer& tokenizer, std::string_view text);

}  // namespace zhuyi
