// What a head does: to whom its attention goes, measured on many texts. Names of such heads: Clark
// et al. 2019; "after_same" is the induction head of Olsson et al. 2022.
#pragma once
#include <span>
#include <vector>

#include "base/language.h"
#include "base/list.h"

namespace zhuyi {

class Gpt;
class Tape;
class Tokenizer;
struct Tensor;

// A text, and for each token of the vocabulary (V): is it punctuation?
struct RoleText {
    View<const Token> tokens;
    const std::vector<bool>& punctuation;
};

// The one list of roles: the film records a share for each, the page and the course name them as
// they are named here. A new role is one more row at its end (a film has the first ones of its
// time), and a row of words in src/files.md.
struct HeadRole {
    const char* key;  // "previous", as in the course's {head previous}
    Words name;
    // Is position s, which is not behind t, one of those that this role looks at from t?
    bool (*target)(const RoleText& text, Index t, Index s);
};
inline constexpr HeadRole kHeadRoles[] = {
    {"previous",
     {"the character before", "前一个字"},
     [](const RoleText&, Index t, Index s) { return s == t - 1; }},
    {"itself",
     {"the character itself", "这个字自己"},
     [](const RoleText&, Index t, Index s) { return s == t; }},
    // From the third position on: the second has it as its previous one.
    {"start",
     {"the first position", "句首"},
     [](const RoleText&, Index t, Index s) { return s == 0 && t >= 2; }},
    {"punctuation",
     {"punctuation before it", "前面的标点"},
     [](const RoleText& text, Index t, Index s) {
         return s < t && text.punctuation[std::size_t(text.tokens[s])];
     }},
    {"same",
     {"the same character before", "前面相同的字"},
     [](const RoleText& text, Index t, Index s) {
         return s < t && text.tokens[s] == text.tokens[t];
     }},
    {"after_same",
     {"what came after the same character", "前面相同的字后面的那个字"},
     [](const RoleText& text, Index t, Index s) {
         return s > 0 && s < t && text.tokens[s - 1] == text.tokens[t];
     }},
};

// What is a head's habit: the role that gets most of its attention above what even attention gives
// it, and at least twice as much as that. -1 where none does: no habit. shares, even: (roles).
Index habit_of(std::span<const double> shares, std::span<const double> even);

// Texts for it: beginnings of documents, spread evenly over the validation part, at most kRoleTexts
// of at most kRoleTokens tokens each.
constexpr Index kRoleTexts = 64, kRoleTokens = 32;
std::vector<std::vector<Token>> role_texts(std::span<const Token> validation, Token end_of_text,
                                           Index longest);

// (V): is a token punctuation?
std::vector<bool> punctuation_of(const Tokenizer& tokenizer);

// (roles, L, H): the share of a head's attention that goes to the targets of a role, a mean over
// all positions that have one; 0 without texts. One pass over each text.
std::vector<double> measure_roles(Gpt& model, Tape& tape,
                                  const std::vector<std::vector<Token>>& texts,
                                  const std::vector<bool>& punctuation);

// One pass over a text. Returns its logits (1, T, V), which stay until the tape is reset. `weights`
// gets the attention (L, H, T (T + 1) / 2): row t of a head holds its t + 1 weights, after row t
// - 1.
Tensor logits_with_attention(Gpt& model, Tape& tape, std::span<const Token> text,
                             std::vector<double>& weights);

}  // namespace zhuyi
