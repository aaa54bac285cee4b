#include "explain/backward.h"

#include <cmath>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/math.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/cross_entropy.h"
#include "ops/rotary.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {

TrainedReading::TrainedReading(const WorkedTraining& training, std::span<const Token> ids_,
                               std::span<const Token> targets_, Focus focus_)
    : Reading(training.model, ids_, focus_), targets(targets_.begin(), targets_.end()) {
    Tape tape(true, training.config.precision);
    const Watching watching(tape, pass);
    model.parameters.forget_gradients();
    const CrossEntropy entropy = model.model.loss(tape, ids, targets, 1, {});
    tape.backward(entropy.mean);
    model.parameters.settle_gradients();
    losses = Numbers(entropy.each_row.begin(), entropy.each_row.end());
    for (const double each : losses) loss += each;
    loss /= double(losses.size());
}

static void write_loss(Sheet& sheet, const TrainedReading& r) {
    sheet.section("loss", {"Backward: the loss", "反向传播：损失"});
    sheet.text(
        {"As in training, every position predicts the character after it; the loss is the "
         "mean of -ln p(target), in nats per token.",
         "和训练时一样，每个位置都预测它后面的字；损失是 -ln p(目标字) "
         "的平均，单位是奈特/token。"});
    Sheet::Table& table = sheet.list("loss", {{"target", "目标"}, "p", "-ln p"});
    const Labels labels = r.labels();
    const Grid& logits = r.pass.values("logits");
    for (Index t = 0; t < r.length(); ++t)
        table.add(labels[t], {"→ " + r.model.tokenizer.name(r.targets[t]),
                              softmax(logits.row(t))[r.targets[t]], r.losses[t]});
    table.total({"mean", "平均"}, {Cell(), Cell(), r.loss});
}

static void write_logits(Sheet& sheet, const TrainedReading& r) {
    sheet.section("d_logits", std::string("dlogits = (p - onehot) / T"));
    sheet.text(
        {"At position %td, in falling order of size. Of the target, (p - 1)/T < 0: its logit is to "
         "rise; of all others, p/T > 0: they are to fall. T = %td, because the loss is a mean.",
         "位置 %td 处，按绝对值从大到小。目标字 (p - 1)/T < 0，logit 要升；其余 p/T > 0，要降。"
         "除以 T = %td，因为损失是平均值。"},
        r.focus.query, r.length());
    Sheet::Table& table = sheet.list("d_logits", {"p", "onehot", "dlogit"});
    const Numbers p = softmax(r.at_query("logits")), gradient = r.d_at_query("logits");
    Numbers sizes;
    for (const double each : gradient) sizes.push_back(std::abs(each));
    for (const Token token : by_size(sizes, 10))
        table.add(r.model.tokenizer.name(token),
                  {p[token], token == r.targets[r.focus.query] ? "1" : "0", gradient[token]});
}

static void write_stages(Sheet& sheet, const Reading& r) {
    sheet.section("d_residual", {"Back along the residual connections", "沿残差连接反向传播"});
    sheet.text(
        {"The gradient of x at this position, from the top block down. An addition hands it on "
         "unchanged to both sides; each branch adds what comes back through it. (For a position "
         "that is not the last, later positions' losses are in it too: they attended here.)",
         "这个位置上 x 的梯度，从最后一层往前。加法把梯度原样传给两边，每个分支再加上从它那里"
         "传回来的一份。（如果不是最后一个位置，里面也有后面各位置的损失：它们注意过这里。）"});
    sheet.matrix("d_final_norm").add("dX_final", r.d_at_query("final_norm"));
    Sheet::Table& table = sheet.list("d_residual", {"‖dx‖"});
    for (Index block = r.config.layers; block-- > 0;)
        for (const auto& [branch, name] : {std::pair(Words{"FFN", " FFN "}, "residual.2"),
                                           std::pair(Words{"attention", "注意力"}, "residual.1")})
            table.add(say({"after block %td %s", "第 %td 层%s之后"}, block, branch),
                      {length(r.d_at_query(block_name(block, name)))});
    table.add({"embedding", "词向量"}, {length(r.d_at_query("embedding"))});
}

// ---- the head: from the output back to W_O, V, Q, K and the four matrices

static Grid head_of_W_O(const Reading& r, const Grid& W_O) {  // (d_k, C): the head's rows
    return rows_of(W_O, r.focus.head * r.config.head_size(), r.config.head_size());
}

static void write_output_back(Sheet& sheet, const Reading& r) {
    const Index h = r.focus.head;
    const Numbers d_output = r.d_at_query(r.own("attention.output"));
    const Numbers d_mix = r.d_part("attention.mix").row_copy(r.focus.query);
    const std::string name = format("dmix_%td", h);
    sheet.section("d_output", {"Block %td: back through W_O", "第 %td 层：反向经过 W_O"},
                  r.focus.block);
    sheet.formula(format("dmix_%td = doutput · W_O[%td]ᵀ   ", h, h) +
                  r.in_numbers("[C] · [C, D] → [D]"));
    sheet.matrix("d_output").add("doutput", d_output);
    sheet.matrix("d_mix").add(name, d_mix);
    sheet.product(name + "[0]", d_output,
                  head_of_W_O(r, r.model.value(r.own("attention.W_O"))).row(0), d_mix[0]);
}

