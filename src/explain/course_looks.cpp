// Half pages of the course about where the run's heads look.
#include <algorithm>

#include "attention/maps.h"
#include "base/format.h"
#include "explain/forward.h"
#include "explain/course_pages.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

std::string name_of(const CourseHead& head) { return format("%td.%td", head.block, head.head); }

// The weight that the last of `asker` gives to all of `answer` together, in one head; -1: the text
// lacks one of them.
double weight_on(const AttentionMaps& maps, const CourseHead& head, Index asker,
                 const std::string& answer) {
    const Index T = maps.length();
    const In map = maps.map(std::size_t(head.block), std::size_t(head.head));
    double sum = -1;
    for (Index s = 0; s < T; ++s)
        if (answer.find(maps.tokens[std::size_t(s)]) != answer.npos && s <= asker)
            sum = std::max(sum, 0.0) + double(map[std::size_t(asker * T + s)]);
    return sum;
}

AttentionMaps maps_of(const CourseRun& run, const std::string& text) {
    return attention_maps(run.model.model, run.model.tokenizer, course_tokens(run, text));
}

// Of all heads the one that gives most of the asker's attention to `answer`.
CourseHead best_for(const AttentionMaps& maps, Index asker, const std::string& answer) {
    CourseHead best{0, 0, -1};
    for (Index l = 0; l < std::ssize(maps.blocks); ++l)
        for (Index h = 0; h < std::ssize(maps.heads); ++h) {
            const double w = weight_on(maps, {l, h, 0}, asker, answer);
            if (w > best.weight) best = {l, h, w};
        }
    return best;
}

}  // namespace

void heat_map_page(Sheet& sheet, const CourseRun& run) {
    const AttentionMaps maps = maps_of(run, "小沈阳江西演唱会邀请了，");
    const Index T = maps.length();
    Numbers diagonal, even;
    for (Index t = T / 3; t < T; ++t) {
        double sum = 0;
        for (std::size_t l = 0; l < maps.blocks.size(); ++l)
            for (std::size_t h = 0; h < maps.heads.size(); ++h)
                sum += double(maps.map(l, h)[std::size_t(t * T + t)]);
        diagonal.push_back(sum / double(maps.blocks.size() * maps.heads.size()));
        even.push_back(1 / double(t + 1));
    }
    sheet.text(
        {"%td tokens here. The course's picture has a bright diagonal; measured, as a mean over "
         "all heads of this run, beside what evenly spread attention would give (rows %td on, "
         "from 0):",
         "这里是 %td 个 token。课程的图有一条明亮的对角线；这个模型各头的平均量出来是（从第 %td "
         "行起，从 0 "
         "数起），下面一行是平均分配时的值："},
        T, T / 3);
    Sheet::Table& table = sheet.matrix("diagonal");
    table.add({"diagonal", "对角线"}, diagonal);
    table.add({"spread evenly", "平均分配"}, even);
    sheet.text(
        {"The course's 16 tokens (cl100k_base), beside these; ¹ ² are pieces of a character:",
         "课程的 16 个 token（cl100k_base）与这里的对照；¹ ² 是一个字的两段："});
    sheet.formula("小 沈¹ 沈² 阳 江 西 演¹ 演² 唱¹ 唱² 会 邀¹ 邀² 请 了 ，");
    std::string own;
    for (const std::string& token : maps.tokens) own += (own.empty() ? "" : " ") + token;
    sheet.formula(own);
    if (const auto* itself = run.role("itself"))
        sheet.text({"Of all heads %s looks most at the character itself: %.0f %% over many texts.",
                    "最常看自己的是头 %s：在许多文本上平均 %.0f %%。"},
                   name_of(itself->best), 100 * itself->best.weight);
}

void roles_page(Sheet& sheet, const CourseRun& run) {
    if (run.roles.empty())
        return sheet.text({"This run has not recorded what its heads do; train it again to see it.",
                           "这次训练没有记录各头的作用；重新训练一次就能看到。"});
    sheet.text(
        {"The course names grammar, meaning, position and topic. Measured on many texts, the head "
         "that does most of each, and how much of its attention that is:",
         "课程说各头分管语法、语义、位置、主题。在许多文本上量一量：每种看法做得最多的头，以及它有"
         "多少注意力"
         "用在这上面："});
    Sheet::Table& table = sheet.list("roles", {{"head", "头"}, {"share", "份额"}});
    for (const CourseRun::Role& role : run.roles)
        table.add(say(role.name), {name_of(role.best), role.best.weight});
    if (run.rules.empty()) return;
    sheet.text(
        {"And what its text asks for: of each rule the head that looks most at what decides it "
         "(zhuyi probe), over all new questions.",
         "再看文本要求的：每条规则由哪个头看“依据”最多（zhuyi probe），在全部新组合上平均。"});
    Sheet::Table& rules = sheet.list("rules", {{"head", "头"}, {"weight", "依据权重"}});
    for (const CourseRun::Rule& rule : run.rules)
        rules.add(say(rule.name), {name_of(rule.best), rule.best.weight});
}

