#include "cost/size_sheet.h"

#include <cmath>

#include "base/format.h"
#include "cost/model_size.h"
#include "model/kind_words.h"
#include "system/table.h"

namespace zhuyi {
namespace {

// 1,207,959,552, and 1.2e+18 where digits stop helping.
std::string count_text(double number) {
    return number < 1e16 ? grouped(std::llround(number)) : format("%.3g", number);
}

std::string share_text(Index part, Index whole) {
    return whole ? format("%.1f %%", 100 * double(part) / double(whole)) : "";
}

// 2.5e+08 -> "249.6 MFLOP"
std::string flops_text(double flops) {
    const char* const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
    int unit = 0;
    for (; flops >= 1000 && unit < 6; ++unit) flops /= 1000;
    return format(unit == 0 ? "%.0f %s" : "%.1f %s", flops, units[unit]);
}

// Also where they have no rows: the position embedding may be computed, the head may be tied.
std::map<Kind, KindTotal> shown_totals(const std::vector<Parameter>& table) {
    std::map<Kind, KindTotal> totals = totals_by_kind(table);
    for (const Kind kind : {Kind::position_embedding, Kind::head}) totals.try_emplace(kind);
    return totals;
}

Text titled(const Text& title, const Table& lines) {
    return same("\n") + title + same("\n") + lines.text();
}

class Page {
  public:
    explicit Page(const SizeSheet& sheet)
        : sheet_(sheet), model_(sheet.model), table_(parameter_table(model_)) {}

    Text text() const {
        return sizes() + parameters() + totals() + memory() + work() + pattern() + shapes() +
               (sheet_.compare ? comparison() : Text());
    }

  private:
    Text sizes() const {
        const GptConfig& c = model_;
        return say({"context T = %s   channels C = %s   heads H = %s   head size D = %s\n",
                    "上下文长度 T = %s   嵌入维度 C = %s   头数 H = %s   每头维度 D = %s\n"},
                   grouped(c.context), grouped(c.channels), grouped(c.heads),
                   grouped(c.head_size())) +
               say({"blocks L = %s   ffn F = %s   ", "层数 L = %s   FFN 中间维度 F = %s   "},
                   grouped(c.layers), grouped(c.width())) +
               (c.vocabulary
                    ? say({"vocabulary V = %s\n", "词表大小 V = %s\n"}, grouped(c.vocabulary))
                    : Text(Words{"vocabulary V: from the text, which is not here: its "
                                 "embedding counts as 0\n",
                                 "词表大小 V：由训练文本决定，而文本不在这里：词向量表按 0 计\n"}));
    }

    // Block 0 stands for all of them: their rows are alike.
    Text parameters() const {
        Table lines("llr");
        Index others = 0;
        const auto finish_blocks = [&] {
            if (others)
                lines.row({model_.layers == 2 ? "block.1"
                                              : format("block.1 … block.%td", model_.layers - 1),
                           Words{"like block.0", "同 block.0"}, grouped(others)});
            others = 0;
        };
        for (const Parameter& p : table_) {
            if (p.block > 0 && !sheet_.full) {
                others += p.shape.size();
                continue;
            }
            finish_blocks();
            lines.row({p.name, p.shape.text(), grouped(p.shape.size())});
        }
        return titled(Words{"parameters", "参数表"}, lines);
    }

    Text totals() const {
        const Index all = count(table_);
        Table lines("lrrl");
        for (const auto& [kind, total] : shown_totals(table_)) {
            Words note;
            if (kind == Kind::head && model_.tied)
                note = Words{"tied: the token embedding itself", "与词向量表共享权重，不另占"};
            if (kind == Kind::position_embedding) note = encoding_of(model_.position).parameters;
            lines.row({words_of(kind).description, grouped(total.weights),
                       share_text(total.weights, all), note});
        }
        lines.row({Words{"together", "合计"}, grouped(all), share_text(all, all)});
        return titled(Words{"weights by kind", "按种类合计"}, lines) +
               say({"  attention matrices, biases apart: 4·C²·L = 4 × %s² × %s = %s\n",
                    "  注意力矩阵（不含偏置）：4·C²·L = 4 × %s² × %s = %s\n"},
                   grouped(model_.channels), grouped(model_.layers),
                   grouped(attention_matrices(table_)));
    }

    Text memory() const {
        const Memory m = training_memory(model_, sheet_.training);
        Table lines("lrl");
        lines.row({Words{"weights", "权重"}, bytes_text(m.weights)});
        lines.row({Words{"gradients", "梯度"}, bytes_text(m.gradients)});
        lines.row({words_of_moments(sheet_.training), bytes_text(m.moments), words_of_spared(m)});
        lines.row({Words{"activations", "激活值"}, "≈ " + bytes_text(m.activations),
                   format("B = %td", sheet_.training.batch)});
        lines.row({Words{"together", "合计"}, "≈ " + bytes_text(m.all())});
        return titled(Words{"memory in training (float32)", "训练所需内存（float32）"}, lines);
    }

