// What a model knows of the rules, as sheets.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "formats/sheet.h"
#include "probe/ablate.h"
#include "probe/probe_history.h"

namespace zhuyi {

// A row for each rule: "rules" with "rule" (its Chinese name), "seen.right", "new.margin" … .
// `history`: of the training, says since when each rule is known; null: that is not known.
void add_rules(Sheet& sheet, std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
               const ProbeHistory* history);

// Of a whole training: a row for each rule, a column for each evaluation, per cent right. Programs
// read "steps", each with its "rules".
Sheet history_sheet(std::span<const Text> rules, const ProbeHistory& history);

// What each rule loses without each head and FFN, their output replaced by its mean: a table of
// blocks and heads for each rule. Programs find "heads.mean.RULE", [L][H] percentage points,
// "ffn.mean.RULE", [L], and the same in nats below "margin"; also "zero" where `by_zero` is given.
void add_ablation(Sheet& sheet, std::span<const Text> rules, const Ablation& by_mean,
                  const std::optional<Ablation>& by_zero);

}  // namespace zhuyi
