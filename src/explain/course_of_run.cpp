// Half pages of the course with numbers of the run: its weights and what a text does in it.
#include <algorithm>
#include <cmath>

#include "attention/neighbors.h"
#include "base/format.h"
#include "explain/course_pages.h"
#include "explain/directions.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

// Numbers from -1 to 1 as shades, a character each.
std::string shades(std::span<const double> row) {
    static constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
    std::string text;
    for (const double x : row) text += kShades[std::clamp<Index>(Index((x + 1) / 2 * 5), 0, 4)];
    return text;
}

// Positions 0 to 11, up to 48 channels each.
void draw_positions(Sheet& sheet, const Grid& P) {
    double most = 1e-30;
    for (const double x : P.values) most = std::max(most, std::abs(x));
    for (Index t = 0; t < std::min<Index>(P.rows, 12); ++t) {
        Numbers row = P.row_copy(t);
        row.resize(std::min<std::size_t>(row.size(), 48));
        for (double& x : row) x /= most;
        sheet.formula(format("P[%2td]  ", t) + shades(row));
    }
}

Grid sines(Index channels) {  // Vaswani et al. 2017
    Grid P(12, channels);
    for (Index t = 0; t < P.rows; ++t)
        for (Index c = 0; c < channels; ++c) {
            const double angle =
                double(t) / std::pow(10000.0, double(c / 2 * 2) / double(channels));
            P.at(t, c) = c % 2 ? std::cos(angle) : std::sin(angle);
        }
    return P;
}

// A unit of an FFN, and where it fired most.
struct Firing {
    double activation = 0;
    std::string where;
};

std::string up_to(const WorkedText& text, Index t) {
    std::string words = t > 3 ? "…" : "";
    for (Index s = std::max<Index>(t - 3, 0); s < t; ++s) words += text.tokens[s];
    return words + "[" + text.tokens[t] + "]";
}

// (F, texts): of each unit of the last block its largest activation in each text.
std::vector<std::vector<Firing>> firings(const CourseRun& run) {
    static constexpr const char* kTexts[] = {"李华看见张明，他笑了",
                                             "小猫吃鱼",
                                             "小羊吃青草",
                                             "张明去银行取钱",
                                             "从树上摘下一个苹果",
                                             "苹果股价上涨",
                                             "小沈阳江西演唱会邀请了",
                                             "三个包子加一个包子是四个"};
    const GptConfig& config = run.model.model.config();
    std::vector<std::vector<Firing>> units(std::size_t(config.width()));
    for (const char* sentence : kTexts) {
        const std::vector<Token> ids = course_tokens(run, sentence);
        const WorkedText text(run.model, ids, {});
        WorkedPass pass;
        record(pass, run.model, ids);
        const Grid gelu = pass.values(block_name(config.layers - 1, "ffn.gelu"));
        for (Index unit = 0; unit < config.width(); ++unit) {
            Firing best;
            for (Index t = 0; t < text.length(); ++t)
                if (gelu.at(t, unit) > best.activation) best = {gelu.at(t, unit), up_to(text, t)};
            if (best.activation > 0) units[std::size_t(unit)].push_back(best);
        }
    }
    for (auto& unit : units)
        std::ranges::stable_sort(unit, std::ranges::greater(), &Firing::activation);
    return units;
}

std::string nearest_names(const CourseRun& run, std::span<const double> x, Index count) {
    std::string names;
    for (const Neighbour& n : nearest(x, run.model.parameters.tensor("embedding.token"),
                                      possible_neighbours(run.model.tokenizer), count))
        names += (names.empty() ? "" : " ") + run.model.tokenizer.name(n.token);
    return names;
}

}  // namespace

