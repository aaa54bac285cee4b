#include "cost/model_size.h"

#include <cmath>

#include "base/format.h"
#include "explain/examples.h"
#include "formats/sheet.h"
#include "model/config.h"
#include "model/kind_words.h"
#include "train/config.h"

namespace zhuyi {
namespace {

// 1,207,959,552, and 1.2e+18 where digits stop helping.
std::string count_text(double number) {
    return number < 1e16 ? grouped(std::llround(number)) : format("%.3g", number);
}

Cell share_of(Index part, Index whole) {
    return whole ? Cell::percent(double(part) / double(whole), 1) : Cell();
}

// 2.5e+08 -> "249.6 MFLOP"
Cell flops(double flops) {
    const char* const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
    int unit = 0;
    double shown = flops;
    for (; shown >= 1000 && unit < 6; ++unit) shown /= 1000;
    return {flops, format(unit == 0 ? "%.0f %s" : "%.1f %s", shown, units[unit])};
}

Cell about_bytes(double bytes) { return {bytes, "≈ " + bytes_text(bytes)}; }

// What happens to the shape of a batch, in the course's notation: "[4, 4, 16, 128] → [4, 16, 512]".
// Where no vocabulary is known its letter V stands for it.
std::vector<std::pair<Words, std::string>> shape_steps(const GptConfig& c, Index B, Index T) {
    const Index C = c.channels, H = c.heads, D = c.head_size(), F = c.width(), V = c.vocabulary;
    const auto extents = [](const Shape& shape) { return shape.text(); };
    const auto to = [](const std::string& a, const std::string& b) { return a + " → " + b; };
    const auto times = [&](const std::string& a, const std::string& b, const std::string& y) {
        return to(a + " · " + b, y);
    };
    const std::string x = extents({B, T, C}), heads = extents({B, H, T, D});
    const std::string map = extents({B, H, T, T});
    const bool added = encoding_of(c.position).added;
    std::vector<std::pair<Words, std::string>> steps = {
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

class SizePage {
  public:
    SizePage(const GptConfig& model, const TrainConfig& training, const SizeWish& wish)
        : model_(model), training_(training), wish_(wish), table_(parameter_table(model)) {}

    Sheet sheet() && {
        sizes(), parameters(), totals(), memory(), work(), pattern(), shapes();
        if (wish_.compare) comparison();
        return std::move(sheet_);
    }

  private:
    void sizes() {
        const GptConfig& c = model_;
        sheet_.text({"context T = %s   channels C = %s   heads H = %s   head size D = %s",
                     "上下文长度 T = %s   嵌入维度 C = %s   头数 H = %s   每头维度 D = %s"},
                    grouped(c.context), grouped(c.channels), grouped(c.heads),
                    grouped(c.head_size()));
        sheet_.text(say({"blocks L = %s   ffn F = %s   ", "层数 L = %s   FFN 中间维度 F = %s   "},
                        grouped(c.layers), grouped(c.width())) +
                    (c.vocabulary
                         ? say({"vocabulary V = %s", "词表大小 V = %s"}, grouped(c.vocabulary))
                         : say({"vocabulary V: from the text, which is not here: its "
                                "embedding counts as 0",
                                "词表大小 V：由训练文本决定，而文本不在这里：词向量表按 0 计"})));
        const std::pair<const char*, Json> values[] = {
            {"context", c.context},
            {"channels", c.channels},
            {"heads", c.heads},
            {"head_size", c.head_size()},
            {"layers", c.layers},
            {"ffn", c.width()},
            {"vocabulary", c.vocabulary ? Json(c.vocabulary) : Json()},
            {"position", encoding_of(c.position).name},
            {"tied", c.tied}};
        for (const auto& [name, value] : values) sheet_.set(std::string("model.") + name, value);
    }

    // Block 0 stands for all of them: their rows are alike.
    void parameters() {
        sheet_.part({"parameters", "参数表"});
        Sheet::Table& rows = sheet_.records("parameters", {Sheet::unseen("kind"),
                                                           {"name"},
                                                           {""},
                                                           {"weights"},
                                                           Sheet::unseen("shape[0]"),
                                                           Sheet::unseen("shape[1]")});
        Index others = 0;
        const auto finish_blocks = [&] {
            if (others)
                rows.record({Cell(),
                             model_.layers == 2 ? "block.1"
                                                : format("block.1 … block.%td", model_.layers - 1),
                             say({"like block.0", "同 block.0"}), Cell::count(others)});
            others = 0;
        };
        for (const Parameter& p : table_) {
            if (p.block > 0 && !wish_.full) {
                others += p.shape.size();
                continue;
            }
            finish_blocks();
            rows.record(
                {words_of(p.kind).identifier, p.name, p.shape.text(), Cell::count(p.shape.size())});
            for (int axis = 0; axis < p.shape.rank(); ++axis)
                rows.rows.back().cells.emplace_back(double(p.shape[axis]));
        }
    }

    // Kinds that have no rows are named, too: positions may be computed, the head may be tied.
    void totals() {
        sheet_.part({"weights by kind", "按种类合计"});
        const Index all = count(table_);
        Sheet::Table& rows = sheet_.values("totals");
        const auto add = [&](const char* key, Label name, Index weights, Label note) {
            rows.value(key, std::move(name), Cell::count(weights));
            rows.rows.back().cells.push_back(share_of(weights, all));
            if (!note.empty()) rows.rows.back().cells.emplace_back(std::move(note));
        };
        auto kinds = rows_by_kind(table_);
        for (const Kind kind : {Kind::position_embedding, Kind::head}) kinds.try_emplace(kind);
        for (const auto& [kind, of_kind] : kinds) {
            Words note;
            if (kind == Kind::head && model_.tied)
                note = Words{"tied: the token embedding itself", "与词向量表共享权重，不另占"};
            if (kind == Kind::position_embedding) note = encoding_of(model_.position).parameters;
            add(words_of(kind).identifier, say(words_of(kind).description), count(of_kind),
                say(note));
        }
        add("all", {"together", "合计"}, all, {});
        sheet_.text({"attention matrices, biases apart: 4·C²·L = 4 × %s² × %s = %s",
                     "注意力矩阵（不含偏置）：4·C²·L = 4 × %s² × %s = %s"},
                    grouped(model_.channels), grouped(model_.layers),
                    grouped(attention_matrices(table_)));
        sheet_.set("totals.attention_matrices", attention_matrices(table_));
    }

    void memory() {
        const Memory m = training_memory(model_, training_);
        sheet_.part({"memory in training (float32)", "训练所需内存（float32）"});
        Sheet::Table& rows = sheet_.values("memory_bytes");
        rows.value("weights", {"weights", "权重"}, Cell::bytes(m.weights));
        rows.value("gradients", {"gradients", "梯度"}, Cell::bytes(m.gradients));
        rows.value("moments", words_of_moments(training_), Cell::bytes(m.moments),
                   words_of_spared(m));
        rows.value("activations_estimate", {"activations", "激活值"}, about_bytes(m.activations),
                   format("B = %td", training_.batch));
        rows.value("", {"together", "合计"}, about_bytes(m.all()));
    }

    void work() {
        const Work w = work_per_token(model_);
        const Index texts = training_.batch * training_.accumulate;
        sheet_.part(
            {"work per token (M: weights of W_Q … W_2 and the output layer; one "
             "multiply-add is 2 FLOP)",
             "每个 token 的计算量（M：W_Q … W_2 与输出层的权重数；一次乘加算 2 FLOP）"});
        Sheet::Table& rows = sheet_.values("flop_per_token");
        rows.value("forward", {"forward", "前向"}, flops(w.forward()),
                   format("2·M + 2·L·C·(T+1),  M = %s", count_text(w.matrices).c_str()));
        rows.value("forward_and_backward", {"forward and backward", "前向加反向"},
                   flops(w.training()), {"three times forward", "前向的三倍"});
        rows.value("", {"one training step", "一个训练步"},
                   flops(w.training() * double(model_.context) * double(texts)),
                   say({"× %td × %td tokens", "× %td × %td 个 token"}, texts, model_.context));
    }

    void pattern() {
        sheet_.part({"attention weights of one text, L·H·T²: twice the length, four times as many",
                     "一段文字的注意力权重 L·H·T²：长度翻倍，数量变四倍"});
        Sheet::Table& rows = sheet_.records("attention_pattern",
                                            {Sheet::unseen("T"), {""}, {"weights"}, {""}, {""}});
        for (Index times : {1, 2, 4}) {
            const Index T = times * model_.context;
            const double weights = attention_pattern(model_, T);
            rows.record({double(T),
                         "T = " + grouped(T),
                         {weights, count_text(weights)},
                         Cell::bytes(weights * 4),
                         {double(times * times), format("× %td", times * times)}});
        }
    }

    void shapes() {
        const Index T = wish_.tokens ? wish_.tokens : model_.context;
        sheet_.part(say({"shapes on the way through one block (B = %td, T = %td)",
                         "穿过一层时形状的变化（B = %td，T = %td）"},
                        training_.batch, T));
        Sheet::Table& rows = sheet_.records("shapes", {Sheet::unseen("step"), {""}, {"shapes"}});
        for (const auto& [what, shapes] : shape_steps(model_, training_.batch, T))
            rows.record({what.english, say(what), shapes});
    }

    void comparison() {
        sheet_.part({"beside well-known models", "与知名模型相比"});
        Sheet::Table& rows = sheet_.records(
            "known_models", {{"name"},
                             {"", "C, L"},
                             {"attention", {"attention, W_Q … W_O", "注意力 W_Q … W_O"}},
                             {"all", {"all weights", "全部权重"}},
                             Sheet::unseen("channels"),
                             Sheet::unseen("layers")});
        const auto add = [&](const std::string& name, Index C, Index L, Index attention,
                             Index all) {
            rows.record({name, format("%td, %td", C, L), Cell::count(attention), Cell::count(all),
                         double(C), double(L)});
        };
        add(say({"this model", "本模型"}), model_.channels, model_.layers,
            attention_matrices(table_), count(table_));
        for (const KnownModel& known : known_models())
            add(std::string(known.name), known.channels, known.layers, known.attention, known.all);
        sheet_.text(
            {"attention is 4·C²·L, without biases; in Llama 2 70B groups of 8 heads share "
             "keys and values: 2·C·(C + 1024)·L",
             "注意力是 4·C²·L，不含偏置；Llama 2 70B 每 8 个头共用一组键和值：2·C·(C + 1024)·L"});
    }

    const GptConfig& model_;
    const TrainConfig& training_;
    const SizeWish& wish_;
    const std::vector<Parameter> table_;
    Sheet sheet_;
};

}  // namespace

Sheet size_sheet(const GptConfig& model, const TrainConfig& training, const SizeWish& wish) {
    return SizePage(model, training, wish).sheet();
}

}  // namespace zhuyi
