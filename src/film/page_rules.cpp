#include "film/page_rules.h"

#include <cmath>

#include "text/utf8.h"

namespace zhuyi {
namespace {

Json share(const std::optional<Answered>& answered, double Answered::*part) {
    return answered && std::isfinite((*answered).*part) ? Json((*answered).*part) : Json();
}

// Null: this rule has no probe.
Json example_of(const ProbeFile& file, std::size_t rule) {
    const auto cost = [](const Probe& p) {
        const bool plain = p.kind == ProbeKind::unseen && !p.answerer.empty();
        return utf8::length(p.text) + (plain ? 0 : 1000);
    };
    const Probe* best = nullptr;
    for (const Probe& p : file.probes)
        if (p.rule == rule && (!best || cost(p) < cost(*best))) best = &p;
    if (!best) return {};
    Json wrong(Json::Array{}), answerer(Json::Array{});
    for (const std::string& text : best->wrong) wrong.push(text);
    for (const Span& span : best->answerer)
        answerer.push(Json::Array{Json(span.first), Json(span.last)});
    Json example;
    example.set("text", best->text).set("right", best->right).set("wrong", std::move(wrong));
    return example.set("asker", best->asker).set("answerer", std::move(answerer));
}

}  // namespace

Json rules_data(const Asked& asked) {
    const auto& evaluations = asked.history.evaluations;
    Json steps(Json::Array{}), list(Json::Array{});
    for (const auto& e : evaluations) steps.push(e.step);
    for (std::size_t r = 0; r < asked.file.rules.size(); ++r) {
        const Text& name = asked.file.rules[r];
        Json seen(Json::Array{}), unseen(Json::Array{}), margin(Json::Array{});
        Json heads(Json::Array{}), weights(Json::Array{});
        for (const auto& e : evaluations) {
            const Knowledge k = r < e.rules.size() ? e.rules[r] : Knowledge{};
            seen.push(share(k.seen, &Answered::right));
            unseen.push(share(k.unseen, &Answered::right));
            margin.push(share(k.unseen, &Answered::margin));
            heads.push(k.head ? Json(Json::Array{k.head->block, k.head->head}) : Json());
            weights.push(k.head ? Json(k.weight) : Json());
        }
        const std::optional<Index> since = asked.history.known_since(name.chinese);
        Json rule;
        rule.set("name", name.chinese).set("english", name.english);
        rule.set("since", since ? Json(*since) : Json());
        rule.set("seen", std::move(seen)).set("new", std::move(unseen));
        rule.set("margin", std::move(margin)).set("heads", std::move(heads));
        rule.set("weights", std::move(weights)).set("example", example_of(asked.file, r));
        list.push(std::move(rule));
    }
    return Json().set("steps", std::move(steps)).set("list", std::move(list));
}

}  // namespace zhuyi