void positions_page(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model.model.config();
    const bool learned = config.position == Position::learned;
    if (learned)
        sheet.text({"P of this run: a row a position, a shade a number (dark: low, bright: high):",
                    "这个模型学到的 P：每行一个位置，每格一个数，越密越大："});
    else
        sheet.text(
            {"This run has no learned P. The sines and cosines of 2017 as a picture: a row a "
             "position, a shade a number; the left columns turn fast, the right ones slowly:",
             "这个模型没有学习得到的 P。下面是 2017 "
             "年论文里的正弦、余弦：每行一个位置，每格一个数，越密"
             "越大；左边的列变得快，右边的列变得慢："});
    draw_positions(sheet, learned ? Grid(run.model.model.positions()) : sines(48));
    const std::vector<Token> a = course_tokens(run, "猫鱼吃");
    const std::vector<Token> b = course_tokens(run, "鱼猫吃");
    const Sheet c = compare_sheet(run.model, a, b, Index(a.size()) - 1);
    const auto likeliest = [&](Index side) {  // of "羊 0.412  熊 0.203" the first
        const std::string& text = c.table("predictions").row(side).words();
        return text.substr(0, text.find(' '));
    };
    sheet.text(
        {"Two characters swapped: 吃 after 猫鱼 and after 鱼猫. Cosine of its last vectors %.4f, "
         "likeliest next %s and %s. Without positions both would be the same in block 0.",
         "交换两个字：“猫鱼”之后的“吃”和“鱼猫”之后的“吃”。最后向量的余弦 %.4f，概率最大的下一个 "
         "token 分别"
         "是“%s”和“%s”。没有位置编码，第 0 层里两者会完全一样。"},
        c.table("stages").row(-1).number(0), likeliest(0), likeliest(1));
}

void memory_page(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model.model.config();
    const auto units = firings(run);
    std::vector<Index> order;
    for (Index u = 0; u < config.width(); ++u) order.push_back(u);
    const auto strength = [&](Index u) {
        const auto& unit = units[std::size_t(u)];
        return unit.empty() ? 0 : unit[0].activation;
    };
    std::ranges::stable_sort(order, std::ranges::greater(), strength);
    sheet.text(
        {"The four units of the last FFN that fire most over eight sentences: where, and the "
         "tokens that their row of W_2 points to (Geva et al. 2021). Few mean one thing only.",
         "在八个句子里，最后一层 FFN 中激活最强的四个单元：在哪里激活，以及 W_2 里它那一行指向哪些 "
         "token（Geva 等，2021）。只管一件事的单元并不多。"});
    Sheet::Table& table =
        sheet.list("memory", {{"fires at", "在这里激活"},
                              {"also at", "也在这里"},
                              {"adds (nearest of E)", "加上的方向（E 里最近的）"}});
    const Grid W_2 = run.model.value(block_name(config.layers - 1, "ffn.W_2"));
    for (std::size_t i = 0; i < std::min<std::size_t>(4, order.size()); ++i) {
        const auto& unit = units[std::size_t(order[i])];
        const auto place = [&](std::size_t k) {
            return k < unit.size() ? unit[k].where + format(" %.2f", unit[k].activation) : "";
        };
        table.add(say({"unit %td", "单元 %td"}, order[i]),
                  {place(0), place(1), nearest_names(run, W_2.row(order[i]), 4)});
    }
}

