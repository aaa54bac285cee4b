#include "cost/model_size.h"

#include <algorithm>

#include "base/format.h"
#include "explain/course_counts.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
namespace {

constexpr double kBytes = sizeof(Real);

// Numbers that a tape holds after one pass forward, walking model/block.cpp line by line.
// Attention's weights are not among them: backward computes them again.
double kept_numbers(const GptConfig& c, double B, bool training) {
    const double N = B * double(c.context), C = double(c.channels), F = double(c.width());
    const double H = double(c.heads), V = double(c.vocabulary);
    const bool erf = c.activation == Activation::gelu;
    const double norm = N * C + 2 * N;  // and mean and rstd of each row
    const double turned = c.position == Position::rotary ? 2 * N * C : 0;  // Q and K
    // Q K V, max and 1/Σ, mix, W_O
    const double attention = 3 * N * C + turned + 2 * N * H + 2 * N * C;
    // GELU and, in the tanh form, its slope for backward; in the erf form what it is of; W_2
    const double ffn = N * F * (training || erf ? 2 : 1) + N * C;
    const double residual = training && c.dropout > 0 ? 2 * N * C : N * C;
    const double block = norm + attention + residual + norm + ffn + residual;
    const double dropped = training && c.embedding_dropout > 0 ? N * C : 0;
    const double loss = N * V + 5 * N;  // logits; target, loss (in double), max and 1/Σ of each row
    return N + N * C + dropped + double(c.layers) * block + norm + loss;
}

// An activation's gradient lives from its first addition to its own backward; then another gradient
// of the same size gets its memory. So there are: that of the logits, those of the widest point of
// one block, and the five of width C that meet at attention (of the residual connection, of
// weights·V, Q, K and V). In the tanh form of GELU dh takes the memory of dy.
double borrowed_numbers(const GptConfig& c, double B) {
    const double N = B * double(c.context), F = double(c.width());
    const double wide = N * F * (c.activation == Activation::gelu ? 2 : 1);
    return N * double(c.vocabulary) + wide + 5 * N * double(c.channels);
}

}  // namespace

std::map<Kind, KindTotal> totals_by_kind(const std::vector<Parameter>& table) {
    std::map<Kind, KindTotal> totals;
    for (const Parameter& p : table) {
        KindTotal& total = totals[p.kind];
        total = {total.rows + 1, total.weights + p.shape.size(), p.shape};
    }
    return totals;
}

Index weights_of(const std::vector<Parameter>& table, Kind kind) {
    Index sum = 0;
    for (const Parameter& p : table) sum += p.kind == kind ? p.shape.size() : 0;
    return sum;
}

Index attention_matrices(const std::vector<Parameter>& table) {
    return weights_of(table, Kind::W_Q) + weights_of(table, Kind::W_K) +
           weights_of(table, Kind::W_V) + weights_of(table, Kind::W_O);
}

Memory training_memory(const GptConfig& config, const TrainConfig& training) {
    const std::vector<Parameter> table = parameter_table(config);
    const double length = double(buffer_length(table)) * kBytes;
    const double B = double(training.batch);
    TrainConfig adamw = training;
    adamw.optimizer = UpdateRule::adamw;
    const Index moments = state_length(make_rules(training), table);
    return {length, length, double(moments) * kBytes,
            double(state_length(make_rules(adamw), table) - moments) * kBytes,
            (kept_numbers(config, B, true) + borrowed_numbers(config, B)) * kBytes};
}

// Of "adam.m" a person reads the m.
Text words_of_moments(const TrainConfig& training) {
    Text words;
    for (const auto& rule : make_rules(training)) {
        if (!words.empty()) words += Text(", ", "，");
        words += say({"%s's ", "%s 的 "}, rule->name());
        const std::vector<std::string> names = rule->remembers();
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i > 0) words += Text(" and ", " 和 ");
            words += same(names[i].substr(names[i].rfind('.') + 1));
        }
    }
    return words;
}

Text words_of_spared(const Memory& memory) {
    if (memory.spared <= 0) return {};
    return say({"%s less than AdamW alone", "比全用 AdamW 省 %s"}, bytes_text(memory.spared));
}

double evaluation_memory(const GptConfig& config, const TrainConfig& training) {
    return kept_numbers(config, double(training.batch), false) * kBytes;
}

