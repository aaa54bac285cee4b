// What a head does, measured on many texts: how much of its attention goes where. Names of such
// heads: Clark et al. 2019; "after_same" is the induction head of Olsson et al. 2022.
#pragma once
#include <span>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Gpt;
class Tape;
class Tokenizer;

// Each is a mean over all positions of all texts that have such a target:
//     previous      the position before
//     itself
//     start         the first position, from the third one on
//     punctuation   all punctuation before, added up
//     same          all earlier positions of the same token
//     after_same    all positions after an earlier one of the same token: what came next then
enum class Role { previous, itself, start, punctuation, same, after_same };
constexpr Index kRoles = 6;

// Texts for it: beginnings of documents, spread evenly over the validation part, at most kRoleTexts
// of at most kRoleTokens tokens each.
constexpr Index kRoleTexts = 64, kRoleTokens = 32;
std::vector<std::vector<Token>> role_texts(std::span<const Token> validation, Token end_of_text,
                                           Index longest);

// (V): is a token punctuation?
std::vector<bool> punctuation_of(const Tokenizer& tokenizer);

// (kRoles, L, H); zeros without texts. One pass over each text.
std::vector<double> measure_roles(Gpt& model, Tape& tape,
                                  const std::vector<std::vector<Token>>& texts,
                                  const std::vector<bool>& punctuation);

}  // namespace zhuyi
