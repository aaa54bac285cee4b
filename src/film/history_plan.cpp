#include "film/history_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "attention/roles.h"
#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "film/config.h"
#include "film/stream_list.h"
#include "model/config.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {
// The course's sentences.
constexpr std::string_view kCourseTexts[] = {"小沈阳江西演唱会邀请了，", "李华看见张明，他笑了",
                                             "猫吃鱼", "我去银行取钱"};

// 0 1 2 3 5 8 13 (Fibonacci): each step is the sum of the two before it, until the gap between two
// steps reaches `even`; from then on every gap is `even`.
static std::vector<Index> steps_with_gap(Index steps, Index even) {
    std::vector<Index> chosen{0};
    for (Index before = 0; chosen.back() < steps;) {
        const Index gap = std::clamp<Index>(before, 1, even);
        before = chosen.back();
        chosen.push_back(std::min(steps, before + gap));
    }
    return chosen;
}

// Characters: each has a token of its own. Byte pairs: few are spelt in bytes.
static bool has_its_own_tokens(std::string_view text, const std::vector<Token>& tokens) {
    return !tokens.empty() && std::ssize(tokens) <= utf8::length(text);
}

// Sentences of the user's own text: cut at the ends of lines, documents and sentences.
static std::vector<std::vector<Token>> sentences(const Tokenizer& tokenizer,
                                                 std::span<const Token> text, Index longest) {
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

static std::vector<std::vector<Token>> chosen_sentences(const HistoryConfig& config,
                                                        const Tokenizer& tokenizer,
                                                        std::span<const Token> validation,
                                                        Index longest) {
    std::vector<std::vector<Token>> chosen;
    for (const std::string_view wished : split(config.sentences, "|")) {
        const std::size_t first = wished.find_first_not_of(' ');
        if (first == wished.npos) continue;
        const std::string text(wished.substr(first, wished.find_last_not_of(' ') + 1 - first));
        chosen.push_back(tokenizer.encode(text));
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

static std::vector<Token> chosen_tokens(const HistoryConfig& config, const Tokenizer& tokenizer,
                                        const std::vector<std::vector<Token>>& sentences,
                                        const std::vector<Token>& pushed) {
    std::vector<Token> chosen = pushed;
    for (const auto& sentence : sentences)
        chosen.insert(chosen.end(), sentence.begin(), sentence.end());
    for (const Token token : tokens_of("history_characters", config.characters, tokenizer))
        chosen.push_back(token);
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

std::vector<Token> tokens_of(const char* option, std::string_view characters,
                             const Tokenizer& tokenizer) {
    std::vector<Token> all;
    for (const std::string_view character : utf8::Characters(characters)) {
        const std::vector<Token> tokens = tokenizer.encode(character);
        if (tokens.size() != 1)
            fail_usage({"%s: %s has no token of its own in this text's vocabulary",
                        "%s：词表中没有“%s”这个字"},
                       option, character);
        all.push_back(tokens[0]);
    }
    return all;
}

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

bool holds(const std::vector<Index>& rising, Index step) {
    return std::ranges::binary_search(rising, step);
}

void HistoryPlan::follow(const Plans& newest) {
    plans = newest;
    if (!by_time) return;
    steps.clear(), snapshot_steps.clear(), push_steps.clear();
    for (const auto& [from, total] : plans) {
        const auto next = plans.upper_bound(from);
        const Index first = from == 0 ? 0 : from + 1;
        const Index last = next == plans.end() ? total : next->first;
        const auto follow = [&](const std::vector<Index>& planned, std::vector<Index>& all) {
            std::ranges::copy_if(planned, std::back_inserter(all),
                                 [&](Index step) { return step >= first && step <= last; });
        };
        const std::vector<Index> planned = frame_steps(total, frames);
        follow(planned, steps);
        follow(zhuyi::snapshot_steps(planned, snapshots), snapshot_steps);
        follow(zhuyi::snapshot_steps(planned, kPushFrames), push_steps);
    }
}

Index snapshots_of(const HistoryConfig& config, Index weights) {
    const double fit = kMostBytesOfSnapshots / (kSnapshotBytes * double(weights));
    return config.on ? std::min(config.snapshots, Index(fit)) : 0;
}

std::vector<Index> snapshot_steps(const std::vector<Index>& frames, Index snapshots) {
    constexpr double kShares[kMostSnapshots] = {0, 0.02, 0.08, 0.20, 0.45, 1};
    std::vector<Index> chosen;
    for (Index i = 0; i < snapshots; ++i) {
        const Index share =
            snapshots == 1 ? kMostSnapshots - 1 : i * (kMostSnapshots - 1) / (snapshots - 1);
        const double wanted = kShares[share] * double(frames.back());
        const Index nearest = *std::ranges::min_element(
            frames, {}, [&](Index step) { return std::abs(double(step) - wanted); });
        if (chosen.empty() || nearest > chosen.back()) chosen.push_back(nearest);
    }
    return chosen;
}

HistoryPlan plan_history(const HistoryConfig& config, const GptConfig& model,
                         const TrainConfig& training, const Tokenizer& tokenizer,
                         std::span<const Token> validation, std::span<const Token> train) {
    require_utf8(config.sentences, "history_sentences");
    require_utf8(config.characters, "history_characters");
    const std::vector<Parameter> table = parameter_table(model, training.freeze);
    HistoryPlan plan;
    plan.sentences =
        chosen_sentences(config, tokenizer, validation, std::min(model.context, kLongestSentence));
    plan.role_texts = role_texts(validation, tokenizer.end_of_text(), model.context);
    if (!std::ranges::find(table, "embedding.token", &Parameter::name)->frozen)
        plan.pushes = plan_pushes(config, tokenizer, plan.sentences, train);
    plan.watched = chosen_tokens(config, tokenizer, plan.sentences, plan.pushes.tokens);

    Recorded recorded = recorded_of(model);
    recorded.watched = plan.watched.count();
    for (const auto& sentence : plan.sentences) recorded.sentences.push_back(std::ssize(sentence));
    const Index pushed = std::ssize(plan.pushes.tokens);
    const HistoryCost cost(config, stream_list(recorded),
                           4.0 * double(kPushFrames * pushed * (kPushPlaces + 3) * model.channels));
    plan.frames = cost.frames(config.frames);
    plan.budget = 1e6 * double(config.budget);
    plan.steps = frame_steps(plans_of(training).at(0), plan.frames);
    plan.push_steps = snapshot_steps(plan.steps, kPushFrames);
    plan.snapshots = snapshots_of(config, zhuyi::count(table));
    plan.snapshot_steps = snapshot_steps(plan.steps, plan.snapshots);
    if (plan.snapshots > 0)
        recorded.weights = zhuyi::count(table), recorded.vocabulary = model.vocabulary;
    recorded.pushed = pushed;
    plan.streams = stream_list(recorded, plan.snapshot_steps, plan.push_steps);
    plan.by_time = planned_by_time(training);
    plan.follow(plans_of(training));
    return plan;
}

// The evaluations and the curve take little; a tenth of the budget is kept for them.
HistoryCost::HistoryCost(const HistoryConfig& config, const std::vector<HistoryStream>& streams,
                         double pushed) {
    for (const HistoryStream& stream : streams) (stream.once() ? start : frame) += stream.bytes();
    start += pushed;
    room = std::max(0.9e6 * double(config.budget) - start, 0.0);
}

Index HistoryCost::frames(Index wanted) const {
    return std::max<Index>(2, std::min(Index(room / frame), wanted));
}

Recorded recorded_of(const GptConfig& model) {
    Recorded recorded;
    recorded.parameters =
        Index(sum_over_table(model, [](const auto& rows) { return std::ssize(rows); }));
    recorded.channels = model.channels, recorded.blocks = model.layers;
    recorded.heads = model.heads;
    return recorded;
}

double expected_bytes(const HistoryConfig& config, const GptConfig& model,
                      const TrainConfig& training) {
    if (!config.on) return 0;
    constexpr Index kUsualSentence = 10, kCurve = 4096;
    constexpr double kPoint = 48;  // a record of the curve, with its head and checksum
    const Index sentence = std::min(model.context, kUsualSentence);
    const auto weights = Index(sum_over_table(model, count));
    // Few of the 256 bytes stand in a text by themselves.
    const Index characters = std::max<Index>(model.vocabulary - 257, 1);
    Recorded recorded = recorded_of(model);
    recorded.watched = std::min(config.common, characters) + sentence;
    recorded.sentences.assign(std::size_t(kSentences), sentence);
    const HistoryCost cost(
        config, stream_list(recorded),
        4.0 * double(kPushFrames * kUsuallyPushed * kPushPlaces * model.channels));
    const Index frames = std::ssize(frame_steps(training.steps, cost.frames(config.frames)));
    return cost.start + double(frames) * cost.frame +
           double(std::min(training.steps, kCurve)) * kPoint +
           double(snapshots_of(config, weights)) * kSnapshotBytes * double(weights);
}

}  // namespace zhuyi
