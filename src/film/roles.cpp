#include "film/roles.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "film/attention_rows.h"
#include "model/gpt.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

constexpr std::size_t index_of(Role role) { return std::size_t(role); }
using Sums = std::array<double, std::size_t(kRoles)>;

// Where position t of a text can look, by role; the sums of one row of weights (t + 1).
Sums sums_of(const double* row, const std::vector<Token>& text, std::size_t t,
             const std::vector<bool>& punctuation) {
    Sums sums{};
    sums[index_of(Role::previous)] = row[t - 1];
    sums[index_of(Role::itself)] = row[t];
    sums[index_of(Role::start)] = row[0];
    for (std::size_t s = 0; s < t; ++s) {
        if (punctuation[std::size_t(text[s])]) sums[index_of(Role::punctuation)] += row[s];
        if (text[s] == text[t]) sums[index_of(Role::same)] += row[s];
        if (s > 0 && text[s - 1] == text[t]) sums[index_of(Role::after_same)] += row[s];
    }
    return sums;
}

// Which roles position t (1 or more) has a target for.
std::array<bool, std::size_t(kRoles)> possible(const std::vector<Token>& text, std::size_t t,
                                               const std::vector<bool>& punctuation) {
    std::array<bool, std::size_t(kRoles)> there{true, true, t >= 2};
    for (std::size_t s = 0; s < t; ++s) {
        if (punctuation[std::size_t(text[s])]) there[index_of(Role::punctuation)] = true;
        if (text[s] == text[t]) there[index_of(Role::same)] = true;
        if (s > 0 && text[s - 1] == text[t]) there[index_of(Role::after_same)] = true;
    }
    return there;
}

}  // namespace

std::vector<std::vector<Token>> role_texts(std::span<const Token> validation, Token end_of_text,
                                           Index longest) {
    std::vector<std::vector<Token>> documents;
    std::vector<Token> document;
    const auto most = std::size_t(std::min(longest, kRoleTokens));
    const auto keep = [&] {
        if (document.size() >= 3) documents.push_back(document);
        document.clear();
    };
    for (const Token token : validation)
        if (token == end_of_text)
            keep();
        else if (document.size() < most)
            document.push_back(token);
    keep();
    const Index count = std::ssize(documents), wanted = std::min(count, kRoleTexts);
    std::vector<std::vector<Token>> chosen;
    for (Index i = 0; i < wanted; ++i) chosen.push_back(documents[std::size_t(i * count / wanted)]);
    return chosen;
}

std::vector<bool> punctuation_of(const Tokenizer& tokenizer) {
    constexpr std::string_view kSigns = "，。！？：；、“”‘’（）《》…—,.!?:;\"'()\n";
    std::vector<bool> all(std::size_t(tokenizer.size()));
    for (Token token = 0; token < tokenizer.size(); ++token)
        for (const std::string_view sign : utf8::Characters(kSigns))
            if (tokenizer.bytes(token) == sign) all[std::size_t(token)] = true;
    return all;
}

std::vector<double> measure_roles(Gpt& model, Tape& tape,
                                  const std::vector<std::vector<Token>>& texts,
                                  const std::vector<bool>& punctuation) {
    const auto heads = std::size_t(model.config().layers * model.config().heads);
    std::vector<double> roles(std::size_t(kRoles) * heads), weights;
    std::array<double, std::size_t(kRoles)> counts{};
    for (const std::vector<Token>& text : texts) {
        weights.clear();
        AttentionRows rows(weights);
        tape.reset();
        const Watching watching(tape, rows);
        model.logits(tape, text, 1, Pass{});
        const std::size_t T = text.size(), size = T * (T + 1) / 2;
        for (std::size_t t = 1; t < T; ++t) {
            const auto there = possible(text, t, punctuation);
            for (std::size_t r = 0; r < there.size(); ++r) counts[r] += there[r];
            for (std::size_t head = 0; head < heads; ++head) {
                const double* row = weights.data() + head * size + t * (t + 1) / 2;
                const Sums sums = sums_of(row, text, t, punctuation);
                for (std::size_t r = 0; r < sums.size(); ++r)
                    if (there[r]) roles[r * heads + head] += sums[r];
            }
        }
    }
    for (std::size_t i = 0; i < roles.size(); ++i) roles[i] /= std::max(counts[i / heads], 1.0);
    return roles;
}

}  // namespace zhuyi