double asking_memory(const GptConfig& config, Index tokens) {
    const Index B = std::max<Index>(1, tokens / config.context);
    return (kept_numbers(config, double(B), false) +
            double(B) * attention_pattern(config, config.context)) *
           kBytes;
}

Work work_per_token(const GptConfig& c) {
    const double C = double(c.channels), L = double(c.layers), T = double(c.context);
    const double block = 4 * C * C + 2 * C * double(c.width());
    return {L * block + C * double(c.vocabulary), 2 * L * C * (T + 1)};
}

double attention_pattern(const GptConfig& c, Index T) {
    return double(c.layers) * double(c.heads) * double(T) * double(T);
}

// Where no vocabulary is known its letter V stands for it.
std::vector<ShapeRow> shape_rows(const GptConfig& c, Index B, Index T) {
    const Index C = c.channels, H = c.heads, D = c.head_size(), F = c.width(), V = c.vocabulary;
    const auto extents = [](const Shape& shape) { return shape.text(); };
    const auto to = [](const std::string& a, const std::string& b) { return a + " → " + b; };
    const auto times = [&](const std::string& a, const std::string& b, const std::string& y) {
        return to(a + " · " + b, y);
    };
    const std::string x = extents({B, T, C}), heads = extents({B, H, T, D});
    const std::string map = extents({B, H, T, T});
    const bool added = encoding_of(c.position).added;
    std::vector<ShapeRow> steps = {
        {added ? Words{"look up embeddings, add positions", "取出词向量，加上位置编码"}
               : Words{"look up embeddings", "取出词向量"},
         to(extents({B, T}), x)},
        {{"LayerNorm", "LayerNorm"}, to(x, x)},
        {{"Q = X·W_Q; K and V alike", "Q = X·W_Q；K、V 同理"}, times(x, extents({C, C}), x)},
        {{"cut into H heads", "切成 H 个头"}, to(x, extents({B, T, H, D}))},
        {{"heads in front", "把头移到前面"}, to(extents({B, T, H, D}), heads)},
        {{"scores Q·Kᵀ/√D", "注意力分数 Q·Kᵀ/√D"}, times(heads, extents({B, H, D, T}), map)},
        {{"causal mask, softmax", "因果掩码，softmax"}, to(map, map)},
        {{"weights · V", "注意力权重 · V"}, times(map, heads, heads)},
        {{"heads side by side again", "各头拼接"}, to(heads, x)},
        {{"· W_O, add to X", "· W_O，加回 X"}, times(x, extents({C, C}), x)},
        {{"LayerNorm", "LayerNorm"}, to(x, x)},
        {{"· W_1, GELU", "· W_1，GELU"}, times(x, extents({C, F}), extents({B, T, F}))},
        {{"· W_2, add to X", "· W_2，加回 X"}, times(extents({B, T, F}), extents({F, C}), x)},
        {{"final LayerNorm", "最后的 LayerNorm"}, to(x, x)},
        {{"logits: a score for each token", "logits：每个 token 一个分数"},
         times(x, V ? extents({C, V}) : format("[%td, V]", C),
               V ? extents({B, T, V}) : format("[%td, %td, V]", B, T))},
    };
    if (c.position == Position::rotary)
        steps.insert(steps.begin() + 5,
                     {{"turn Q and K by their positions", "按位置旋转 Q 和 K"}, to(heads, heads)});
    return steps;
}

// Sizes as published: Radford et al. 2019, Brown et al. 2020, Touvron et al. 2023 (twice).
std::vector<KnownModel> known_models() {
    std::vector<KnownModel> known;
    const auto add = [&](const char* name, const GptConfig& config) {
        const std::vector<Parameter> table = parameter_table(config);
        known.push_back(
            {name, config.channels, config.layers, attention_matrices(table), count(table)});
    };
    add("GPT-2 small", gpt2_config(768, 12, 12));
    add("GPT-2 medium", gpt2_config(1024, 24, 16));
    add("GPT-2 large", gpt2_config(1280, 36, 20));
    add("GPT-2 XL", gpt2_config(1600, 48, 25));
    GptConfig gpt3 = gpt2_config(12288, 96, 96);
    gpt3.context = 2048;
    add("GPT-3", gpt3);
    for (const Llama& llama : llamas())
        known.push_back(
            {llama.name, llama.channels, llama.layers, llama.attention(), llama.weights()});
    return known;
}

}  // namespace zhuyi
