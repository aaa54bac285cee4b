// Tables of the course whose numbers are small enough for a pencil; and how many weights well-known
// models have.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/random.h"
#include "explain/course.h"
#include "explain/examples.h"
#include "model/parameters.h"

namespace zhuyi {
namespace {

using Key = std::pair<const char*, Numbers>;  // how it is called, and k
const Key kBooks[] = {{"Python", {1, 0.5}}, {"机器学习", {0.5, 2}}, {"烹饪", {-1, 0}}};
const Numbers kReader = {1, 2};

// What one query gives to named keys: the softmax of its scaled scores.
Numbers ask(const Numbers& q, View<const Key> keys) {
    Numbers scaled;
    for (const auto& [name, k] : keys) scaled.push_back(dot(q, k) / std::sqrt(double(q.size())));
    return softmax(scaled);
}

void write_asking(Sheet& sheet, const char* caption, const Numbers& q, View<const Key> keys) {
    Sheet::Table& table =
        sheet.list("asking", {"q · k", format("÷ √%zu", q.size()), {"weight", "注意力权重"}});
    table.caption = caption;
    const Numbers weights = ask(q, keys);
    for (Index i = 0; i < keys.count(); ++i) {
        const auto& [name, k] = keys[i];
        const double score = dot(q, k);
        table.add(format("%s k = [%g, %g]", name, k[0], k[1]),
                  {score, score / std::sqrt(double(q.size())), weights[i]});
    }
}

void library(Sheet& sheet, const CourseRun&) { write_asking(sheet, "q = [1, 2]", kReader, kBooks); }

void cross_attention(Sheet& sheet, const CourseRun&) {
    const Key words[] = {{"Hello", {1, 0.5}}, {"World", {0, 2}}};
    write_asking(sheet, "你  q = [1, 0]", {1, 0}, words);
    write_asking(sheet, "好  q = [0, 1]", {0, 1}, words);
}

void rnn(Sheet& sheet, const CourseRun&) {
    Numbers left{1};
    while (left.size() < 12) left.push_back(0.5 * left.back());
    sheet.matrix("rnn").add({"share of x_0 in h", "h 里 x_0 的份额"}, left);
}

// The way of a gradient through `depth` layers x ↦ W·tanh(x), or x ↦ x + W·tanh(x): ‖dx‖ at the
// output and below each of them.
Numbers gradient_lengths(Index depth, bool residual) {
    constexpr Index C = 32;
    const auto W = [](Index layer, Index i, Index j) {
        return 0.5 / std::sqrt(double(C)) *
               Random(1, Stream::initialisation, std::uint64_t(layer)).normal(i * C + j);
    };
    std::vector<Numbers> x{Numbers(C, 0.5)};
    for (Index l = 0; l < depth; ++l) {
        Numbers y = residual ? x.back() : Numbers(C, 0);
        for (Index i = 0; i < C; ++i)
            for (Index j = 0; j < C; ++j) y[i] += W(l, i, j) * std::tanh(x.back()[j]);
        x.push_back(y);
    }
    Numbers d(C, 1 / std::sqrt(double(C))), lengths{length(d)};
    while (depth-- > 0) {
        Numbers below = residual ? d : Numbers(C, 0);
        x.pop_back();
        for (Index j = 0; j < C; ++j) {
            const double t = std::tanh(x.back()[j]);
            for (Index i = 0; i < C; ++i) below[j] += W(depth, i, j) * d[i] * (1 - t * t);
        }
        d = below;
        lengths.push_back(length(d));
    }
    return lengths;
}

void residual_depth(Sheet& sheet, const CourseRun&) {
    Sheet::Table& table =
        sheet.list("residual_depth", {{"without", "没有残差连接"}, {"with", "有残差连接"}});
    const Numbers without = gradient_lengths(12, false), with = gradient_lengths(12, true);
    for (const Index depth : {0, 3, 6, 9, 12})
        table.add(say({"%td layers down", "反向经过 %td 层"}, depth),
                  {without[depth], with[depth]});
}

const Grid kScores(3, 3, {1, 0.5, 0.1, 0.2, 2, 0.3, 0.1, 0.4, 0.8});

void scores(Sheet& sheet, const CourseRun&) {
    sheet.matrix("S", "S", {}, kScores);
    sheet.matrix("A", "A = softmax(S)", {}, softmax_of_scores());
}

void heads_cost(Sheet& sheet, const CourseRun&) {
    Sheet::Table& table = sheet.list("heads_cost", {{"weights of W_Q … W_O", "W_Q … W_O 的参数"},
                                                    {"Q·Kᵀ: multiply-adds", "Q·Kᵀ 的乘加次数"},
                                                    {"numbers of the maps", "注意力图里的数"}});
    for (const Index heads : {1, 4, 8}) {
        GptConfig config = course_config();
        config.heads = heads, config.layers = 1;
        Index weights = 0;
        for (const Parameter& p : parameter_table(config))
            if (p.block_matrix && p.kind != Kind::ffn_weight) weights += p.shape.size();
        table.add(say({"%td heads of %td", "%td 个头 × %td 维"}, heads, config.head_size()),
                  {grouped(weights), grouped(heads * 16 * 16 * config.head_size()),
                   grouped(heads * 16 * 16)});
    }
}

}  // namespace

Numbers library_weights() { return ask(kReader, kBooks); }

Grid softmax_of_scores() { return softmax_rows(kScores); }

const CourseSheets& course_small_sheets() {
    static const CourseSheets kSheets = {
        {"rnn", rnn},       {"library", library},       {"cross_attention", cross_attention},
        {"scores", scores}, {"heads_cost", heads_cost}, {"residual_depth", residual_depth}};
    return kSheets;
}

// ---- models that everybody talks about

// V = 32000, no biases, an FFN of three matrices, RMSNorm, an output layer of its own.
// keys: columns of W_K and W_V; C, or fewer where several heads share them.
static KnownModel llama(const char* name, Index C, Index layers, Index ffn, Index keys) {
    const Index attention = layers * 2 * C * (C + keys);
    return {name, C, layers, attention,
            2 * 32000 * C + attention + layers * (3 * C * ffn + 2 * C) + C};
}

static KnownModel gpt(const char* name, const GptConfig& config) {
    return {name, config.channels, config.layers,
            4 * config.layers * config.channels * config.channels, weights_of(config)};
}

GptConfig gpt2_config(Index channels, Index layers, Index heads) {
    GptConfig config;
    config.context = 1024, config.channels = channels, config.layers = layers;
    config.heads = heads, config.vocabulary = 50257;
    return config;
}

GptConfig course_config() {
    GptConfig config;
    config.context = 16, config.channels = 512, config.layers = 12;
    config.heads = 4, config.vocabulary = 1233;  // as configs/course.conf
    return config;
}

Index weights_of(const GptConfig& config) { return count(parameter_table(config)); }

// Sizes as published: Radford et al. 2019, Brown et al. 2020, Touvron et al. 2023 (twice).
std::vector<KnownModel> known_models() {
    GptConfig gpt3 = gpt2_config(12288, 96, 96);
    gpt3.context = 2048;
    return {gpt("GPT-2 small", gpt2_config(768, 12, 12)),
            gpt("GPT-2 medium", gpt2_config(1024, 24, 16)),
            gpt("GPT-2 large", gpt2_config(1280, 36, 20)),
            gpt("GPT-2 XL", gpt2_config(1600, 48, 25)),
            gpt("GPT-3", gpt3),
            llama("LLaMA-7B", 4096, 32, 11008, 4096),
            llama("LLaMA-13B", 5120, 40, 13824, 5120),
            llama("LLaMA-65B", 8192, 80, 22016, 8192),
            llama("Llama 2 70B", 8192, 80, 28672, 1024)};
}

}  // namespace zhuyi
