#include "explain/worked_forward.h"

#include <algorithm>
#include <cmath>

#include "ops/linear.h"

namespace zhuyi {
namespace {

constexpr Index kNeighbours = 5, kPredictions = 10;

WorkedNorm worked_norm(const WorkedModel& model, const std::string& name, Numbers x, Numbers y) {
    WorkedNorm norm{
        std::move(x), 0, 0, 0, {}, model.bias(name + ".gamma"), model.bias(name + ".beta"),
        std::move(y)};
    const double C = double(norm.x.size());
    for (double v : norm.x) norm.mean += v / C;
    for (double v : norm.x) norm.variance += (v - norm.mean) * (v - norm.mean) / C;
    norm.rstd = 1 / std::sqrt(norm.variance + 1e-5);
    for (double v : norm.x) norm.normalised.push_back((v - norm.mean) * norm.rstd);
    return norm;
}

// What flows into block `layer`.
std::string input_name(Index layer) {
    return layer == 0 ? "embedding" : block_name(layer - 1, "residual.2");
}

void write_attention(WorkedForward& f, const WorkedModel& model, const WorkedPass& pass) {
    const Index T = Index(f.ids.size()), D = f.config.head_size();
    const Index first = f.place.head * D, layer = f.place.layer;
    const auto part = [&](const char* name) {
        return columns_of(pass.values_of(block_name(layer, name)), first, D);
    };
    const auto weight = [&](const char* name) {
        return columns_of(model.parameter(block_name(layer, name)), first, D);
    };
    const auto bias = [&](const char* name) {
        const Numbers all = model.bias(block_name(layer, name));
        return Numbers(all.begin() + first, all.begin() + first + D);
    };
    f.W_Q = weight("attention.W_Q"), f.b_Q = bias("attention.b_Q");
    f.W_K = weight("attention.W_K"), f.b_K = bias("attention.b_K");
    f.W_V = weight("attention.W_V"), f.b_V = bias("attention.b_V");
    f.norm_1_rows = pass.values_of(block_name(layer, "norm_1"));

    Tape tape(false);
    const Grid weights =
        rows_of(pass.values_of(block_name(layer, "attention.weights")), f.place.head * T, T);
    f.attention = worked_head(tape, part("attention.Q"), part("attention.K"), part("attention.V"),
                              weights, part("attention.mix"), Mask::causal, true);
    const Tensor rows = constant(tape, {T, f.config.channels}, f.norm_1_rows.values);
    f.similarity = Grid(unembedding(rows, rows));
    f.unscaled =
        softmax(f.attention.products.row(f.place.query).subspan(0, std::size_t(f.place.query) + 1));
}

void write_stack(WorkedForward& f, const WorkedModel& model, const WorkedPass& pass) {
    const Tensor E = model.parameters.tensor("embedding.token");
    const std::vector<Token> candidates = model.met_in_training();
    Numbers before = f.embedding;
    std::vector<Neighbour> near = nearest_to(before, E, candidates, kNeighbours);
    for (Index layer = 0; layer < f.config.layers; ++layer) {
        for (const bool attention : {true, false}) {
            const std::string name = block_name(layer, attention ? "residual.1" : "residual.2");
            Numbers after = pass.row_of(name, f.place.query);
            std::vector<Neighbour> now = nearest_to(after, E, candidates, kNeighbours);
            f.moves.push_back({layer, attention, distance(before, after), length(before),
                               length(after), cosine(before, after), near, now});
            before = std::move(after), near = std::move(now);
        }
    }
    f.final_norm =
        worked_norm(model, "final_norm", before, pass.row_of("final_norm", f.place.query));
    f.predictions = likeliest(model, pass.row_of("logits", f.place.query), kPredictions);
    f.others = 1;
    for (const WorkedPrediction& p : f.predictions) f.others -= p.probability;
}

}  // namespace

Grid WorkedModel::parameter(const std::string& name) const { return Grid(parameters.tensor(name)); }

std::vector<Token> WorkedModel::met_in_training() const {
    std::vector<Token> met, all;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        all.push_back(token);
        if (tokenizer.count(token) > 0) met.push_back(token);
    }
    return met.empty() ? all : met;  // an imported vocabulary has no counts
}

