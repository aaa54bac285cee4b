// Why a model predicts what it predicts at one position, as a sheet.
#include <cmath>

#include "autograd/tape.h"
#include "base/format.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

// Hides one position from all later ones: their rows of "mix" are made anew without it.
class Hidden : public Watcher {
  public:
    Hidden(Index position, const GptConfig& config)
        : position_(position), heads_(config.heads), D_(config.head_size()) {}

    bool wants(std::string_view name) const override {
        return name.find(".attention.") != name.npos;
    }
    void value(std::string_view name, const Tensor& x) override {
        // With rotary positions Q and K are shown twice: what is turned comes later.
        if (name.ends_with(".Q") || name.ends_with(".Q_turned")) Q_ = Grid(x);
        if (name.ends_with(".K") || name.ends_with(".K_turned")) K_ = Grid(x);
        if (name.ends_with(".V")) V_ = Grid(x);
    }
    void replace(std::string_view name, const Tensor& mix) override {  // (1, T, C)
        if (!name.ends_with(".mix")) return;
        for (Index t = position_ + 1; t < mix.rows(); ++t)
            for (Index h = 0; h < heads_; ++h) mix_row(t, h * D_, mix.value + t * mix.columns());
    }

  private:
    void mix_row(Index t, Index first, Real* row) const {
        const auto part = [&](const Grid& x, Index s) { return View(x.row(s)).part(first, D_); };
        Numbers scores;
        for (Index s = 0; s <= t; ++s)
            scores.push_back(
                s == position_ ? -INFINITY : dot(part(Q_, t), part(K_, s)) / std::sqrt(double(D_)));
        const Numbers weights = softmax(scores);
        for (Index d = 0; d < D_; ++d) {
            double sum = 0;
            for (Index s = 0; s <= t; ++s) sum += weights[s] * V_.at(s, first + d);
            row[first + d] = Real(sum);
        }
    }

    const Index position_, heads_, D_;
    Grid Q_, K_, V_;
};

// Returns ln p(answer) after the last of these tokens.
double log_probability(const WorkedModel& model, std::span<const Token> ids, Token answer,
                       Watcher* watcher) {
    Tape tape(false);
    std::vector<Watcher*> watchers;
    if (watcher) watchers.push_back(watcher);
    const Watching watching(tape, watchers);
    const Tensor logits = model.model.logits(tape, ids, 1, {.last_only = true});  // (1, 1, V)
    return log_probability(Grid(logits).values, answer);
}

Token neutral_token(const Tokenizer& tokenizer, Token instead_of) {
    Token best = -1;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (token != instead_of && !tokenizer.bytes(token).empty() &&
            (best < 0 || tokenizer.count(token) > tokenizer.count(best)))
            best = token;
    return best;
}

void write_effects(Sheet& sheet, const Reading& r, Token answer) {
    const std::span<const Token> ids = std::span(r.ids).first(std::size_t(r.focus.query) + 1);
    const Tokenizer& tokenizer = r.model.tokenizer;
    sheet.section("effects", {"What each character does", "每个字的作用"});
    sheet.text({"How much ln p(%1$s) falls, in nats, when the character is replaced by the most "
                "frequent one (%2$s), and when no later position looks at it. It says which "
                "characters the prediction uses; where two carry the same, taking away one of them "
                "shows nothing, and the numbers do not add up.",
                "没有这个字时 ln p(%1$s) 下降多少（奈特）：换成最常见的字（%2$s），或不让后面各位"
                "置看它。它说明预测用到了哪些字；几个字互为备份时，单独去掉一个看不出作用，"
                "各数也不能相加。"},
               r.model.tokenizer.name(answer), tokenizer.name(neutral_token(tokenizer, ids[0])));
    Sheet::Table& table =
        sheet.list("effects", {"", {"replaced", "换掉"}, {"not looked at", "不让看"}});
    const double whole = log_probability(r.model, ids, answer, nullptr);
    for (Index s = 0; s < std::ssize(ids); ++s) {
        List<Token> replaced(ids.begin(), ids.end());
        replaced[s] = neutral_token(tokenizer, ids[std::size_t(s)]);
        Hidden hidden(s, r.config);
        table.add(std::to_string(s),
                  {r.tokens[s], whole - log_probability(r.model, replaced, answer, nullptr),
                   s == r.focus.query  // no later position is left that could look at it
                       ? Cell()
                       : whole - log_probability(r.model, ids, answer, &hidden)});
    }
}

// Returns the scores (V) that the model's last LayerNorm and output layer make of one vector (C).
Numbers scores_of(const WorkedModel& model, const Numbers& x) {
    Tape tape(false);
    const auto of = [&](const char* name) { return model.parameters.tensor(name); };
    const Tensor y = layer_norm(constant(tape, {1, 1, x.count()}, x), of("final_norm.gamma"),
                                of("final_norm.beta"));
    return Grid(model.model.config().tied ? unembedding(y, of("embedding.token"))
                                          : linear(y, Affine{of("head.W"), {}}))
        .values;
}

Label block_label(Index block) {
    return block < 0 ? Label("input", "输入") : Label(say({"block %td", "第 %td 层"}, block));
}

