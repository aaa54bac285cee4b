#include "film/history_plan.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "film/config.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "train/config.h"
#include "train/schedule.h"

namespace zhuyi {
namespace {

// The course's sentences.
constexpr std::string_view kCourseTexts[] = {"小沈阳江西演唱会邀请了，", "李华看见张明，他笑了",
                                             "猫吃鱼", "我去银行取钱"};

// 0 1 2 3 5 8 13 (Fibonacci): each step is the sum of the two before it, until the gap between two
// steps reaches `even`; from then on every gap is `even`.
std::vector<Index> steps_with_gap(Index steps, Index even) {
    std::vector<Index> chosen{0};
    for (Index before = 0; chosen.back() < steps;) {
        const Index gap = std::clamp<Index>(before, 1, even);
        before = chosen.back();
        chosen.push_back(std::min(steps, before + gap));
    }
    return chosen;
}

// Characters: each has a token of its own. Byte pairs: few are spelt in bytes.
bool has_its_own_tokens(std::string_view text, const std::vector<Token>& tokens) {
    return !tokens.empty() && std::ssize(tokens) <= utf8::length(text);
}

// Sentences of the user's own text: cut at the ends of lines, documents and sentences.
std::vector<std::vector<Token>> sentences(const Tokenizer& tokenizer, std::span<const Token> text,
                                          Index longest) {
    constexpr std::string_view kEnds[] = {"\n", "。", "！", "？", ".", "!", "?"};
    constexpr std::size_t kShortest = 5, kGood = 24;
    std::vector<std::vector<Token>> found;
    std::vector<Token> sentence;
    for (Token token : text) {
        if (std::ssize(found) == kSentences) break;
        const std::string_view bytes = tokenizer.bytes(token);
        const bool end = bytes.empty() || std::ranges::any_of(kEnds, [&](std::string_view sign) {
                             return bytes.ends_with(sign);
                         });
        if (!end && !(sentence.empty() && bytes == " ")) sentence.push_back(token);
        const std::size_t most = std::min(kGood, std::size_t(longest));
        if (!end && sentence.size() < most) continue;
        if (sentence.size() >= std::min(kShortest, most)) found.push_back(sentence);
        sentence.clear();
    }
    return found;
}

std::vector<std::vector<Token>> chosen_sentences(const HistoryConfig& config,
                                                 const Tokenizer& tokenizer,
                                                 std::span<const Token> validation, Index longest) {
    std::vector<std::vector<Token>> chosen;
    for (std::string_view rest = config.sentences; !rest.empty();) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        const std::string text(rest.substr(0, bar));
        rest.remove_prefix(std::min(bar + 1, rest.size()));
        const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
        if (first == std::string::npos) continue;
        chosen.push_back(tokenizer.encode(text.substr(first, last - first + 1)));
        if (Index(chosen.back().size()) > longest)
            fail_usage(
                {"history_sentences: '%s' has %zu tokens; this model can observe sentences of at "
                 "most %td (its context, and never more than %td)",
                 "history_sentences：“%s”有 %zu 个 token；这个模型的观察句最多 %td 个"
                 "（不超过上下文长度，也不超过 %td）"},
                text, chosen.back().size(), longest, kLongestSentence);
    }
    if (!chosen.empty()) return chosen;
    for (std::string_view text : kCourseTexts) {
        const std::vector<Token> tokens = tokenizer.encode(text);
        if (has_its_own_tokens(text, tokens) && Index(tokens.size()) <= longest)
            chosen.push_back(tokens);
    }
    for (const auto& sentence : sentences(tokenizer, validation, longest))
        if (std::ssize(chosen) < kSentences) chosen.push_back(sentence);
    return chosen;
}

std::vector<Token> chosen_tokens(const HistoryConfig& config, const Tokenizer& tokenizer,
                                 const std::vector<std::vector<Token>>& sentences) {
    std::vector<Token> chosen;
    for (const auto& sentence : sentences)
        chosen.insert(chosen.end(), sentence.begin(), sentence.end());
    for (std::string_view character : utf8::Characters(config.characters)) {
        const std::vector<Token> tokens = tokenizer.encode(character);
        if (tokens.size() != 1)
            fail_usage({"history_characters: %s has no token of its own in this text's vocabulary",
                        "history_characters：词表中没有“%s”这个字"},
                       character);
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

// Bytes: of the start, of a frame without matrices, and of the matrices in a frame.
struct Cost {
    double start = 0, frame = 500, matrices = 0;  // the sample, and the heads of records
};
Cost cost_of(const std::vector<HistoryStream>& streams) {
    Cost cost;
    for (const HistoryStream& stream : streams) {
        const bool matrix = stream.every == 0 && !stream.once();
        (stream.once() ? cost.start : matrix ? cost.matrices : cost.frame) += stream.bytes();
    }
    return cost;
}

}  // namespace

std::vector<Index> frame_steps(Index steps, Index frames) {
    Index low = 1, high = std::max<Index>(steps, 1);  // the smallest `even` with few enough frames
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
    return std::binary_search(matrix_steps.begin(), matrix_steps.end(), step);
}

void HistoryPlan::follow(const std::vector<PlannedSteps>& newest) {
    plans = newest;
    if (matrices_every == 0) return;
    steps = {0}, matrix_steps.clear();
    for (std::size_t i = 0; i < plans.size(); ++i)
        for (const Index step : frame_steps(plans[i].steps, frames))
            if (step > plans[i].from && (i + 1 == plans.size() || step <= plans[i + 1].from))
                steps.push_back(step);
    if (matrices.empty()) return;
    for (Index i = 0; i < std::ssize(steps); ++i)
        if (i % matrices_every == 0 || i + 1 == std::ssize(steps))
            matrix_steps.push_back(steps[std::size_t(i)]);
}

HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model,
                         const TrainConfig& training, const Tokenizer& tokenizer,
                         std::span<const Token> validation) {
    if (config.block >= model.layers)
        fail_usage({"history_block = %td: this model's blocks count from 0 to %td",
                    "history_block = %td：这个模型的层从 0 数到 %td"},
                   config.block, model.layers - 1);
    HistoryPlan plan;
    plan.sentences =
        chosen_sentences(config, tokenizer, validation, std::min(model.context, kLongestSentence));
    plan.watched = chosen_tokens(config, tokenizer, plan.sentences);

    const std::vector<Parameter> table = parameter_table(model);
    Recorded recorded{std::ssize(table),
                      std::ssize(plan.watched),
                      model.channels,
                      {},
                      model.layers,
                      model.heads,
                      {}};
    for (const auto& sentence : plan.sentences) recorded.sentences.push_back(std::ssize(sentence));
    for (const Parameter& p : table)
        if (p.block == config.block && p.shape.rank() == 2) recorded.matrices.push_back(row_of(p));

    // The evaluations and the curve take little; a tenth is kept for them.
    const Cost cost = cost_of(stream_list(recorded, {0}));
    const double room = std::max(0.9e6 * double(config.budget) - cost.start, 0.0);
    plan.frames = std::max<Index>(2, std::min(Index(room / cost.frame), config.frames));
    plan.steps = frame_steps(plans_of(training).front().steps, plan.frames);
    const Index count = std::ssize(plan.steps);
    const auto fit = Index((room - double(count) * cost.frame) / cost.matrices);
    const Index every = fit > 0 ? (count + fit - 1) / fit : count;
    if (fit <= 0) recorded.matrices.clear();
    for (Index i = 0; i < count && fit > 0; ++i)  // the last frame is one of them
        if ((count - 1 - i) % every == 0) plan.matrix_steps.push_back(plan.steps[std::size_t(i)]);
    for (const History::Row& row : recorded.matrices) plan.matrices.push_back(row.name);
    plan.streams = stream_list(recorded, plan.matrix_steps);
    if (!training.plan.empty()) {
        plan.matrices_every = every;
        for (HistoryStream& stream : plan.streams)
            if (!stream.steps.empty()) stream.every = every, stream.steps.clear();
    }
    plan.follow(plans_of(training));
    return plan;
}

}  // namespace zhuyi
