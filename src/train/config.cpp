#include "train/config.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "system/options.h"

namespace zhuyi {

const char* name_of(UpdateRule rule) {
    return rule == UpdateRule::muon ? "muon" : rule == UpdateRule::sgd ? "sgd" : "adamw";
}

const char* name_of(Schedule schedule) {
    constexpr const char* kNames[] = {"cosine", "linear", "wsd"};
    return kNames[int(schedule)];
}

const char* name_of(Precision precision) { return precision == Precision::bf16 ? "bf16" : "fp32"; }

void declare_optimizer(Options& options, UpdateRule& optimizer) {
    options.choice<UpdateRule>(
        "optimizer", optimizer, {{"adamw", UpdateRule::adamw}, {"muon", UpdateRule::muon}},
        {"how gradients change weights; muon: Muon for the matrices inside blocks, AdamW for the "
         "rest",
         "优化器：怎样用梯度更新权重；muon：Transformer 块里的矩阵用 Muon，其余用 AdamW"});
}

void declare_precision(Options& options, Precision& precision) {
    options.choice<Precision>("precision", precision,
                              {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}},
                              {"of the factors in matrix products; sums and weights stay fp32",
                               "矩阵乘法输入的精度；累加和权重始终是 fp32"});
}

// What an update of the weights depends on.
static void declare_update(Options& options, TrainConfig& c) {
    options.add("learning_rate", c.learning_rate, "",
                {"at its peak, after the warm-up", "学习率的峰值（预热之后）"}, 0, 100);
    options.add("min_learning_rate", c.min_learning_rate, "",
                {"at the last step; below 0: a tenth of the peak with schedule=cosine, else 0",
                 "最后一步的学习率；负数表示：schedule=cosine 时是峰值的十分之一，否则是 0"},
                -1, 100);
    options.choice<Schedule>(
        "schedule", c.schedule,
        {{"cosine", Schedule::cosine}, {"linear", Schedule::linear}, {"wsd", Schedule::wsd}},
        {"how the learning rate falls after the warm-up: along half a cosine; along a line; wsd: "
         "it "
         "stays at its peak and falls over the last quarter of the steps",
         "预热之后学习率怎样下降：半个余弦；一条直线；wsd：先保持峰值，最后四分之一的步数里直线下"
         "降"});
    options.add("warmup", c.warmup, "steps",
                {"the learning rate climbs from 0 to its peak", "学习率从 0 升到峰值所用的步数"});
    declare_optimizer(options, c.optimizer);
    options.add("momentum", c.momentum, "",
                {"Muon: how long the mean of the gradient remembers",
                 "Muon 的动量 μ：梯度均值 m 的衰减系数"},
                0, 0.999999);
    options.add("beta1", c.beta1, "",
                {"AdamW: how long the mean of the gradient remembers",
                 "AdamW 的 β1：梯度均值 m 的衰减系数"},
                0, 0.999999);
    options.add("beta2", c.beta2, "",
                {"AdamW: how long the mean of its square remembers",
                 "AdamW 的 β2：梯度平方均值 v 的衰减系数"},
                0, 0.999999);
    options.add("epsilon", c.epsilon, "",
                {"AdamW: keeps the division finite", "AdamW 的 ε：避免除以零"}, 0, 1);
    options.add("weight_decay", c.weight_decay, "",
                {"decoupled, on matrices only", "解耦的权重衰减，只作用于矩阵"}, 0, 100);
    options.add("clip", c.clip, "",
                {"longest gradient over all weights; 0: no limit",
                 "梯度裁剪：全部权重的梯度范数上限；0 表示不限"},
                0, 1e9);
}

