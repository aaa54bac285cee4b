#include "explain/sheet_backward.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "explain/sheet_forward.h"

namespace zhuyi {
namespace {

using Labels = std::vector<std::string>;

void write_loss(SheetWriter& w, const WorkedBackward& b, const Labels& labels) {
    const Index T = std::ssize(b.predictions);
    w.section("loss", "Backward: the loss", "反向：损失");
    w.text(
        "As in training, every position predicts the character behind it; the loss is the mean of "
        "-ln p(target).",
        "和训练时一样，每个位置都预测它后面的字；损失是 -ln p(目标字) 的平均。");
    Sheet::Table table{"loss", "", {w.in("target", "目标"), "p", "-ln p"}, {}, false};
    for (Index t = 0; t < T; ++t) {
        const WorkedBackward::Prediction& p = b.predictions[std::size_t(t)];
        table.rows.push_back({labels[std::size_t(t)], {"→ " + p.target, p.probability, p.loss}});
    }
    table.rows.push_back({w.in("mean", "平均"), {Sheet::Cell(), Sheet::Cell(), b.loss}, true});
    w.table(std::move(table));
}

void write_logits(SheetWriter& w, const WorkedBackward& b) {
    const Index T = std::ssize(b.predictions), q = b.forward.place.query;
    w.section("d_logits", "dlogits = (p - onehot) / T", "dlogits = (p - onehot) / T");
    w.text(
        format(
            "At position %td, in falling order of size. The target's logit is to rise (negative "
            "gradient), all others are to fall, each by its own share. T = %td, because the loss "
            "is a mean.",
            q, T),
        format("位置 %td 处，按大小排列。目标字的 logit 要升（梯度为负），其余都要降，各按自己的概"
               "率。除以 T = %td，因为损失是平均值。",
               q, T));
    Sheet::Table table{"d_logits", "", {"p", "onehot", "dlogit"}, {}, false};
    for (const WorkedBackward::LogitGradient& g : b.logits)
        table.rows.push_back({g.token, {g.probability, format("%.0f", g.onehot), g.gradient}});
    w.table(std::move(table));
}

void write_stages(SheetWriter& w, const WorkedBackward& b) {
    using Place = WorkedBackward::Stage::Place;
    w.section("d_residual", "Down the residual stream", "沿残差流往回");
    w.text(
        "The gradient of x at this position, from the top block down. An addition hands it on "
        "unchanged to both sides; each branch adds what comes back through it. (For a position "
        "that is not the last, later positions' losses are in it too: they attended here.)",
        "这个位置上 x 的梯度，从最上面的块往下。加法把梯度原样传给两边，每个分支再加上从它那里传回"
        "来的一份。（如果不是最后一个位置，里面也有后面各位置的损失：它们注意过这里。）");
    w.vector("d_final_norm", "", "dX_final", b.d_final_norm);
    Sheet::Table table{"d_residual", "", {"‖dx‖"}, {}, false};
    for (const WorkedBackward::Stage& stage : b.stages)
        table.rows.push_back(
            {stage.place == Place::embedding
                 ? w.in("embedding", "词向量")
                 : format("%s %td ", w.in("behind block", "块").c_str(), stage.layer) +
                       (stage.place == Place::attention ? w.in("attention", "注意力之后")
                                                        : w.in("FFN", "FFN 之后")),
             {stage.gradient}});
    w.table(std::move(table));
}

void write_output(SheetWriter& w, const WorkedBackward& b) {
    const WorkedForward& f = b.forward;
    const Index h = f.place.head, D = f.config.head_size(), C = f.config.channels;
    w.section("d_output", format("Block %td: back through W_O", f.place.layer),
              format("第 %td 块：往回穿过 W_O", f.place.layer));
    w.formula(format("dmix_%td = doutput · W_O[%td]ᵀ   ", h, h) + shape_text({C}) + " · " +
              shape_text({C, D}) + " → " + shape_text({D}));
    w.vector("d_output", "", "doutput", b.d_output);
    w.vector("d_mix", "", format("dmix_%td", h), b.d_mix);
    w.product(format("dmix_%td[0]", h), b.d_output, b.W_O.row(0), b.d_mix[0]);
}

void write_softmax(SheetWriter& w, const WorkedBackward& b, const Labels& labels) {
    const WorkedForward& f = b.forward;
    const Index q = f.place.query;
    const auto p = f.attention.weights.row(q);
    double mean = 0;
    for (Index s = 0; s <= q; ++s) mean += p[std::size_t(s)] * b.d_weights[std::size_t(s)];
    w.section("d_weights", "Back through the mix and softmax", "往回穿过加权求和与 softmax");
    w.formula(format("dp[s] = dmix_%td · V[s]     da[s] = p[s] · (dp[s] - Σ p·dp),   Σ p·dp = ",
                     f.place.head) +
              format("%.6g", mean));
    w.text(
        "A character is attended to more (da < 0: descending raises a) when its V helps more than "
        "the mix already does. The da sum to 0: softmax only shifts attention.",
        "哪个字的 V 比现有的混合更有用，就该多注意它（da < 0，沿负梯度走，a 会升高）。da 之和为 0："
        "softmax 只能把注意力挪来挪去。");
    Sheet::Table table{"d_scores", "", {"p", "dp", "da"}, {}, false};
    for (Index s = 0; s <= q; ++s) {
        const std::size_t at = std::size_t(s);
        table.rows.push_back({labels[at], {p[at], b.d_weights[at], b.d_scores[at]}});
    }
    w.table(std::move(table));
}

void write_projections(SheetWriter& w, const WorkedBackward& b, const Labels& labels) {
    const WorkedForward& f = b.forward;
    const Index q = f.place.query, D = f.config.head_size(), T = std::ssize(f.ids);
    w.section("d_projections", "Back to q, k and v", "传回 q、k、v");
    w.formula(
        format("dq[t] = Σ_s da[t,s] k[s] / √%td    dk[s] = Σ_t da[t,s] q[t] / √%td    dv[s] = "
               "Σ_t p[t,s] dmix[t]",
               D, D));
    Grid terms(q + 1, D);
    std::vector<std::pair<std::string, std::span<const double>>> parts;
    for (Index s = 0; s <= q; ++s) {
        for (Index c = 0; c < D; ++c)
            terms.at(s, c) =
                b.d_scores[std::size_t(s)] * f.attention.K.at(s, c) / std::sqrt(double(D));
        parts.emplace_back("da · k[" + labels[std::size_t(s)] + "] / √d", terms.row(s));
    }
    write_sum(w, "d_query", "", parts, "dq[" + f.query_token() + "]", b.d_Q.row(q));
    w.text("For each position; dk and dv collect from every later query that looked there.",
           "下面是每个位置的；dk、dv 汇总了后面所有看过它的查询传回来的份。");
    w.matrix("d_Q", "dQ  " + shape_text({T, D}), labels, b.d_Q);
    w.matrix("d_K", "dK  " + shape_text({T, D}), labels, b.d_K);
    w.matrix("d_V", "dV  " + shape_text({T, D}), labels, b.d_V);
}

void write_weights(SheetWriter& w, const WorkedBackward& b) {
    const WorkedForward& f = b.forward;
    const Index C = f.config.channels, D = f.config.head_size(), T = std::ssize(f.ids);
    const Index h = f.place.head, first = h * D, column = b.W_Q.column - first;
    w.section("d_weights_in", "dW_Q, dW_K, dW_V, dW_O", "dW_Q、dW_K、dW_V、dW_O");
    w.formula("dW_Q = Xᵀ · dQ   " + shape_text({C, T}) + " · " + shape_text({T, D}) + " → " +
              shape_text({C, D}));
    w.text(format("Every position adds the product of what went in and what came back. Head %td's "
                  "part, %td × %td each:",
                  h, C, D),
           format("每个位置贡献一份“输入 × 传回的梯度”。头 %td 的部分，各 %td × %td：", h, C, D));
    Sheet::Table lengths{"d_weight_lengths", "", {w.in("length ‖·‖", "长度 ‖·‖")}, {}, false};
    const std::pair<const char*, const Grid*> gradients[] = {
        {"dW_Q", &b.dW_Q}, {"dW_K", &b.dW_K}, {"dW_V", &b.dW_V}, {"dW_O", &b.dW_O}};
    for (const auto& [name, gradient] : gradients)
        lengths.rows.push_back({name, {length(gradient->values)}});
    w.table(std::move(lengths));
    w.text(
        format("The largest entry of dW_Q, row %td, column %td, term by term over the positions:",
               b.W_Q.row, b.W_Q.column),
        format("dW_Q 中绝对值最大的一项（第 %td 行第 %td 列），逐个位置写开：", b.W_Q.row,
               b.W_Q.column));
    w.product(format("dW_Q[%td,%td]", b.W_Q.row, b.W_Q.column), b.entry_x, b.entry_dQ,
              b.dW_Q.at(b.W_Q.row, column));
    w.weights("dW_Q", "dW_Q  " + shape_text({C, D}), b.dW_Q);
    w.weights("dW_K", "dW_K  " + shape_text({C, D}), b.dW_K);
    w.weights("dW_V", "dW_V  " + shape_text({C, D}), b.dW_V);
    w.weights("dW_O", "dW_O  " + shape_text({D, C}), b.dW_O, first);
}

void write_embedding(SheetWriter& w, const WorkedBackward& b, const Labels& labels) {
    const WorkedForward& f = b.forward;
    const std::string token = f.query_token();
    w.section("d_embedding", "Down to the row of the embedding", "一直传到词向量那一行");
    w.formula("dX = dQ · W_Qᵀ + dK · W_Kᵀ + dV · W_Vᵀ" + w.in("  (all heads)", "  （所有头）"));
    w.formula("dx = r · (γ·dX - avg(γ·dX) - n · avg(γ·dX · n))" +
              w.in("  + what passes by", "  + 绕过分支直接传下来的"));
    Sheet::Table way{
        "d_input",
        "",
        {},
        {{"dX", cells(b.d_norm_1)},
         {format("dx, %s %td", w.in("block", "块").c_str(), f.place.layer), cells(b.d_input)},
         {w.in("dx, embedding", "dx，词向量处"), cells(b.d_embedding)}}};
    w.table(std::move(way));
    if (b.E.frozen)
        return w.text("The embedding is frozen: the gradient ends here.",
                      "词向量被冻结：梯度到此为止。");
    w.text(format("The row E[%s] collects from every position that holds %s%s.", token.c_str(),
                  token.c_str(),
                  f.config.tied ? ", and from the output layer, which uses the same row" : ""),
           format("E[%s] 这一行汇总每个“%s”所在位置的 dx%s。", token.c_str(), token.c_str(),
                  f.config.tied ? "，再加上输出层的一份（输出层用的是同一行）" : ""));
    std::vector<std::pair<std::string, std::span<const double>>> parts;
    for (std::size_t i = 0; i < b.dE.positions.size(); ++i)
        parts.emplace_back("dx[" + labels[std::size_t(b.dE.positions[i])] + "]",
                           b.dE.from_positions.row(Index(i)));
    if (!b.dE.from_output.empty())
        parts.emplace_back(w.in("output layer", "输出层"), b.dE.from_output);
    write_sum(w, "dE", "", parts, "dE[" + token + "]", b.dE.sum);
}

}  // namespace

void write_backward(SheetWriter& w, const WorkedBackward& b) {
    const Labels labels = place_labels(b.forward.tokens);
    write_loss(w, b, labels);
    write_logits(w, b);
    write_stages(w, b);
    write_output(w, b);
    write_softmax(w, b, labels);
    write_projections(w, b, labels);
    write_weights(w, b);
    write_embedding(w, b, labels);
    write_update(w, b);
}

}  // namespace zhuyi