// Returns the query's row in this head of the gradient of "attention.weights" or
// "attention.scores".
static Numbers d_looks(const Reading& r, const char* name) {
    return r.pass.gradients(r.own(name)).row_copy(r.focus.head * r.length() + r.focus.query);
}

static void write_softmax_back(Sheet& sheet, const Reading& r) {
    const Numbers p = r.weights().row_copy(r.focus.query);  // 0 after the query
    const Numbers dp = d_looks(r, "attention.weights"), da = d_looks(r, "attention.scores");
    sheet.section("d_weights",
                  {"Back through the weighted sum and softmax", "反向经过加权求和与 softmax"});
    sheet.formula(
        format("dp[s] = dmix_%td · V[s]     da[s] = p[s] · (dp[s] - Σ p·dp),   Σ p·dp = %.6g",
               r.focus.head, dot(std::span(p).first(std::size_t(r.focus.query) + 1), dp)));
    sheet.text(
        {"A character is attended to more (da < 0: descending raises a) when its V helps more than "
         "the weighted sum already does. The da sum to 0: softmax only shares out anew.",
         "哪个字的 V 比当前的加权和更有用，就该多看它（da < 0，沿负梯度走，a 会升高）。da 之和"
         "为 0：softmax 只是重新分配，总和不变。"});
    Sheet::Table& table = sheet.list("d_scores", {"p", "dp", "da"});
    for (Index s = 0; s <= r.focus.query; ++s) table.add(r.labels()[s], {p[s], dp[s], da[s]});
}

// Rotary positions: the gradient is turned back.
static void write_turn_back(Sheet& sheet, const Reading& r, const Grid& d_met) {
    const Index q = r.focus.query, D = r.config.head_size();
    const double d[] = {d_met.at(q, 0), d_met.at(q, D / 2)};
    const double angle = rotary_angle(q, 0, D);
    const double back[] = {math::cos_turns(angle), math::sin_turns(angle)};
    sheet.text(
        {"These are the gradients of q' and k', as they met. Those of q and k are the same, "
         "turned back by the angle of the position:",
         "这是旋转之后的 q'、k' 的梯度；再按位置的角度转回去，就是 q、k 的梯度："});
    sheet.product(r.token("dq") + "[0]", d, back, r.d_part("attention.Q").at(q, 0));
}

static void write_projections_back(Sheet& sheet, const Reading& r) {
    const Index q = r.focus.query, D = r.config.head_size();
    const Grid K = r.part(r.met("attention.K")), d_met = r.d_part(r.met("attention.Q"));
    const Numbers da = d_looks(r, "attention.scores");
    const Labels labels = r.labels();
    sheet.section("d_projections", {"Back to q, k and v", "传回 q、k、v"});
    sheet.formula(
        format("dq[t] = Σ_s da[t,s] k[s] / √%td    dk[s] = Σ_t da[t,s] q[t] / √%td    "
               "dv[s] = Σ_t p[t,s] dmix[t]",
               D, D));
    Sheet::Table& sum = sheet.matrix("d_query");
    for (Index s = 0; s <= q; ++s) {
        Numbers term = scaled(K.row(s), da[s]);
        for (double& each : term) each /= std::sqrt(double(D));
        sum.add("da · k[" + labels[s] + "] / √d", term);
    }
    sum.total(r.token(r.rotary() ? "dq'" : "dq"), d_met.row(q));
    if (r.rotary()) write_turn_back(sheet, r, d_met);
    sheet.text({"For each position; dk and dv collect from every later query that looked there.",
                "下表是各位置的 dq、dk、dv；dk、dv 汇总所有看它的位置传回的梯度。"});
    for (const std::string name : {"Q", "K", "V"}) {
        const Grid gradient = r.d_part("attention." + name);
        sheet.matrix("d_" + name, with_shape("d" + name, gradient.shape()), labels, gradient);
    }
}

// The largest entry of the head's dW_Q is dW_Q[row, column] = Σ_t X[t, row] dQ[t, column].
static std::pair<Index, Index> largest_entry(const Reading& r) {
    const Index at = largest_absolute(r.d_matrix("attention.W_Q").values);
    return {at / r.config.head_size(), at % r.config.head_size()};
}

