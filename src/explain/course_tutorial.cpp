// The tutorial 猫 吃 鱼, and the essay.
#include "base/format.h"
#include "base/grid.h"
#include "base/math.h"
#include "explain/course.h"
#include "explain/course_pages.h"
#include "explain/examples.h"

namespace zhuyi {

namespace {

constexpr Lesson kTutorial[] = {
    {"tutorial.1",
     {"Q, K, V as a library", "把 Q、K、V 看作图书馆"},
     {"Books are V, index cards K, the request Q. I love AI: X is 3 × 4, W_Q 4 × 3.",
      "书是 V，索引卡是 K，借书单是 Q。I love AI：X 是 3 × 4，W_Q 是 4 × 3。"},
     {"explain --example query"},
     {"Q1 = 0.38 0.48 0.58", "Q1 = 0.38 0.48 0.58"},
     {"three sums of four products", "三个和，每个是四个乘积"}},
    {"tutorial.2",
     {"S → softmax → A", "S → softmax → A"},
     {"Each row of scores becomes a row of shares.", "每一行分数变成一行比例。"},
     {"explain --example --sheets softmax"},
     {"the same step for 猫 吃 鱼; and here for the tutorial's S:",
      "“猫 吃 鱼”的同一步；教程里的 S 在这里算："},
     {"a 3 × 3 square of exponentials, one of shares", "一个 3 × 3 的指数方阵，一个比例方阵"},
     three_scores_page},
    {"tutorial.3",
     {"Who is meant by it, by 他", "it 指谁，“他”指谁"},
     {"it → cat, 他 → the person meant: what a head may learn, and what must be measured.",
      "it → cat，“他” → 所指的人：头可以学会，但要量过才算数。"},
     {"attend {run} --text 李华看见张明，他笑了 {head 他/她/它}", "probe {run}"},
     {"the row of the comma before 他, and the row of 他", "“他”前面的逗号那一行，和“他”那一行"},
     {"a triangle; in the comma's row, if the head has learned it, the name stands out",
      "一个三角形；如果这个头学会了，逗号那一行里人名最亮"},
     pronoun_page},
    {"tutorial.4",
     {"One word, two meanings", "一词两义"},
     {"苹果很好吃 and 苹果股价上涨: context decides, but only context in front.",
      "“苹果很好吃”与“苹果股价上涨”：意思由上下文决定，但只有前面的上文才算。"},
     {"explain {run} --text 苹果很好吃 --compare 苹果股价上涨",
      "explain {run} --text 摘下一个苹果 --compare 一百股苹果"},
     {"first: nothing can differ, and why; then: where the two vectors part",
      "第一个：不可能有差别，以及原因；第二个：两个向量在哪里分开"},
     {"twice the same predictions, then twice different vectors",
      "先是两行相同的预测，再是两个不同的向量"},
     two_meanings_page},
    {"tutorial.5",
     {"By hand", "手算一遍"},
     {"猫 吃 鱼 with 4 × 2 matrices, from X to the output. The printed table forgets ÷√2 and "
      "slips on "
      "the way; its own program does not.",
      "“猫 吃 鱼”，矩阵 4 × 2，从 X 算到输出。印出来的表忘了 "
      "÷√2，途中还算错；它自己的程序没有错。"},
     {"explain --example", "explain --example --printed"},
     {"--printed: each printed number beside the right one, and where the road was left",
      "--printed：印的数与对的数逐个对照，看从哪里走错"},
     {"six tables with three columns: printed, from the printed before, right",
      "六张表，各三栏：印的、由印的前几步算出、正确"}},
    {"tutorial.6",
     {"Heads of 我去银行取钱", "“我去银行取钱”的各个头"},
     {"One head may tie 取 to 钱, another 银行 to 取. nn.MultiheadAttention(4, 2): [1, 3, 4] → "
      "[1, 3, 4].",
      "一个头可以把“取”和“钱”连起来，另一个把“银行”和“取”连起来。nn.MultiheadAttention(4, "
      "2)：[1, 3, 4] → "
      "[1, 3, 4]。"},
     {"attend {run} --text 我去银行取钱", "explain --example --heads 2",
      "attend {run} --text 我去银行取钱 {head 一词两义}"},
     {"only backwards; the mean over heads that PyTorch returns is the example's last sheet",
      "只能看前面的字；PyTorch 返回的各头平均，就是例子的最后一张表"},
     {"triangles only: nothing above the diagonal", "都是三角形：对角线以上什么也没有"},
     bank_page},
    {"essay.1",
     {"Why Q, K and V", "为什么要 Q、K、V"},
     {"Plain x_i · x_j is fixed and the same for all relations. Q asks, K describes, V "
      "carries; every "
      "head has a space of its own, and the matrices can be learnt.",
      "直接用 x_i · x_j，关系是固定的，而且只有一种。Q 提问，K 描述，V "
      "传递；每个头有自己的空间，矩阵可以学习。"},
     {"explain {run} --text 他吃了一个苹果 --sheets similarity"},
     {"X · Xᵀ is symmetric, Q · Kᵀ is not", "X · Xᵀ 对称，Q · Kᵀ 不对称"},
     {"two squares, one symmetric", "两个方阵，一个对称"}},
    {"essay.2",
     {"Why softmax", "为什么要 softmax"},
     {"Shares that add up to 1, the strong made stronger, the range under control.",
      "变成加起来为 1 的比例，强的更强，范围受控。"},
     {"explain --example softmax"},
     {"how strong depends on the differences of the scores alone", "强多少，只由分数之差决定"},
     {"shares that lean further the further apart the scores are", "分数相差越大，比例越悬殊"}},
};

}  // namespace

std::span<const Lesson> lessons_of_tutorial() { return kTutorial; }

namespace {

std::string row_of(const Grid& x, Index r, int decimals) {
    std::string text;
    for (const double v : x.row(r)) text += (text.empty() ? "" : " ") + format("%.*f", decimals, v);
    return text;
}
std::string rows_text(const Grid& x, int decimals) {
    std::string text;
    for (Index r = 0; r < x.rows; ++r) text += (r ? " / " : "") + row_of(x, r, decimals);
    return text;
}

std::string softmax_of_S() {
    const Grid S(3, 3, {1, 0.5, 0.1, 0.2, 2, 0.3, 0.1, 0.4, 0.8});
    Grid A(3, 3);
    for (Index r = 0; r < 3; ++r) {
        const Numbers p = softmax(S.row(r));
        for (Index c = 0; c < 3; ++c) A.at(r, c) = p[std::size_t(c)];
    }
    return rows_text(A, 2);
}

std::vector<Erratum> errata_of_examples() {
    return {
        {"E19",
         "tutorial.2",
         {"A = .57 .29 .14 / .12 .73 .15 / .18 .27 .55",
          "A = .57 .29 .14 / .12 .73 .15 / .18 .27 .55"},
         say({"%s; no single scaling gives the printed rows", "%s；用哪一种缩放都得不到印的三行"},
             softmax_of_S())},
        {"E20",
         "tutorial.3",
         {"Z_it has 0.90 · V_cat as its sixth term", "Z_it 的第六项是 0.90 · V_cat"},
         {"its place is because's (cat already has 0.01), and it itself is missing; the sum 1.00 "
          "is right. "
          "In a GPT was and hungry get 0: they come later",
          "那是 because 的位置（cat 已经有 0.01），而 it 自己不见了；总和 1.00 是对的。在 GPT 里 "
          "was、hungry 在后"
          "面，只能是 0"}}};
}

}  // namespace

std::vector<Erratum> errata_of_tutorial() {
    const Sheet e = example_sheet(1, Mask::none);
    const auto table = [&](const char* section, const char* key) {
        return e.table(section, key).grid();
    };
    const Grid products = table("scores", "products"), weights = table("softmax", "weights");
    Grid unscaled(3, 3);
    for (Index r = 0; r < 3; ++r) {
        const Numbers p = softmax(products.row(r));
        for (Index c = 0; c < 3; ++c) unscaled.at(r, c) = p[std::size_t(c)];
    }
    std::vector<Erratum> all = errata_of_examples();
    const Erratum by_hand[] = {
        {"E21",
         "tutorial.5",
         {"Q[吃] = .58 .90, Q[鱼] = .72 .65, and all of K and V",
          "Q[吃] = .58 .90，Q[鱼] = .72 .65，以及 K、V 的全部"},
         say({"Q = %s; K = %s; V = %s: its own program prints these",
              "Q = %s；K = %s；V = %s：它自己的程序印的就是这些"},
             rows_text(table("projections", "Q"), 2), rows_text(table("projections", "K"), 2),
             rows_text(table("projections", "V"), 2))},
        {"E22",
         "tutorial.5",
         {"scores of 吃 and 鱼 .572 .869 .753 / .533 .767 .763",
          "吃、鱼的分数 .572 .869 .753 / .533 .767 .763"},
         say({"not even from its own Q and K (.690 .929 .772 / .594 .822 .763); right: %s",
              "用它自己的 Q、K 也算不出（应是 .690 .929 .772 / .594 .822 .763）；正确的是 %s"},
             rows_text(products, 3))},
        {"E23",
         "tutorial.5",
         {"e^0.634 = 1.886; rows .246 .422 .332 / .276 .354 .370",
          "e^0.634 = 1.886；后两行 .246 .422 .332 / .276 .354 .370"},
         say({"e^0.634 = %.3f; from its own scores .282 .380 .338 / .284 .359 .357",
              "e^0.634 = %.3f；用它自己的分数应是 .282 .380 .338 / .284 .359 .357"},
             math::exp(0.634))},
        {"E24",
         "tutorial.5",
         {"weights of 猫 .298 .356 .346; 吃 looks at itself 42.2 %, 鱼 37.0 %",
          "猫的权重 .298 .356 .346；吃看自己 42.2 %，鱼看自己 37.0 %"},
         say({"÷√2 is left out in steps 6.3 to 6.5. Unscaled %s, scaled %s. So 猫 and 吃 look most "
              "at 鱼, 吃 "
              "at itself %.1f %%, 鱼 at itself %.1f %%",
              "6.3 到 6.5 都漏了 ÷√2。不缩放是 %s，缩放后是 %s。所以猫和吃看得最多的是鱼，吃看自己 "
              "%.1f %%，鱼看自己 "
              "%.1f %%"},
             row_of(unscaled, 0, 3), row_of(weights, 0, 4), 100 * weights.at(1, 1),
             100 * weights.at(2, 2))},
        {"E25",
         "tutorial.5",
         {"output .512 .443 / .527 .422 / .519 .468", "输出 .512 .443 / .527 .422 / .519 .468"},
         say({"%s", "%s"}, rows_text(table("mix", "mix"), 4))},
    };
    all.insert(all.end(), std::begin(by_hand), std::end(by_hand));
    return all;
}

}  // namespace zhuyi