    Text work() const {
        const Work w = work_per_token(model_);
        const double step = w.training() * double(model_.context) *
                            double(sheet_.training.batch * sheet_.training.accumulate);
        Table lines("lrl");
        lines.row({Words{"forward", "前向"}, flops_text(w.forward()),
                   format("2·M + 2·L·C·(T+1),  M = %s", count_text(w.matrices).c_str())});
        lines.row({Words{"forward and backward", "前向加反向"}, flops_text(w.training()),
                   Words{"three times forward", "前向的三倍"}});
        lines.row({Words{"one training step", "一个训练步"}, flops_text(step),
                   say({"× %td × %td tokens", "× %td × %td 个 token"},
                       sheet_.training.batch * sheet_.training.accumulate, model_.context)});
        return titled(
            Words{"work per token (M: weights of W_Q … W_2 and the output layer; one multiply-add "
                  "is 2 FLOP)",
                  "每个 token 的计算量（M：W_Q … W_2 与输出层的权重数；一次乘加算 2 FLOP）"},
            lines);
    }

    Text pattern() const {
        Table lines("lrrr");
        for (Index times : {1, 2, 4}) {
            const double weights = attention_pattern(model_, times * model_.context);
            lines.row({"T = " + grouped(times * model_.context), count_text(weights),
                       bytes_text(weights * 4), format("× %td", times * times)});
        }
        return titled(
            Words{"attention weights of one text, L·H·T²: twice the length, four times as many",
                  "一段文字的注意力权重 L·H·T²：长度翻倍，数量变四倍"},
            lines);
    }

    Text shapes() const {
        const Index T = sheet_.tokens ? sheet_.tokens : model_.context;
        Table lines("ll");
        for (const ShapeRow& step : shape_rows(model_, sheet_.training.batch, T))
            lines.row({step.what, step.shapes});
        return titled(say({"shapes on the way through one block (B = %td, T = %td)",
                           "穿过一层时形状的变化（B = %td，T = %td）"},
                          sheet_.training.batch, T),
                      lines);
    }

    Text comparison() const {
        Table lines("lrrr");
        lines.row({Words{}, same("C, L"), Words{"attention, W_Q … W_O", "注意力 W_Q … W_O"},
                   Words{"all weights", "全部权重"}});
        const auto add = [&](const Text& name, Index C, Index L, Index attention, Index all) {
            lines.row({name, format("%td, %td", C, L), grouped(attention), grouped(all)});
        };
        add(Words{"this model", "本模型"}, model_.channels, model_.layers,
            attention_matrices(table_), count(table_));
        for (const KnownModel& known : known_models())
            add(same(known.name), known.channels, known.layers, known.attention, known.all);
        return titled(Words{"beside well-known models", "与知名模型相比"}, lines) +
               Words{
                   "  attention is 4·C²·L, without biases; in Llama 2 70B groups of 8 heads share "
                   "keys and values: 2·C·(C + 1024)·L\n",
                   "  注意力是 4·C²·L，不含偏置；Llama 2 70B 每 8 个头共用一组键和值："
                   "2·C·(C + 1024)·L\n"};
    }

    const SizeSheet& sheet_;
    const GptConfig& model_;
    const std::vector<Parameter> table_;
};

Json shape_json(const Shape& shape) {
    Json extents(Json::Array{});
    for (int axis = 0; axis < shape.rank(); ++axis) extents.push(shape[axis]);
    return extents;
}

Json model_json(const GptConfig& c) {
    Json json;
    json.set("context", c.context).set("channels", c.channels).set("heads", c.heads);
    json.set("head_size", c.head_size()).set("layers", c.layers).set("ffn", c.width());
    json.set("vocabulary", c.vocabulary ? Json(c.vocabulary) : Json());
    return json.set("position", encoding_of(c.position).name).set("tied", c.tied);
}

}  // namespace

Text size_text(const SizeSheet& sheet) { return Page(sheet).text(); }

Json size_json(const SizeSheet& sheet) {
    const std::vector<Parameter> table = parameter_table(sheet.model);
    Json parameters(Json::Array{}), totals, memory, work, pattern(Json::Array{}),
        shapes(Json::Array{});
    for (const Parameter& p : table)
        parameters.push(Json()
                            .set("name", p.name)
                            .set("shape", shape_json(p.shape))
                            .set("kind", words_of(p.kind).identifier)
                            .set("weights", p.shape.size()));
    for (const auto& [kind, total] : shown_totals(table))
        totals.set(words_of(kind).identifier, total.weights);
    totals.set("attention_matrices", attention_matrices(table)).set("all", count(table));
    const Memory m = training_memory(sheet.model, sheet.training);
    memory.set("weights", m.weights).set("gradients", m.gradients).set("moments", m.moments);
    memory.set("activations_estimate", m.activations);
    const Work w = work_per_token(sheet.model);
    work.set("forward", w.forward()).set("forward_and_backward", w.training());
    for (Index times : {1, 2, 4}) {
        const Index T = times * sheet.model.context;
        pattern.push(Json().set("T", T).set("weights", attention_pattern(sheet.model, T)));
    }
    const Index T = sheet.tokens ? sheet.tokens : sheet.model.context;
    for (const ShapeRow& step : shape_rows(sheet.model, sheet.training.batch, T))
        shapes.push(Json().set("step", step.what.english).set("shapes", step.shapes));
    return Json()
        .set("model", model_json(sheet.model))
        .set("parameters", parameters)
        .set("totals", totals)
        .set("memory_bytes", memory)
        .set("flop_per_token", work)
        .set("attention_pattern", pattern)
        .set("shapes", shapes);
}

}  // namespace zhuyi
