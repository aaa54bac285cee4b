#include "attention/roles.h"

#include <algorithm>
#include <string_view>

#include "autograd/tape.h"
#include "autograd/watching.h"
#include "base/grid.h"
#include "base/utf8.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

List<Index> targets_of(const HeadRole& role, const RoleText& text, Index t) {
    List<Index> targets;
    for (Index s = 0; s <= t; ++s)
        if (role.target(text, t, s)) targets.push_back(s);
    return targets;
}

class AttentionRows : public Watcher {
  public:
    explicit AttentionRows(std::vector<double>& weights) : weights_(weights) {}
    bool wants(std::string_view name) const override {
        return name.ends_with(".attention.weights");
    }
    void value(std::string_view, const Tensor& weights) override {  // (1, H, T, T)
        const Index T = weights.shape[2];
        for (Index row = 0; row < weights.rows(); ++row)
            for (Index s = 0; s <= row % T; ++s)
                weights_.push_back(double(weights.value[row * T + s]));
    }

  private:
    std::vector<double>& weights_;
};

}  // namespace

Index habit_of(std::span<const double> shares, std::span<const double> even) {
    const Numbers above = difference(shares, even);
    const Index most = largest(above);
    return shares[std::size_t(most)] < 2 * even[std::size_t(most)] ? -1 : most;
}

std::vector<std::vector<Token>> role_texts(std::span<const Token> validation, Token end_of_text,
                                           Index longest) {
    List<std::vector<Token>> documents, chosen;
    std::vector<Token> document;
    const Index most = std::min(longest, kRoleTokens);
    const auto keep = [&] {
        if (document.size() >= 3) documents.push_back(document);
        document.clear();
    };
    for (const Token token : validation)
        if (token == end_of_text)
            keep();
        else if (std::ssize(document) < most)
            document.push_back(token);
    keep();
    const Index count = documents.count(), wanted = std::min(count, kRoleTexts);
    for (Index i = 0; i < wanted; ++i) chosen.push_back(documents[i * count / wanted]);
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
    const Index roles = std::ssize(kHeadRoles);
    Grid sums(roles, model.config().layers * model.config().heads);
    Numbers counts(std::size_t(roles), 0.0), weights;
    for (const std::vector<Token>& tokens : texts) {
        const RoleText text{std::span(tokens), punctuation};
        weights.clear();
        logits_with_attention(model, tape, tokens, weights);
        const Index T = text.tokens.count();
        for (Index t = 1; t < T; ++t)
            for (Index r = 0; r < roles; ++r) {
                const List<Index> targets = targets_of(kHeadRoles[r], text, t);
                if (targets.empty()) continue;
                ++counts[r];
                for (Index head = 0; head < sums.columns; ++head) {
                    const Index row = head * T * (T + 1) / 2 + t * (t + 1) / 2;
                    double sum = 0;
                    for (const Index s : targets) sum += weights[row + s];
                    sums.at(r, head) += sum;
                }
            }
    }
    for (Index r = 0; r < roles; ++r)
        for (Index head = 0; head < sums.columns; ++head)
            sums.at(r, head) /= std::max(counts[r], 1.0);
    return sums.values;
}

Tensor logits_with_attention(Gpt& model, Tape& tape, std::span<const Token> text,
                             std::vector<double>& weights) {
    AttentionRows rows(weights);
    tape.reset();
    const Watching watching(tape, rows);
    return model.logits(tape, text, 1, Pass{});
}

}  // namespace zhuyi
