#include "film/history_plan.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/format.h"
#include "film/history.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

// The course's sentences.
constexpr std::string_view kProbeTexts[] = {"小沈阳江西演唱会邀请了，", "李华看见张明，他笑了",
                                            "猫吃鱼", "我去银行取钱"};

// 0 1 2 3 5 8 13: each gap is as long as everything before it was one step ago (Fibonacci), until
// it is `even` and stays so.
std::vector<Index> steps_with_gap(Index steps, Index even) {
    std::vector<Index> chosen{0};
    for (Index before = 0; chosen.back() < steps;) {
        const Index gap = std::clamp<Index>(before, 1, even);
        before = chosen.back();
        chosen.push_back(std::min(steps, before + gap));
    }
    return chosen;
}

bool has_its_own_tokens(std::string_view text, const std::vector<Token>& tokens) {
    return !tokens.empty() && utf8::length(text) == Index(tokens.size());
}

// Sentences of the user's own text: what stands between ends of lines, documents and sentences.
std::vector<std::vector<Token>> sentences(const Tokenizer& tokenizer, std::span<const Token> text,
                                          Index longest) {
    constexpr std::string_view kEnds[] = {"\n", "。", "！", "？", ".", "!", "?", ""};
    constexpr std::size_t kShortest = 5, kGood = 24;
    std::vector<std::vector<Token>> found;
    std::vector<Token> sentence;
    for (Token token : text) {
        if (std::ssize(found) == kProbes) break;
        const std::string_view bytes = tokenizer.bytes(token);
        const bool end = std::find(std::begin(kEnds), std::end(kEnds), bytes) != std::end(kEnds);
        if (!end && !(sentence.empty() && bytes == " ")) sentence.push_back(token);
        const std::size_t most = std::min(kGood, std::size_t(longest));
        if (!end && sentence.size() < most) continue;
        if (sentence.size() >= std::min(kShortest, most)) found.push_back(sentence);
        sentence.clear();
    }
    return found;
}

std::vector<std::vector<Token>> chosen_probes(const HistoryConfig& config,
                                              const Tokenizer& tokenizer,
                                              std::span<const Token> validation, Index longest) {
    std::vector<std::vector<Token>> probes;
    for (std::string_view rest = config.probes; !rest.empty();) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        const std::string text(rest.substr(0, bar));
        rest.remove_prefix(std::min(bar + 1, rest.size()));
        const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
        if (first == std::string::npos) continue;
        probes.push_back(tokenizer.encode(text.substr(first, last - first + 1)));
        if (Index(probes.back().size()) > longest)
            fail_usage_english(
                format("history_probes: '%s' has %zu tokens; a probe of this model has at most %td "
                       "(its context, and never more than %td)",
                       text.c_str(), probes.back().size(), longest, kLongestProbe));
    }
    if (!probes.empty()) return probes;
    for (std::string_view text : kProbeTexts) {
        const std::vector<Token> tokens = tokenizer.encode(text);
        if (has_its_own_tokens(text, tokens) && Index(tokens.size()) <= longest)
            probes.push_back(tokens);
    }
    for (const auto& sentence : sentences(tokenizer, validation, longest))
        if (std::ssize(probes) < kProbes) probes.push_back(sentence);
    return probes;
}

std::vector<Token> chosen_tokens(const HistoryConfig& config, const Tokenizer& tokenizer,
                                 const std::vector<std::vector<Token>>& probes) {
    std::vector<Token> chosen;
    for (const auto& probe : probes) chosen.insert(chosen.end(), probe.begin(), probe.end());
    for (std::string_view character : utf8::Characters(config.characters)) {
        const std::vector<Token> tokens = tokenizer.encode(character);
        if (tokens.size() != 1)
            fail_usage_english("history_characters: " + std::string(character) +
                               " has no token of its own in this text's vocabulary");
        chosen.push_back(tokens[0]);
    }
    std::vector<Token> common(std::size_t(tokenizer.size()));
    std::iota(common.begin(), common.end(), Token(0));
    std::stable_sort(common.begin(), common.end(),
                     [&](Token a, Token b) { return tokenizer.count(a) > tokenizer.count(b); });
    Index left = config.common;
    for (Token token : common)
        if (left > 0 && tokenizer.count(token) > 0) chosen.push_back(token), --left;
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

struct Cost {
    double start, frame, matrices;  // bytes: once, of a frame without matrices, of its matrices
};
Cost cost_of(const HistoryPlan& plan, const GptConfig& m) {
    const double C = double(m.channels), watched = double(plan.watched.size());
    double probes = 0;
    for (const auto& probe : plan.probes) {
        const double T = double(probe.size());
        probes += double(m.layers * m.heads) * T * (T + 1) + T * double(kTopPredictions) * 8;
    }
    const double matrices = 4 * C * C + 2 * C * double(m.width());
    const double tables = double(m.layers) * 16 * 4 * 4;
    return {watched * C * 4 + matrices * 2, watched * (C * 2 + 100) + probes + tables + 500,
            matrices};
}

}  // namespace

std::vector<Index> frame_steps(Index steps, Index frames) {
    Index low = 1, high = std::max<Index>(steps, 1);  // the smallest even gap that makes few enough
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (std::ssize(steps_with_gap(steps, middle)) <= frames)
            high = middle;
        else
            low = middle + 1;
    }
    std::vector<Index> chosen = steps_with_gap(steps, low);
    if (std::ssize(chosen) > frames) chosen = {0, steps};  // fewer than the dense beginning takes
    return chosen;
}

bool HistoryPlan::frame_at(Index step) const {
    return std::binary_search(steps.begin(), steps.end(), step);
}

bool HistoryPlan::matrices_at(Index step) const {
    if (matrix_every == 0) return false;
    // 1 for the last.
    const auto behind = steps.end() - std::lower_bound(steps.begin(), steps.end(), step);
    return behind > 0 && (behind - 1) % matrix_every == 0;
}

HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model, Index steps,
                         const Tokenizer& tokenizer, std::span<const Token> validation) {
    if (config.block >= model.layers)
        fail_usage_english(format("history_block = %td: this model's blocks count from 0 to %td",
                                  config.block, model.layers - 1));
    HistoryPlan plan;
    plan.block = config.block;
    plan.probes =
        chosen_probes(config, tokenizer, validation, std::min(model.context, kLongestProbe));
    plan.watched = chosen_tokens(config, tokenizer, plan.probes);

    // The evaluations and the curve take little; a tenth is kept for them.
    const Cost cost = cost_of(plan, model);
    const double room = std::max(0.9e6 * double(config.budget) - cost.start, 0.0);
    const Index frames = std::max<Index>(2, std::min(Index(room / cost.frame), config.frames));
    plan.steps = frame_steps(steps, frames);
    const double count = double(plan.steps.size());
    const Index with_matrices = Index((room - count * cost.frame) / cost.matrices);
    plan.matrix_every = with_matrices > 0 ? (Index(count) + with_matrices - 1) / with_matrices : 0;
    return plan;
}

}  // namespace zhuyi
