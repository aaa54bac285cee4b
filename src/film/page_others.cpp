// What stands beside the film that is played: other trainings, and what was asked of the model.
#include <cmath>

#include "base/utf8.h"
#include "film/page_data.h"
#include "film/stream_list.h"

namespace zhuyi {
namespace {

constexpr std::size_t kMostFrames = 16;  // of attention; the last one among them

// Null where it was not recorded.
Json attention_data(const History& history, std::size_t sentence, Index ours) {
    const std::string name = sentence_stream(sentence, "attention");
    if (!history.stream(name)) return {};
    const std::size_t count = history.frames.size();
    const std::size_t every = (count + kMostFrames - 1) / kMostFrames;
    Frames frames;
    std::vector<std::size_t> shown;
    for (std::size_t f = 0; f < count; ++f)
        if ((count - 1 - f) % every == 0 && history.carries(history.frames[f], name)) {
            frames.push_back(&history.frames[f]);
            shown.push_back(f);
        }
    Json data;
    data.set("ours", ours).set("frames", listed(shown));
    return data.set("attention", packed(values(history, frames, name), "u8", 1 / 255.0));
}

}  // namespace

Json other_data(const Film& other, const Film& film) {
    const History& history = other.history;
    std::vector<Index> steps;
    Frames all;
    for (const Frame& frame : history.frames) steps.push_back(frame.step), all.push_back(&frame);
    Json names(Json::Array{}), sentences(Json::Array{});
    for (const History::Row& row : history.parameters) names.push(row.name);
    const auto text = [](const Film& of, std::size_t s) {
        std::string tokens;  // one after the other, so that both are cut alike
        for (const Token token : of.history.sentences[s])
            tokens += of.tokenizer->name(token) + "\n";
        return tokens;
    };
    for (std::size_t s = 0; s < history.sentences.size(); ++s)
        for (std::size_t ours = 0; ours < film.history.sentences.size(); ++ours)
            if (text(other, s) == text(film, ours))
                if (Json data = attention_data(history, s, Index(ours)); !data.is_null())
                    sentences.push(std::move(data));
    Json data;
    data.set("differs", Json().set("en", other.differs.english).set("zh", other.differs.chinese));
    data.set("run", other.name).set("steps", listed(steps)).set("parameters", std::move(names));
    data.set("model", Json().set("layers", other.model.layers).set("heads", other.model.heads));
    for (const char* part : {"norm", "from_start"})
        if (const std::string name = std::string("parameter.") + part; history.stream(name))
            data.set(part, packed(values(history, all, name)));
    if (other.asked) data.set("rules", rules_data(*other.asked));
    return data.set("sentences", std::move(sentences));
}

// ---- rules

namespace {

Json share(const std::optional<Answered>& answered, double Answered::*part) {
    return answered && std::isfinite((*answered).*part) ? Json((*answered).*part) : Json();
}

// Null: this rule has no probe.
Json example_of(const ProbeFile& file, std::size_t rule) {
    const auto cost = [](const Probe& p) {
        const bool plain = !p.seen && !p.answerer.empty();
        return utf8::length(p.text) + (plain ? 0 : 1000);
    };
    const Probe* best = nullptr;
    for (const Probe& p : file.probes)
        if (p.rule == rule && (!best || cost(p) < cost(*best))) best = &p;
    if (!best) return {};
    Json wrong(Json::Array{}), answerer(Json::Array{});
    for (const std::string& text : best->wrong) wrong.push(text);
    for (const Probe::Span& span : best->answerer)
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
