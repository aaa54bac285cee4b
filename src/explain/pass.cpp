#include "explain/pass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/linear.h"
#include "text/tokenizer.h"

namespace zhuyi {
static void check_place(const char* option, Index number, Index count, const Words& things) {
    if (number >= 0 && number < count) return;
    fail_usage(
        {"--%s=%td: %s count from 0, here 0 to %td", "--%s=%td：%s从 0 数起，这里是 0 到 %td"},
        option, number, things, count - 1);
}

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

std::string WorkedText::token(const char* matrix) const {
    return std::string(matrix) + "[" + query_token() + "]";
}

std::string WorkedText::marked() const { return around(tokens, focus.query, length()); }

std::string around(const List<std::string>& tokens, Index position, Index side) {
    const Index from = std::max<Index>(position - side, 0);
    const Index to = std::min(position + side + 1, tokens.count());
    std::string text = from > 0 ? "…" : "";
    for (Index t = from; t < to; ++t) text += t == position ? "[" + tokens[t] + "]" : tokens[t];
    return text + (to < tokens.count() ? "…" : "");
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

void WorkedPass::value(std::string_view name, const Tensor& tensor) {
    values_.insert_or_assign(std::string(name), Grid(tensor));
}

void WorkedPass::gradient(std::string_view name, const Tensor& tensor, In gradient) {
    gradients_.insert_or_assign(std::string(name), Grid(gradient, tensor.rows(), tensor.columns()));
}

const Grid& WorkedPass::found(const Book& book, std::string_view name) {
    const auto entry = book.find(name);
    if (entry == book.end()) fail({"the pass has no tensor %s", "前向传播里没有张量 %s"}, name);
    return entry->second;
}

Grid Reading::of_head(const Grid& all) const {
    return columns_of(all, focus.head * config.head_size(), config.head_size());
}

Grid Reading::weights() const {
    return rows_of(pass.values(own("attention.weights")), focus.head * length(), length());
}

Grid Reading::products() const {
    return rows_with_rows(part(met("attention.Q")), part(met("attention.K")));
}

void record(WorkedPass& pass, const WorkedModel& model, std::span<const Token> ids) {
    Tape tape(false);
    const Watching watching(tape, pass);
    model.model.logits(tape, ids, 1, {});
}

Reading read(const WorkedModel& model, std::span<const Token> ids, Focus focus) {
    Reading reading(model, ids, focus);
    record(reading.pass, model, ids);
    return reading;
}

std::string block_name(Index block, std::string_view rest) {
    return "block." + std::to_string(block) + "." + std::string(rest);
}

std::string input_name(Index block) {
    return block == 0 ? "embedding" : block_name(block - 1, "residual.2");
}

Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index block, Index position) {
    const GptConfig& config = model.model.config();
    const Index C = config.channels, D = config.head_size();
    const Grid W_O = model.value(block_name(block, "attention.W_O"));
    const auto mix = pass.values(block_name(block, "attention.mix")).row(position);
    Grid parts(config.heads, C);
    for (Index i = 0; i < C; ++i)
        for (Index c = 0; c < C; ++c) parts.at(i / D, c) += mix[std::size_t(i)] * W_O.at(i, c);
    return parts;
}

Spread spread_of(std::span<const double> x) {
    Spread s;
    for (const double v : x) s.mean += v / double(x.size());
    for (const double v : x) s.variance += (v - s.mean) * (v - s.mean) / double(x.size());
    s.r = 1 / std::sqrt(s.variance + 1e-5);
    return s;
}

List<Token> by_size(std::span<const double> numbers, Index count) {
    List<Token> order(numbers.size());
    std::iota(order.begin(), order.end(), Token(0));
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](Token token) { return numbers[std::size_t(token)]; });
    order.resize(std::min(order.size(), std::size_t(count)));
    return order;
}

List<Neighbour> nearest_rows(const WorkedModel& model, std::span<const double> x, Index count) {
    return nearest(x, model.parameters.tensor("embedding.token"),
                   possible_neighbours(model.tokenizer), count);
}

List<Token> likeliest(std::span<const double> logits, Index count) {
    return by_size(softmax(logits), count);
}

std::string likeliest_text(const WorkedModel& model, std::span<const double> logits, Index count) {
    const Numbers p = softmax(logits);
    return joined(likeliest(logits, count), "  ", [&](Token token) {
        return model.tokenizer.name(token) + format(" %.3f", p[token]);
    });
}

Tensor constant(Tape& tape, Shape shape, std::span<const double> values) {
    require(Index(values.size()) == shape.size(), "constant: one value for each element");
    const Tensor x = tape.tensor(shape);
    std::transform(values.begin(), values.end(), x.value, [](double v) { return Real(v); });
    return x;
}

Grid rows_with_rows(const Grid& a, const Grid& b) {
    Tape tape(false);
    return Grid(
        unembedding(constant(tape, a.shape(), a.values), constant(tape, b.shape(), b.values)));
}

}  // namespace zhuyi