void declare(Options& options, TrainConfig& c) {
    options.group({"training", "训练"});
    options.add("batch", c.batch, "windows",
                {"pieces of text side by side in one pass", "批次大小：一次前向同时处理多少段文本"},
                1, 1 << 20);
    options.add("accumulate", c.accumulate, "passes",
                {"passes averaged into one step: a larger batch in the same memory",
                 "梯度累积：几次前向、反向后才更新一次；同样的内存，更大的批次"},
                1, 1 << 20);
    options.choice<WindowOrder>(
        "order", c.order, {{"random", WindowOrder::random}, {"shuffled", WindowOrder::shuffled}},
        {"where the pieces of text begin; random: anywhere, each by itself; shuffled: the whole "
         "text is read in a mixed order before anything is read again",
         "每段文本从哪里开始；random：每段都随机选位置；shuffled：打乱顺序，全文都读过一遍才读第二"
         "遍"});
    options.add("steps", c.steps, "steps", {"updates of the weights", "权重更新的总步数"});
    options.add("plan", c.plan, "",
                {"written by --minutes: STEP:TOTAL, at which step how many steps were planned in "
                 "total, as in 0:170, 45:820",
                 "由 --minutes 写下“步:总步数”：到哪一步时，计划总共训练多少步，如 0:170, 45:820"});
    options.add("stop_after", c.stop_after, "evaluations",
                {"without a new lowest loss, then training ends; 0: never",
                 "连续多少次评估没有新的最低损失就结束训练；0 表示不提前结束"});
    declare_update(options, c);
    options.add("eval_every", c.eval_every, "steps",
                {"measure the validation loss, and write a sample; also after 1, 3, 10, 30 … steps",
                 "每隔多少步计算验证损失，并生成一段样例；此外第 1、3、10、30……步之后也各做一次"},
                1);
    options.add("eval_tokens", c.eval_tokens, "tokens",
                {"of the validation part are measured, as whole documents, the same each time; the "
                 "last evaluation measures all; 0: always all",
                 "每次评估读验证集的多少 token（取整篇，每次相同；最后一次读全部）；0 表示每次都读"
                 "全部"});
    options.add("save_every", c.save_every, "steps",
                {"write a checkpoint; 0: every eval_every steps",
                 "每隔多少步保存检查点；0 表示与 eval_every 相同"});
    options.add("seed", c.seed, "",
                {"of the first weights, the batches and dropout",
                 "初始权重、批次抽取和 dropout 的随机种子"});
    declare_precision(options, c.precision);
    options.add(
        "prompt", c.prompt, "",
        {"beginning of the samples written at each evaluation", "每次评估时所生成样例的开头"});
    options.add("freeze", c.freeze, "",
                {"parts that stay as they are: embedding, attention, ffn, norm, block.0 …",
                 "冻结（不训练）的部分：embedding、attention、ffn、norm、block.0……"});
}

constexpr Index kEarly[] = {1, 3, 10, 30, 100, 300, 1000, 3000};

// How much of the way from the peak to the end is left before update number step + 1, from 1 to 0.
static double left(Index step, Index steps, const TrainConfig& c) {
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

Plans plans_of(const TrainConfig& c) {
    if (c.plan.empty()) return {{0, c.steps}};
    Plans plans;
    for (std::string_view one : split(c.plan, ",")) {
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        const std::size_t colon = std::min(one.find(':'), one.size());
        const auto from = parse_integer(one.substr(0, colon));
        const auto steps = parse_integer(one.substr(std::min(colon + 1, one.size())));
        const Index least = plans.empty() ? 0 : plans.rbegin()->first + 1;
        if (!from || !steps || *from < least || (plans.empty() && *from > 0) || *steps <= *from)
            fail_usage({"plan: expected pairs of a step and a number of steps, the first from step "
                        "0, like 0:170, 45:820; found '%s'",
                        "plan：应是“步:总步数”，从第 0 步开始，如 0:170, 45:820；实际是“%s”"},
                       c.plan);
        plans[*from] = *steps;
    }
    plans.rbegin()->second = c.steps;
    return plans;
}

bool planned_by_time(const TrainConfig& c) { return !c.plan.empty(); }

std::string text_of(const Plans& plans) {
    std::string text;
    for (const auto& [from, steps] : plans)
        text += (text.empty() ? "" : ", ") + std::to_string(from) + ":" + std::to_string(steps);
    return text;
}

Index planned_steps(Index step, const Plans& plans) {
    return std::prev(plans.upper_bound(std::max<Index>(step, 0)))->second;
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