// Takes the vector of the query after each block straight through the last LayerNorm and the output
// layer ("logit lens": nostalgebraist 2020).
void write_lens(Sheet& sheet, const Reading& r, Token answer) {
    constexpr Index kGuesses = 5;
    sheet.section("lens", {"What it would say after each block", "若到这一层就结束，会预测什么"});
    sheet.text(
        {"The vector after each block, taken straight to the last LayerNorm and the output "
         "layer (logit lens): from which block on the answer takes shape. Earlier blocks "
         "were never trained to be read so: what cannot be read may still be known.",
         "把每层之后的向量直接接到最后的 LayerNorm 和输出层上（logit lens）：答案从哪一层起"
         "成形。前面各层并不是为这样读而训练的，读不出不等于不知道。"});
    Sheet::Table& table = sheet.list("lens", {{"likeliest", "概率最大的"},
                                              "p(" + r.model.tokenizer.name(answer) + ")",
                                              {"rank", "名次"}});
    for (Index block = -1; block < r.config.layers; ++block) {
        const Numbers z = scores_of(r.model, r.at_query(input_name(block + 1)));
        table.add(block_label(block),
                  {likeliest_text(r.model, z, kGuesses), std::exp(log_probability(z, answer)),
                   std::to_string(rank_of(z, answer))});
    }
}

// x before the last LayerNorm is a sum x = Σ d_i, so the answer's logit is one too:
//
//     z[a] = Σ_i r γ · (d_i - mean(d_i)) · E[a] + β · E[a],   r = 1/√(σ²(x) + ε)
//
// (Elhage et al. 2021, "direct" effects through the residual stream.) With its own output layer a
// model has column a of head.W in the place of E[a]. The table has a row for each block: its
// heads, b_O, its FFN.
void write_parts(Sheet& sheet, const Reading& r, Token answer) {
    sheet.section("parts",
                  {"What each part adds to the answer's logit", "各部分给答案的 logit 加了多少"});
    sheet.formula("z[a] = Σ r γ · (d - mean(d)) · E[a] + β · E[a],   r = 1/√(σ² + 1e-5)");
    sheet.text(
        {"The last x is the sum of what the embedding, each head and each FFN added (d): these "
         "numbers say who wrote the answer directly. What an early head does through later blocks "
         "is not in them, and what the logits of all characters get alike changes no probability.",
         "最后的 x 是词向量、各头、各 FFN 所加部分 d 之和：这些数说明谁直接写下了答案。"
         "前面的头经过后面的层起的作用不在内；所有字的 logit 都加的那一份不改变概率。"});
    Labels columns;
    for (Index head = 0; head < r.config.heads; ++head)
        columns.push_back(say({"head %td", "头 %td"}, head));
    columns.push_back("b_O");
    columns.push_back("FFN");
    Sheet::Table& table = sheet.matrix("parts", {}, columns);
    const Index q = r.focus.query, L = r.config.layers;
    const Numbers e = r.config.tied ? r.model.value("embedding.token").row_copy(answer)
                                    : columns_of(r.model.value("head.W"), answer, 1).values;
    const Numbers gamma = r.model.bias("final_norm.gamma");
    const double scale = spread_of(r.at_query(input_name(L))).r;
    Numbers direction(e.size());  // r γ E[a], less its mean: that takes the mean off each part
    double mean = 0;
    for (Index c = 0; c < e.count(); ++c)
        mean += (direction[c] = scale * gamma[c] * e[c]) / double(e.size());
    for (double& d : direction) d -= mean;
    const double embedding = dot(r.at_query("embedding"), direction);
    double blocks = 0, together = embedding;
    for (Index block = 0; block < L; ++block) {
        Numbers row;
        const Grid heads = head_parts(r.model, r.pass, block, q);
        for (Index head = 0; head < heads.rows; ++head)
            row.push_back(dot(heads.row(head), direction));
        row.push_back(dot(r.model.bias(block_name(block, "attention.b_O")), direction));
        row.push_back(dot(r.at_query(block_name(block, "ffn.output")), direction));
        for (const double part : row) blocks += part, together += part;
        table.add(block_label(block), row);
    }
    const double beta = dot(r.model.bias("final_norm.beta"), e);
    Sheet::Table& sum = sheet.matrix("sum");
    sum.add({"embedding", "词向量"}, std::vector<Cell>{embedding});
    sum.add({"all blocks", "各层合计"}, std::vector<Cell>{blocks});
    sum.add("β", std::vector<Cell>{beta});
    sum.total({"together", "合计"}, std::vector<Cell>{together + beta});
    sheet.text({"The model's logit: %.4f", "模型的 logit：%.4f"}, r.at_query("logits")[answer]);
}

}  // namespace

Sheet why_sheet(const WorkedModel& model, std::span<const Token> ids, Focus focus, Token answer) {
    focus = WorkedText(model, ids, focus).focus;
    const auto read = std::size_t(focus.query) + 1;
    if (answer < 0 && read < ids.size()) answer = ids[read];
    const Reading r = zhuyi::read(model, ids.first(read), focus);
    const Numbers logits = r.at_query("logits");
    if (answer < 0) answer = Token(largest(logits));
    Sheet sheet{say({"Why %2$s after %1$s? p = %3$.4f, rank %4$td",
                     "“%1$s”之后为什么是“%2$s”？p = %3$.4f，第 %4$td 名"},
                    joined(r.tokens, ""), model.tokenizer.name(answer),
                    std::exp(log_probability(logits, answer)), rank_of(logits, answer))};
    write_effects(sheet, r, answer);
    write_lens(sheet, r, answer);
    write_parts(sheet, r, answer);
    return sheet;
}

}  // namespace zhuyi
