#include "base/format.h"
#include "explain/why.h"

namespace zhuyi {
namespace {

using PartKind = WorkedWhy::PartKind;

Label block_label(Index block) {
    return block < 0 ? Label("input", "输入") : Label(say({"block %td", "第 %td 层"}, block));
}

std::string text_before(const WorkedWhy& why) {
    std::string text;
    for (Index t = 0; t <= why.focus.query; ++t) text += why.tokens[std::size_t(t)];
    return text;
}

void write_effects(Sheet& sheet, const WorkedWhy& why) {
    sheet.section("effects", {"What each character does", "每个字的作用"});
    sheet.text({"How much ln p(%1$s) falls, in nats, when the character is replaced by the most "
                "frequent one (%2$s), and when no later position looks at it. It says which "
                "characters the prediction uses; where two carry the same, taking away one of them "
                "shows nothing, and the numbers do not add up.",
                "没有这个字时 ln p(%1$s) 下降多少（奈特）：换成最常见的字（%2$s），或不让后面各位"
                "置看它。它说明预测用到了哪些字；几个字互为备份时，单独去掉一个看不出作用，"
                "各数也不能相加。"},
               why.answer.name, why.effects[0].neutral);
    Sheet::Table& table =
        sheet.list("effects", {"", {"replaced", "换掉"}, {"not looked at", "不让看"}});
    for (const WorkedWhy::Effect& effect : why.effects)
        table.add(std::to_string(effect.position),
                  {why.tokens[std::size_t(effect.position)], effect.replaced,
                   effect.position == why.focus.query ? Sheet::Cell() : effect.cut});
}

void write_lens(Sheet& sheet, const WorkedWhy& why) {
    sheet.section("lens", {"What it would say after each block", "若到这一层就结束，会预测什么"});
    sheet.text(
        {"The vector after each block, taken straight to the last LayerNorm and the output "
         "layer (logit lens): from which block on the answer takes shape. Earlier blocks "
         "were never trained to be read so: what cannot be read may still be known.",
         "把每层之后的向量直接接到最后的 LayerNorm 和输出层上（logit lens）：答案从哪一层起"
         "成形。前面各层并不是为这样读而训练的，读不出不等于不知道。"});
    Sheet::Table& table = sheet.list(
        "lens", {{"likeliest", "概率最大的"}, "p(" + why.answer.name + ")", {"rank", "名次"}});
    for (const WorkedWhy::Guess& guess : why.lens) {
        std::string text;
        for (const WorkedPrediction& p : guess.top)
            text += (text.empty() ? "" : "  ") + p.name + format(" %.3f", p.probability);
        table.add(block_label(guess.block), {text, guess.probability, std::to_string(guess.rank)});
    }
}

// One row a block: its heads, b_O, its FFN.
void write_parts(Sheet& sheet, const WorkedWhy& why) {
    sheet.section("parts",
                  {"What each part adds to the answer's logit", "各部分给答案的 logit 加了多少"});
    sheet.formula("z[a] = Σ r γ · (d - mean(d)) · E[a] + β · E[a],   r = 1/√(σ² + 1e-5)");
    sheet.text(
        {"The last x is the sum of what the embedding, each head and each FFN added (d): "
         "these numbers say who wrote the answer directly. What an early head does through "
         "later blocks is not in them, and what the logits of all characters get alike "
         "changes no probability.",
         "最后的 x 是词向量、各头、各 FFN 所加部分 d 之和：这些数说明谁直接写下了答案。"
         "前面的头经过后面的层起的作用不在内；所有字的 logit 都加的那一份不改变概率。"});
    Labels columns;
    for (Index head = 0; head < why.config.heads; ++head)
        columns.push_back(say({"head %td", "头 %td"}, head));
    columns.push_back("b_O");
    columns.push_back("FFN");
    Sheet::Table& table = sheet.matrix("parts", {}, columns);
    std::vector<Numbers> rows(std::size_t(why.config.layers));
    double embedding = 0, beta = 0;
    for (const WorkedWhy::Part& part : why.parts) {
        if (part.kind == PartKind::embedding)
            embedding = part.logit;
        else if (part.kind == PartKind::beta)
            beta = part.logit;
        else
            rows[std::size_t(part.block)].push_back(part.logit);
    }
    double blocks = 0;
    for (std::size_t block = 0; block < rows.size(); ++block) {
        table.add(block_label(Index(block)), rows[block]);
        for (const double logit : rows[block]) blocks += logit;
    }
    Sheet::Table& sum = sheet.matrix("sum");
    sum.add({"embedding", "词向量"}, std::vector<Sheet::Cell>{embedding});
    sum.add({"all blocks", "各层合计"}, std::vector<Sheet::Cell>{blocks});
    sum.add("β", std::vector<Sheet::Cell>{beta});
    sum.total({"together", "合计"}, std::vector<Sheet::Cell>{why.sum});
    sheet.text({"The model's logit: %.4f", "模型的 logit：%.4f"}, why.answer.logit);
}

}  // namespace

Sheet why_sheet(const WorkedWhy& why) {
    Sheet sheet{say({"Why %2$s after %1$s? p = %3$.4f, rank %4$td",
                     "“%1$s”之后为什么是“%2$s”？p = %3$.4f，第 %4$td 名"},
                    text_before(why), why.answer.name, why.answer.probability, why.rank)};
    write_effects(sheet, why);
    write_lens(sheet, why);
    write_parts(sheet, why);
    return sheet;
}

}  // namespace zhuyi
