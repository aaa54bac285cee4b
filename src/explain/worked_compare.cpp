#include "explain/worked_compare.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"

namespace zhuyi {
namespace {

constexpr Index kComparedPredictions = 5;
constexpr std::size_t kLooks = 3;

struct Reading {
    std::vector<Token> ids;
    Index query;
    WorkedPass pass;

    Numbers row(const std::string& name) const { return pass.row_of(name, query); }
};

void read(Reading& reading, const WorkedModel& model) {
    Tape tape(false);
    tape.watch(&reading.pass);
    model.model.logits(tape, reading.ids, 1, {});
}

std::vector<std::pair<Index, double>> looks(const Reading& reading, Index layer, Index head) {
    const Index T = Index(reading.ids.size());
    const Numbers weights =
        reading.pass.row_of(block_name(layer, "attention.weights"), head * T + reading.query);
    std::vector<std::pair<Index, double>> all;
    for (Index s = 0; s <= reading.query; ++s) all.emplace_back(s, weights[std::size_t(s)]);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    all.resize(std::min(all.size(), kLooks));
    return all;
}

}  // namespace

WorkedComparison worked_comparison(const WorkedModel& model, std::span<const Token> first,
                                   std::span<const Token> second, Index query) {
    using StageKind = WorkedComparison::Stage::Kind;
    const GptConfig& config = model.model.config();
    WorkedPlace place{0, 0, query};
    check_place(config, Index(first.size()), place);
    const Token token = first[std::size_t(place.query)];
    const auto last = std::find(second.rbegin(), second.rend(), token);
    const std::string name = model.tokenizer.name(token);
    if (last == second.rend())
        fail_usage_english(
            format("--compare: the text must hold %s, which stands at position %td of --text "
                   "(--query chooses another character)",
                   name.c_str(), place.query));

    Reading readings[2] = {{{first.begin(), first.end()}, place.query, {}},
                           {{second.begin(), second.end()}, second.rend() - last - 1, {}}};
    WorkedComparison c{name, {}, {}, {}};
    for (int side : {0, 1}) {
        Reading& reading = readings[side];
        read(reading, model);
        for (Token id : reading.ids) c.sides[side].tokens.push_back(model.tokenizer.name(id));
        c.sides[side].query = reading.query;
        c.sides[side].predictions = likeliest(model, reading.row("logits"), kComparedPredictions);
    }

    const auto stage = [&](StageKind kind, Index layer, const std::string& tensor) {
        const Numbers a = readings[0].row(tensor), b = readings[1].row(tensor);
        c.stages.push_back({kind, layer, cosine(a, b), distance(a, b)});
    };
    c.stages.push_back({StageKind::token, -1, 1, 0});  // the same row of the same table
    stage(StageKind::embedding, -1, "embedding");
    for (Index layer = 0; layer < config.layers; ++layer) {
        stage(StageKind::attention, layer, block_name(layer, "residual.1"));
        stage(StageKind::feed_forward, layer, block_name(layer, "residual.2"));
        const Grid parts[2] = {head_parts(model, readings[0].pass, layer, readings[0].query),
                               head_parts(model, readings[1].pass, layer, readings[1].query)};
        for (Index head = 0; head < config.heads; ++head)
            c.heads.push_back({layer,
                               head,
                               distance(parts[0].row(head), parts[1].row(head)),
                               {looks(readings[0], layer, head), looks(readings[1], layer, head)}});
    }
    stage(StageKind::final_norm, -1, "final_norm");
    std::stable_sort(c.heads.begin(), c.heads.end(),
                     [](const auto& a, const auto& b) { return a.difference > b.difference; });
    return c;
}

}  // namespace zhuyi
