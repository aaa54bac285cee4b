// The table of rules, for a person and for a program.
#pragma once
#include <span>
#include <vector>

#include "base/language.h"
#include "formats/json.h"
#include "probe/ablate.h"
#include "probe/probe_history.h"

namespace zhuyi {

// `history`: of the training, says since when each rule is known; null: that is not known.
Text knowledge_text(std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
                    const ProbeHistory* history);
// [{"rule", "seen": {"right", "margin"}, "new": {…}, "head": [layer, head], "weight",
// "known_since"}], null for what is not known
Json knowledge_json(std::span<const Text> rules, const std::vector<Knowledge>& knowledge,
                    const ProbeHistory* history);

// Of a whole training: a row for each rule, a column for each evaluation, per cent right.
Text history_text(std::span<const Text> rules, const ProbeHistory& history);
Json history_json(std::span<const Text> rules, const ProbeHistory& history);

// What each rule loses without each head and FFN: a table of blocks and heads for each rule.
Text ablation_text(std::span<const Text> rules, const Ablation& ablation);
// {"heads": {rule: [L][H]}, "ffn": {rule: [L]}}, percentage points; {…} in nats of margin
struct AblationJson {
    Json heads, ffn;
};
AblationJson ablation_json(std::span<const Text> rules, const Ablation& ablation,
                           double Lost::*measure);

}  // namespace zhuyi
