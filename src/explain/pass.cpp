#include "explain/pass.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

void check_place(const char* option, Index number, Index count, const Words& things) {
    if (number >= 0 && number < count) return;
    fail_usage(
        {"--%s=%td: %s count from 0, here 0 to %td", "--%s=%td：%s从 0 数起，这里是 0 到 %td"},
        option, number, things, count - 1);
}

}  // namespace

Grid WorkedModel::value(const std::string& name) const { return Grid(parameters.tensor(name)); }

Grid WorkedModel::gradient(const std::string& name) const {
    const Tensor x = parameters.tensor(name);
    if (!x.gradient) return {x.rows(), x.columns()};
    return {In(x.gradient->data, std::size_t(x.size())), x.rows(), x.columns()};
}

WorkedText::WorkedText(const WorkedModel& model, std::span<const Token> ids_, Focus focus_)
    : config(model.model.config()), focus(focus_), ids(ids_.begin(), ids_.end()) {
    if (focus.query == -1) focus.query = length() - 1;
    check_place("layer", focus.block, config.layers, {"this model's blocks", "这个模型的层"});
    check_place("head", focus.head, config.heads, {"this model's heads", "这个模型的头"});
    check_place("query", focus.query, length(), {"this text's positions", "这段文字的位置"});
    for (Token id : ids) tokens.push_back(model.tokenizer.name(id));
}

Labels WorkedText::labels() const {
    Labels labels;
    for (const std::string& token : tokens)
        labels.push_back(std::to_string(labels.size()) + " " + token);
    return labels;
}

std::string WorkedText::in_numbers(std::string_view formula) const {
    const std::pair<char, Index> legend[] = {{'T', length()},       {'C', config.channels},
                                             {'H', config.heads},   {'D', config.head_size()},
                                             {'F', config.width()}, {'V', config.vocabulary}};
    std::string text;
    bool inside = false;
    for (char c : formula) {
        if (c == '[' || c == ']') inside = c == '[';
        const auto meant = std::ranges::find(legend, c, &std::pair<char, Index>::first);
        text +=
            inside && meant != std::end(legend) ? std::to_string(meant->second) : std::string(1, c);
    }
    return text;
}

void record(WorkedPass& pass, const WorkedModel& model, std::span<const Token> ids) {
    Tape tape(false);
    const Watching watching(tape, pass);
    model.model.logits(tape, ids, 1, {});
}

std::string block_name(Index block, const char* rest) {
    return "block." + std::to_string(block) + "." + rest;
}

std::string input_name(Index block) {
    return block == 0 ? "embedding" : block_name(block - 1, "residual.2");
}

Tensor constant(Tape& tape, Shape shape, std::span<const double> values) {
    require(Index(values.size()) == shape.size(),
            {"constant: one value for each element", "constant：每个元素要有一个值"});
    const Tensor x = tape.tensor(shape);
    std::transform(values.begin(), values.end(), x.value, [](double v) { return Real(v); });
    return x;
}

}  // namespace zhuyi
