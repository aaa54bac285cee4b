// probes.csv, read: what a model knew of each rule at each evaluation of its training.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/knowledge.h"

namespace zhuyi {

//     step, rule, kind    kind: seen or new
//     right               share of the probes answered right
//     margin              nats, the mean
//     head, weight        of the new probes (Knowledge::head); empty where none is known
struct ProbeHistory {
    struct Evaluation {
        Index step;
        std::vector<Knowledge> rules;  // as long as the list of names, or shorter
    };
    std::vector<std::string> rules;  // names as in the probe file
    std::vector<Evaluation> evaluations;

    // The first evaluation from which on the rule was always known; nothing: it is not known now.
    std::optional<Index> known_since(const std::string& rule) const;
};

// Throws Error, with the line, if a row is none or the steps do not rise. `rules`: names that come
// first, in this order.
ProbeHistory parse_probe_log(std::string_view csv, const std::string& origin,
                             std::vector<std::string> rules = {});

// The rows of an evaluation of these rules.
std::string probe_log_rows(const ProbeHistory::Evaluation& evaluation,
                           const std::vector<std::string>& rules);
inline constexpr std::string_view kProbeLogColumns = "step,rule,kind,right,margin,head,weight\n";

}  // namespace zhuyi