void spectrum_page(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model.model.config();
    const Index D = config.head_size(), C = config.channels, layer = config.layers - 1;
    const Grid W_V = run.model.value(block_name(layer, "attention.W_V"));
    const Grid W_O = run.model.value(block_name(layer, "attention.W_O"));
    sheet.text(
        {"What a head takes and adds is one C × C matrix, W_V · W_O, but of rank d_k = %td: down "
         "to %td numbers (value down), and up to %td again (value up). Singular values, the "
         "largest first, of head 0 of block %td and of all its heads together:",
         "一个头取出并加上的东西，是一个 C × C 的矩阵 W_V · W_O，但秩只有 d_k = %td：先降到 %td "
         "个数"
         "（value down），再升回 %td 个（value up）。第 %td 层头 0 "
         "的奇异值，以及各头合起来的奇异值，从大"
         "到小："},
        D, D, C, layer);
    const auto product = [&](Index first, Index count) {
        Grid M(C, C);
        for (Index i = 0; i < C; ++i)
            for (Index k = first; k < first + count; ++k)
                for (Index j = 0; j < C; ++j) M.at(i, j) += W_V.at(i, k) * W_O.at(k, j);
        return M;
    };
    const Index places[] = {0, 1, D / 2, D - 1, D, C - 1};
    Labels names;
    for (const Index p : places) names.push_back(std::to_string(p + 1));
    Sheet::Table& table =
        sheet.matrix("spectrum", {"number of the singular value", "第几个奇异值"}, names);
    std::vector<Index> kept;
    for (const Index count : {D, C}) {
        const Grid M = product(0, count);
        const std::vector<Direction> all = directions(M, M);
        kept.push_back(std::ranges::count_if(
            all, [&](const Direction& d) { return d.size >= 1e-3 * all[0].size; }));
        Numbers row;
        for (const Index p : places)
            row.push_back(p < std::ssize(all) ? all[std::size_t(std::min(p, C - 1))].size : 0);
        table.add(count == D ? say({"one head", "一个头"}) : say({"all heads", "所有头"}), row);
    }
    sheet.text({"Not smaller than a thousandth of the largest: %td of one head, %td of all heads "
                "together. Two thin matrices, %s numbers, stand for one of %s.",
                "不小于最大奇异值千分之一的：一个头有 %td 个，所有头合起来有 %td 个。两个窄矩阵共 "
                "%s 个数，代替一个 "
                "%s 个数的大矩阵。"},
               kept[0], kept[1], grouped(2 * C * D), grouped(C * C));
}

void two_movements_page(Sheet& sheet, const CourseRun& run) {
    sheet.text(
        {"Two movements of one vector. By training: the row E[…] of the table, step by step, and "
         "it stays moved. By context: the copy x of it, layer by layer, for one text, and then "
         "forgotten.",
         "一个向量的两种移动。训练使它移动：表里的一行 "
         "E[…]，一步一步地变，变了就留下。上下文使它移动：取出"
         "的那份 x，一层一层地变，只对这段文字，算完就忘。"});
    for (const CourseRun::Way& way : run.ways) {
        Sheet::Table& table =
            sheet.list("by_training",
                       {{"from start", "离初始值"}, {"cosine", "余弦"}, {"nearest", "最近的字"}});
        table.caption = say({"By training: E[%s]", "训练：E[%s]"}, way.token);
        for (const CourseRun::Place& p : way.places)
            table.add(say({"step %td", "第 %td 步"}, p.step), {p.from_start, p.cosine, p.nearest});
    }
    const std::string text = "小沈阳";
    const std::vector<Token> ids = course_tokens(run, text);
    const Reading r = read(run.model, ids, {0, 0, -1});
    Sheet forward;
    write_forward(forward, r);
    Sheet::Table& table =
        sheet.list("by_context", {{"‖Δx‖", "‖Δx‖"}, {"cosine", "余弦"}, {"nearest", "最近的字"}});
    table.caption =
        say({"By context: x of %s in %s", "上下文：“%2$s”里“%1$s”的 x"}, r.query_token(), text);
    for (const Sheet::Row& move : forward.table("stack", "moves").rows) {
        const std::string& nearest = move.words(4);  // "江 0.93  小 0.41"
        table.add(move.label,
                  {move.number(0), move.number(2), nearest.substr(0, nearest.find("  "))});
    }
}

void growth_page(Sheet& sheet, const CourseRun& run) {
    Sheet forward;
    write_forward(forward, read(run.model, course_tokens(run, "猫吃鱼"), {0, 0, -1}));
    const Numbers x = forward.table("embedding").row(-1).numbers();
    std::string lengths = format("%.2f", length(x));
    for (const double after : forward.table("stack", "moves").column(1))
        lengths += " → " + format("%.2f", after);
    sheet.text(
        {"‖x‖ here, after the embedding and after each branch: %s. Post-LN would bring it back to "
         "about √C = %.1f each time (with γ = 1).",
         "这里的 ‖x‖，从词向量起，每个分支之后：%s。post-LN 每次都会把它缩回约 √C = %.1f（γ = 1 "
         "时）。"},
        lengths, std::sqrt(double(x.size())));
}

}  // namespace zhuyi