void pronoun_page(Sheet& sheet, const CourseRun& run) {
    const AttentionMaps maps = maps_of(run, "李华看见张明，他");
    const Index asker = maps.length() - 1;
    const CourseHead one = best_for(maps, asker, "张明"), other = best_for(maps, asker, "李华");
    sheet.text({"In this run 他 of 李华看见张明，他 gives 张明 at most %.3f (head %s) and 李华 at "
                "most %.3f "
                "(head %s). One sentence proves nothing about a head:",
                "在这个模型里，“李华看见张明，他”的“他”给“张明”的权重最多 %.3f（头 "
                "%s），给“李华”最多 %.3f（头 "
                "%s）。一句话说明不了一个头："},
               one.weight, name_of(one), other.weight, name_of(other));
    if (const auto* rule = run.rule("他/她/它"))
        sheet.text(
            {"over all new questions of the rule it is head %s, at the comma before the pronoun, "
             "with a mean weight of %.2f on those meant.",
             "在这条规则的全部新组合上，是头 %s，在代词前面的逗号上，对所指的人平均权重 %.2f。"},
            name_of(rule->best), rule->best.weight);
    else
        sheet.text({"a run with probes (make demo) measures it over many.",
                    "带测试句的训练（make demo）会在许多句子上量出来。"});
}

void two_meanings_page(Sheet& sheet, const CourseRun& run) {
    const auto ids = [&](const char* text) { return course_tokens(run, text); };
    const Sheet c = compare_sheet(run.model, ids("摘下一个苹果"), ids("一百股苹果"), -1);
    sheet.text({"苹果很好吃 and 苹果股价上涨 begin alike: at 苹果 no decoder can tell them apart. "
                "With the "
                "difference in front, x of 果 parts: cosine %.4f after the last block.",
                "“苹果很好吃”和“苹果股价上涨”开头一样：在“苹果”处，任何解码器都分不出来。把不同的部"
                "分放到前面，“果”"
                "的 x 就分开了：最后一层之后余弦 %.4f。"},
               c.table("stages").row(-1).number(0));
    Sheet::Table& table = sheet.list("next");
    const char* const names[] = {"摘下一个苹果", "一百股苹果"};
    for (int side : {0, 1})
        table.add(names[side], {c.table("predictions").row(side).words()});
    if (const auto* rule = run.rule("一词两义"))
        sheet.text(
            {"The head to look at: %s, with a mean weight of %.2f on what decides the meaning, "
             "over "
             "all new questions of the rule “one word, two meanings”.",
             "该看哪个头：头 %s，在规则“一词两义”的全部新组合上，它对决定意义的字平均权重 %.2f。"},
            name_of(rule->best), rule->best.weight);
}

void bank_page(Sheet& sheet, const CourseRun& run) {
    const AttentionMaps maps = maps_of(run, "我去银行取钱");
    const auto at = [&](const std::string& token) {
        return Index(std::ranges::find(maps.tokens, token) - maps.tokens.begin());
    };
    sheet.text(
        {"The course wants 取 → 钱 and 银行 → 取: a GPT cannot look ahead. Backwards, the head "
         "that gives most of each pair, in this run:",
         "课程里是“取 → 钱”“银行 → 取”：GPT 看不到后面。只看前面的字，这个模型里给得最多的头是："});
    Sheet::Table& table = sheet.list("bank", {{"head", "头"}, {"weight", "注意力权重"}});
    for (const auto& [asker, answer] : {std::pair("钱", "取"), std::pair("钱", "银行"),
                                        std::pair("行", "银"), std::pair("取", "我")}) {
        if (at(asker) == maps.length()) continue;
        const CourseHead head = best_for(maps, at(asker), answer);
        if (head.weight >= 0)
            table.add(std::string(asker) + " → " + answer, {name_of(head), head.weight});
    }
    if (const auto* previous = run.role("previous"))
        sheet.text(
            {"One sentence says little; over many texts head %s looks most at the character before "
             "(%.0f %%).",
             "一句话说明不了什么；在许多文本上，最常看前一个字的是头 %s（%.0f %%）。"},
            name_of(previous->best), 100 * previous->best.weight);
}

}  // namespace zhuyi