static void write_weights(Sheet& sheet, const Reading& r) {
    const Index C = r.config.channels, D = r.config.head_size();
    const Index h = r.focus.head, first = h * D;
    sheet.section("d_weights_in", {"dW_Q, dW_K, dW_V, dW_O", "dW_Q、dW_K、dW_V、dW_O"});
    sheet.formula(r.in_numbers("dW_Q = Xᵀ · dQ   [C, T] · [T, D] → [C, D]"));
    sheet.text({"Every position adds the product of what went in and what came back. Head %1$td's "
                "part: dW_Q, dW_K, dW_V %2$td × %3$td each, dW_O %3$td × %2$td.",
                "每个位置贡献一份“输入 × 传回的梯度”。头 %1$td 的部分：dW_Q、dW_K、dW_V %2$td × "
                "%3$td，dW_O %3$td × %2$td。"},
               h, C, D);
    Sheet::Table& lengths = sheet.list("d_weight_lengths", {{"length ‖·‖", "范数 ‖·‖"}});
    const std::pair<std::string, Grid> all[] = {
        {"dW_Q", r.d_matrix("attention.W_Q")},
        {"dW_K", r.d_matrix("attention.W_K")},
        {"dW_V", r.d_matrix("attention.W_V")},
        {"dW_O", head_of_W_O(r, r.model.gradient(r.own("attention.W_O")))}};
    for (const auto& [name, dW] : all) lengths.add(name, {length(dW.values)});
    const auto [row, column] = largest_entry(r);
    sheet.text({"The largest entry of dW_Q, row %td, column %td (from 0), term by term over the "
                "positions:",
                "dW_Q 中绝对值最大的一项（第 %td 行第 %td 列，从 0 数起），写出每个位置的贡献："},
               row, first + column);
    sheet.product(format("dW_Q[%td,%td]", row, first + column),
                  columns_of(r.pass.values(r.own("norm_1")), row, 1).values,
                  columns_of(r.d_part("attention.Q"), column, 1).values,
                  all[0].second.at(row, column));
    for (const auto& [name, dW] : all) sheet.weights(name, dW, name == "dW_O" ? first : 0);
}

// dE[token of the query] is a sum: every position that holds the token adds its dx, and a tied
// output layer adds its own part.
static void write_embedding_back(Sheet& sheet, const Reading& r) {
    const Token token = r.ids[r.focus.query];
    const std::string row = r.token("E");
    sheet.section("d_embedding", {"Down to the row of the embedding", "一直传到词向量那一行"});
    sheet.formula({"dX = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ  (all heads)",
                   "dX = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ  （所有头）"});
    sheet.formula({"dx = r · (γ·dX - avg(γ·dX) - n · avg(γ·dX · n))  + what passes by",
                   "dx = r · (γ·dX - avg(γ·dX) - n · avg(γ·dX · n))  + 残差连接直接传下来的"});
    Sheet::Table& way = sheet.matrix("d_input");
    way.add("dX", r.d_at_query(r.own("norm_1")));
    way.add(say({"dx, block %td", "dx，第 %td 层"}, r.focus.block),
            r.d_at_query(input_name(r.focus.block)));
    way.add({"dx, embedding", "dx，词向量处"}, r.d_at_query("embedding"));
    if (!r.model.parameters.tensor("embedding.token").gradient)
        return sheet.text(
            {"The embedding is frozen: the gradient ends here.", "词向量被冻结：梯度到此为止。"});
    const std::string and_output =
        r.config.tied ? say({", and from the output layer, which uses the same row",
                             "，再加上输出层的一份（输出层用的是同一行）"})
                      : std::string();
    sheet.text({"The row %1$s collects from every position that holds %2$s%3$s.",
                "%1$s 这一行汇总每个“%2$s”所在位置的 dx%3$s。"},
               row, r.query_token(), and_output);
    Sheet::Table& sum = sheet.matrix("dE");
    const Numbers dE = r.model.gradient("embedding.token").row_copy(token);
    const Grid& dx = r.pass.gradients("embedding");
    Numbers rest = dE;
    for (Index t = 0; t < r.length(); ++t) {
        if (r.ids[t] != token) continue;
        sum.add(say({"dx[%s]", "dx[%s]"}, r.labels()[t]), dx.row(t));
        for (Index c = 0; c < dx.columns; ++c) rest[c] -= dx.at(t, c);
    }
    if (r.config.tied) sum.add({"output layer", "输出层"}, rest);
    sum.total("d" + row, dE);
}

void write_backward(Sheet& sheet, const WorkedTraining& training, const TrainedReading& r) {
    write_loss(sheet, r);
    write_logits(sheet, r);
    write_stages(sheet, r);
    write_output_back(sheet, r);
    write_softmax_back(sheet, r);
    write_projections_back(sheet, r);
    write_weights(sheet, r);
    write_embedding_back(sheet, r);
    const auto [row, part] = largest_entry(r);
    const Index column = r.focus.head * r.config.head_size() + part;
    const Token token = r.ids[r.focus.query];
    const Index place = largest_absolute(r.model.gradient("embedding.token").row(token));
    write_updates(
        sheet, training, r,
        {r.own("attention.W_Q"), row, column, format("W_Q[%td,%td]", row, column)},
        {"embedding.token", token, place, format("%s[%td]", r.token("E").c_str(), place)});
}

}  // namespace zhuyi
