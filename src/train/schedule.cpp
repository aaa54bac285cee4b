#include "train/schedule.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/math.h"
#include "base/number.h"
#include "train/config.h"

namespace zhuyi {
namespace {

constexpr Index kEarly[] = {1, 3, 10, 30, 100, 300, 1000, 3000};

// How much of the way from the peak to the end is left before update number step + 1, from 1 to 0.
double left(Index step, Index steps, const TrainConfig& c) {
    const double done = double(step - c.warmup) / double(steps - c.warmup);
    constexpr double kDecay = 0.25;  // of the steps
    switch (c.schedule) {
        case Schedule::cosine:
            return 0.5 * (1 + math::cos_turns(done / 2));
        case Schedule::linear:
            return 1 - done;
        case Schedule::wsd:
            return std::min(1.0, double(steps - step) / (kDecay * double(steps)));
    }
    return 0;
}

}  // namespace

std::vector<PlannedSteps> plans_of(const TrainConfig& c) {
    std::vector<PlannedSteps> plans;
    for (std::string_view rest = c.plan; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        std::string_view one = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        const std::size_t colon = std::min(one.find(':'), one.size());
        const auto from = parse_integer(one.substr(0, colon));
        const auto steps = parse_integer(one.substr(std::min(colon + 1, one.size())));
        const Index least = plans.empty() ? 0 : plans.back().from + 1;
        if (!from || !steps || *from < least || (plans.empty() && *from > 0) || *steps <= *from)
            fail_usage({"plan: expected pairs of a step and a number of steps, the first from step "
                        "0, like 0:170, 45:820; found '%s'",
                        "plan：应是“步:总步数”，从第 0 步开始，如 0:170, 45:820；实际是“%s”"},
                       c.plan);
        plans.push_back({*from, *steps});
    }
    if (plans.empty()) plans.push_back({0, c.steps});
    plans.back().steps = c.steps;
    return plans;
}

bool planned_by_time(const TrainConfig& c) { return !c.plan.empty(); }

std::string text_of(const std::vector<PlannedSteps>& plans) {
    std::string text;
    for (const auto& [from, steps] : plans)
        text += (text.empty() ? "" : ", ") + std::to_string(from) + ":" + std::to_string(steps);
    return text;
}

Index planned_steps(Index step, const std::vector<PlannedSteps>& plans) {
    Index steps = plans.front().steps;
    for (const PlannedSteps& plan : plans)
        if (plan.from <= step) steps = plan.steps;
    return steps;
}

bool evaluation_due(Index step, const TrainConfig& c) {
    if (step % c.eval_every == 0 || step == c.steps) return true;
    return step < c.eval_every && std::ranges::find(kEarly, step) != std::end(kEarly);
}

Index early_evaluations(const TrainConfig& c) {
    return std::ranges::lower_bound(kEarly, c.eval_every) - std::begin(kEarly);
}

double learning_rate(Index step, const TrainConfig& c) {
    const double peak = c.learning_rate, end = c.final_learning_rate();
    // 1  climbing; not from 0, so that the first update already moves the weights
    if (step < c.warmup) return peak * double(step + 1) / double(c.warmup + 1);
    // 2  past the end
    const Index steps = c.plan.empty() ? c.steps : planned_steps(step, plans_of(c));
    if (step >= steps) return end;
    // 3  between them
    return end + (peak - end) * left(step, steps, c);
}

}  // namespace zhuyi
