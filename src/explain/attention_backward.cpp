#include "explain/attention_backward.h"

#include <cmath>

#include "base/format.h"

namespace zhuyi {

WorkedAttentionBackward worked_attention_backward(const WorkedModel& model, const WorkedText& text,
                                                  const WorkedAttention& attention,
                                                  const WorkedPass& pass) {
    const Index D = text.config.head_size(), q = text.focus.query;
    const Index first = text.focus.head * D, map_row = text.focus.head * text.length() + q;
    const auto name = [&](const char* rest) { return block_name(text.focus.block, rest); };
    const auto part = [&](const char* rest) {
        return columns_of(pass.gradients(name(rest)), first, D);
    };
    const auto weight_part = [&](const char* rest) {
        return columns_of(model.gradient(name(rest)), first, D);
    };
    WorkedAttentionBackward b;
    b.d_output = pass.gradients(name("attention.output")).row_copy(q);
    b.W_O = rows_of(model.value(name("attention.W_O")), first, D);
    b.d_mix = part("attention.mix").row_copy(q);
    b.d_weights = pass.gradients(name("attention.weights")).row_copy(map_row);
    b.d_scores = pass.gradients(name("attention.scores")).row_copy(map_row);
    b.d_Q = part("attention.Q"), b.d_K = part("attention.K"), b.d_V = part("attention.V");
    b.d_Q_met = attention.rotation ? part("attention.Q_turned") : b.d_Q;
    b.d_K_met = attention.rotation ? part("attention.K_turned") : b.d_K;
    b.dW_Q = weight_part("attention.W_Q");
    b.dW_K = weight_part("attention.W_K");
    b.dW_V = weight_part("attention.W_V");
    b.dW_O = rows_of(model.gradient(name("attention.W_O")), first, D);
    const Index largest = largest_absolute(b.dW_Q.values);
    b.row = largest / D, b.column = largest % D;
    b.entry_X = columns_of(attention.X, b.row, 1).values;
    b.entry_dQ = columns_of(b.d_Q, b.column, 1).values;
    return b;
}

// ---- the sheet

namespace {

void write_output(Sheet& sheet, const WorkedText& text, const WorkedAttentionBackward& b) {
    const Index h = text.focus.head;
    const std::string d_mix = format("dmix_%td", h);
    sheet.section("d_output", {"Block %td: back through W_O", "第 %td 层：反向经过 W_O"},
                  text.focus.block);
    sheet.formula(format("dmix_%td = doutput · W_O[%td]ᵀ   ", h, h) +
                  text.in_numbers("[C] · [C, D] → [D]"));
    sheet.matrix("d_output").add("doutput", b.d_output);
    sheet.matrix("d_mix").add(d_mix, b.d_mix);
    sheet.product(d_mix + "[0]", b.d_output, b.W_O.row(0), b.d_mix[0]);
}

void write_softmax(Sheet& sheet, const WorkedText& text, const WorkedHead& head,
                   const WorkedAttentionBackward& b) {
    const Index q = text.focus.query;
    const auto p = head.weights.row(q);
    const std::size_t seen = std::size_t(q) + 1;
    sheet.section("d_weights",
                  {"Back through the weighted sum and softmax", "反向经过加权求和与 softmax"});
    sheet.formula(
        format("dp[s] = dmix_%td · V[s]     da[s] = p[s] · (dp[s] - Σ p·dp),   Σ p·dp = "
               "%.6g",
               text.focus.head, dot(p.first(seen), b.d_weights)));
    sheet.text(
        {"A character is attended to more (da < 0: descending raises a) when its V helps "
         "more than the weighted sum already does. The da sum to 0: softmax only shares out "
         "anew.",
         "哪个字的 V 比当前的加权和更有用，就该多看它（da < 0，沿负梯度走，a 会升高）。da 之和"
         "为 0：softmax 只是重新分配，总和不变。"});
    Sheet::Table& table = sheet.list("d_scores", {"p", "dp", "da"});
    const Labels labels = text.labels();
    for (std::size_t s = 0; s < seen; ++s)
        table.add(labels[s], {p[s], b.d_weights[s], b.d_scores[s]});
}

// Rotary positions: the gradient is turned back.
void write_turn_back(Sheet& sheet, const WorkedText& text, const WorkedRotation& rotation,
                     const WorkedAttentionBackward& b) {
    const Index q = text.focus.query, half = text.config.head_size() / 2;
    const double d[] = {b.d_Q_met.at(q, 0), b.d_Q_met.at(q, half)};
    const double back[] = {rotation.query.cosine, rotation.query.sine};
    sheet.text(
        {"These are the gradients of q' and k', as they met. Those of q and k are the same, "
         "turned back by the angle of the position:",
         "这是旋转之后的 q'、k' 的梯度；再按位置的角度转回去，就是 q、k 的梯度："});
    sheet.product("dq[" + text.query_token() + "][0]", d, back, b.d_Q.at(q, 0));
}

void write_projections(Sheet& sheet, const WorkedText& text, const WorkedAttention& attention,
                       const WorkedAttentionBackward& b) {
    const WorkedHead& head = attention.head;
    const Index q = text.focus.query, D = text.config.head_size();
    const Labels labels = text.labels();
    sheet.section("d_projections", {"Back to q, k and v", "传回 q、k、v"});
    sheet.formula(
        format("dq[t] = Σ_s da[t,s] k[s] / √%td    dk[s] = Σ_t da[t,s] q[t] / √%td    "
               "dv[s] = Σ_t p[t,s] dmix[t]",
               D, D));
    Sheet::Table& sum = sheet.matrix("d_query");
    for (Index s = 0; s <= q; ++s) {
        Numbers term = head.K.row_copy(s);
        for (double& k : term) k = b.d_scores[std::size_t(s)] * k / std::sqrt(double(D));
        sum.add(say({"da · k[%s] / √d", "da · k[%s] / √d"}, labels[std::size_t(s)]), term);
    }
    sum.total((attention.rotation ? "dq'[" : "dq[") + text.query_token() + "]", b.d_Q_met.row(q));
    if (attention.rotation) write_turn_back(sheet, text, *attention.rotation, b);
    sheet.text({"For each position; dk and dv collect from every later query that looked there.",
                "下表是各位置的 dq、dk、dv；dk、dv 汇总所有看它的位置传回的梯度。"});
    sheet.matrix("d_Q", with_shape("dQ", b.d_Q.shape()), labels, b.d_Q);
    sheet.matrix("d_K", with_shape("dK", b.d_K.shape()), labels, b.d_K);
    sheet.matrix("d_V", with_shape("dV", b.d_V.shape()), labels, b.d_V);
}

void write_weights(Sheet& sheet, const WorkedText& text, const WorkedAttentionBackward& b) {
    const Index C = text.config.channels, D = text.config.head_size();
    const Index h = text.focus.head, first = h * D;
    sheet.section("d_weights_in", {"dW_Q, dW_K, dW_V, dW_O", "dW_Q、dW_K、dW_V、dW_O"});
    sheet.formula(text.in_numbers("dW_Q = Xᵀ · dQ   [C, T] · [T, D] → [C, D]"));
    sheet.text({"Every position adds the product of what went in and what came back. Head %1$td's "
                "part: dW_Q, dW_K, dW_V %2$td × %3$td each, dW_O %3$td × %2$td.",
                "每个位置贡献一份“输入 × 传回的梯度”。头 %1$td 的部分：dW_Q、dW_K、dW_V %2$td × "
                "%3$td，dW_O %3$td × %2$td。"},
               h, C, D);
    Sheet::Table& lengths = sheet.list("d_weight_lengths", {{"length ‖·‖", "范数 ‖·‖"}});
    lengths.add("dW_Q", {length(b.dW_Q.values)});
    lengths.add("dW_K", {length(b.dW_K.values)});
    lengths.add("dW_V", {length(b.dW_V.values)});
    lengths.add("dW_O", {length(b.dW_O.values)});
    sheet.text({"The largest entry of dW_Q, row %td, column %td (from 0), term by term over the "
                "positions:",
                "dW_Q 中绝对值最大的一项（第 %td 行第 %td 列，从 0 数起），写出每个位置的贡献："},
               b.row, first + b.column);
    sheet.product(format("dW_Q[%td,%td]", b.row, first + b.column), b.entry_X, b.entry_dQ,
                  b.dW_Q.at(b.row, b.column));
    sheet.weights("dW_Q", b.dW_Q);
    sheet.weights("dW_K", b.dW_K);
    sheet.weights("dW_V", b.dW_V);
    sheet.weights("dW_O", b.dW_O, first);
}

}  // namespace

void write_attention_backward(Sheet& sheet, const WorkedText& text,
                              const WorkedAttention& attention,
                              const WorkedAttentionBackward& backward) {
    write_output(sheet, text, backward);
    write_softmax(sheet, text, attention.head, backward);
    write_projections(sheet, text, attention, backward);
    write_weights(sheet, text, backward);
}

}  // namespace zhuyi