std::vector<Neighbour> nearest_to(std::span<const double> x, const Tensor& E,
                                  std::span<const Token> candidates, Index count) {
    std::vector<Neighbour> all;
    for (Token token : candidates) {
        const Real* row = E.value + token * E.columns();
        double product = 0, square = 0;
        for (std::size_t c = 0; c < x.size(); ++c)
            product += x[c] * double(row[c]), square += double(row[c]) * double(row[c]);
        const double lengths = std::sqrt(square) * length(x);
        all.push_back({token, lengths > 0 ? product / lengths : 0});
    }
    const auto end = all.begin() + std::min(count, std::ssize(all));
    std::partial_sort(all.begin(), end, all.end(), [](const Neighbour& a, const Neighbour& b) {
        return a.cosine != b.cosine ? a.cosine > b.cosine : a.token < b.token;
    });
    all.erase(end, all.end());
    return all;
}

std::vector<WorkedPrediction> likeliest(const WorkedModel& model, std::span<const double> logits,
                                        Index count) {
    const Numbers p = softmax(logits);
    std::vector<Token> order;
    for (Token token = 0; token < Token(p.size()); ++token) order.push_back(token);
    const auto end = order.begin() + std::min(count, std::ssize(order));
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        const double pa = p[std::size_t(a)], pb = p[std::size_t(b)];
        return pa != pb ? pa > pb : a < b;
    });
    std::vector<WorkedPrediction> best;
    for (auto token = order.begin(); token != end; ++token)
        best.push_back({*token, model.tokenizer.name(*token), logits[std::size_t(*token)],
                        p[std::size_t(*token)]});
    return best;
}

Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index layer, Index position) {
    const GptConfig& config = model.model.config();
    const Index C = config.channels, D = config.head_size();
    const Grid W_O = model.parameter(block_name(layer, "attention.W_O"));
    const Numbers mix = pass.row_of(block_name(layer, "attention.mix"), position);
    Grid parts(config.heads, C);
    for (Index i = 0; i < C; ++i)
        for (Index c = 0; c < C; ++c) parts.at(i / D, c) += mix[std::size_t(i)] * W_O.at(i, c);
    return parts;
}

void check_place(const GptConfig& config, Index T, WorkedPlace& place) {
    if (place.query == -1) place.query = T - 1;
    check_place("layer", place.layer, config.layers, "this model's blocks");
    check_place("head", place.head, config.heads, "this model's heads");
    check_place("query", place.query, T, "this text's positions");
}

WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids,
                             WorkedPlace place) {
    check_place(model.model.config(), Index(ids.size()), place);
    WorkedPass pass;
    Tape tape(false);
    tape.watch(&pass);
    model.model.logits(tape, ids, 1, {});
    return worked_forward(model, ids, place, pass);
}

WorkedForward worked_forward(const WorkedModel& model, std::span<const Token> ids,
                             WorkedPlace place, const WorkedPass& pass) {
    WorkedForward f;
    f.config = model.model.config();
    check_place(f.config, Index(ids.size()), place);
    f.place = place;
    f.ids.assign(ids.begin(), ids.end());
    for (Token id : ids) f.tokens.push_back(model.tokenizer.name(id));

    const Index q = place.query, layer = place.layer;
    const auto row = [&](const char* name) { return pass.row_of(block_name(layer, name), q); };
    f.token_row = model.parameter("embedding.token").row_copy(ids[std::size_t(q)]);
    f.position_row = Grid(model.model.positions()).row_copy(q);
    f.embedding = pass.row_of("embedding", q);
    f.norm_1 = worked_norm(model, block_name(layer, "norm_1"), pass.row_of(input_name(layer), q),
                           row("norm_1"));
    write_attention(f, model, pass);
    f.concatenation = row("attention.mix");
    f.head_parts = head_parts(model, pass, layer, q);
    f.b_O = model.bias(block_name(layer, "attention.b_O"));
    f.attention_output = row("attention.output");
    f.residual_1 = row("residual.1");
    f.norm_2 = worked_norm(model, block_name(layer, "norm_2"), f.residual_1, row("norm_2"));
    f.hidden = row("ffn.hidden"), f.gelu = row("ffn.gelu"), f.ffn_output = row("ffn.output");
    f.residual_2 = row("residual.2");
    write_stack(f, model, pass);
    return f;
}

}  // namespace zhuyi
