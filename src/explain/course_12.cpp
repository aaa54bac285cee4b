// Chapter 12 of the course: joining the heads, W_O, and what training adjusts.
#include "base/format.h"
#include "explain/course.h"
#include "explain/course_counts.h"
#include "explain/course_pages.h"

namespace zhuyi {

namespace {

constexpr Lesson kChapter12[] = {
    {"12.2",
     {"The shape of A", "A 的形状"},
     {"[batch, heads, seq, d_head]: [4, 4, 16, 128], with 128 = 512 / 4. Think of slices of 16 "
      "× 128.",
      "[批次, 头, 序列, 每头维度]：[4, 4, 16, 128]，其中 128 = 512 / 4。可以想成一片片 16 × "
      "128。"},
     {"params configs/course.conf", "params configs/gpt2.conf"},
     {"the last table: every shape from ids to logits; GPT-2 has D = 64",
      "最后一张表：从 token 编号到 logits 的每个形状；GPT-2 的每头维度 D = 64"},
     {"4 texts × 4 heads, each a sheet of 16 rows and 128 columns",
      "4 段文本 × 4 个头，每个是一张 16 行 128 列的纸"}},
    {"12.3",
     {"Concatenating the heads", "拼接各头"},
     {"Each head looks in its own way; their outputs are put side by side into one row of 512.",
      "每个头有自己的看法；它们的输出并排放进一行 512 个数里。"},
     {"explain --example --heads 2", "attend {run} --text 小沈阳江西演唱会邀请了，",
      "report {run}"},
     {"[1,3,4] → [1,3,2,2] → [1,2,3,2] and back; the mean of the heads is only for looking at",
      "[1,3,4] → [1,3,2,2] → [1,2,3,2] 再拼回去；各头的平均只用来看"},
     {"columns of one row handed out to heads, and put side by side again",
      "一行的各列先分给各头，再并排放回"},
     [](Sheet& sheet, const CourseRun& run) {
         split_page(sheet, run);
         heads_cost_page(sheet, run);
         roles_page(sheet, run);
     }},
    {"12.4",
     {"W_O", "W_O"},
     {"The row of 512 times W_O (512 × 512) mixes what the heads found. Every block has its "
      "own W_Q, "
      "W_K, W_V, W_O.",
      "这一行 512 个数再乘 W_O（512 × 512），融合各头信息。每一层各有自己的 "
      "W_Q、W_K、W_V、W_O。"},
     {"params configs/course.conf --full",
      "explain {run} --text 张明喂小猫， {head 他/她/它} --sheets output"},
     {"output = Σ mix_h · W_O[h] + b_O, and the share of each head in it",
      "输出 = Σ mix_h · W_O[h] + b_O，以及每个头在其中的占比"},
     {"a row a head that adds up to the output; beside it norm and share",
      "每个头一行，相加得到输出；旁边是范数和占比"}},
    {"12.5",
     {"A row is 100 %", "每一行是 100 %"},
     {"After mask and softmax each row of a head's map adds up to 1: it shares out one look.",
      "经过掩码和 softmax，每个头的注意力图每行加起来是 1：一个字的注意力分给它看得到的字。"},
     {"attend {run} --text 张明喂小猫， {head 他/她/它} --color never"},
     {"percentages; the comma's row is where 他 will be decided",
      "百分比；逗号那一行决定接下来是不是“他”"},
     {"a triangle of percentages", "一个百分比的三角形"}},
    {"12.6",
     {"· V", "· V"},
     {"[16, 16] · [16, 128] = [16, 128]: each row becomes a weighted sum of the V it may see.",
      "[16, 16] · [16, 128] = [16, 128]：每一行变成它看得到的 V 的加权和。"},
     {"explain {run} --text 张明喂小猫， {head 他/她/它} --sheets mix"},
     {"one line a character: weight · V", "每个字一行：权重 · V"},
     {"rows times their weight, and their sum below a line", "各行乘上权重，横线下面是它们的和"}},
    {"12.7",
     {"The vector of 小", "“小”的词向量"},
     {"It begins as random numbers, and every training step moves it a little.",
      "它开始时是一串随机数，每个训练步都让它移动一点。"},
     {"watch {run} --token 小", "neighbors {run} 小 --step all", "watch {run} --token 小 --why",
      "step {run} --text 小沈阳 --token 小 --times 3 --on text"},
     {"distance from the start and cosine; which characters become its neighbours; which contexts "
      "pushed it; in the report (panel 词向量) its trail on the map",
      "与初始值的距离和余弦；哪些字成了它的近邻；哪些上下文推动了它；在报告的“词向量”一节，它在地图"
      "上走过的路"},
     {"a table of frames, a list of neighbours at each of them, a table of contexts",
      "逐帧的表、每一帧的近邻、各种上下文的表"},
     two_movements_page},
    {"12.8",
     {"Two things learn together", "两样东西一起学"},
     {"The table E and the matrices W are moved by the same step, from the same loss. To see "
      "what each "
      "is good for, freeze the other.",
      "词向量表 E 和各个矩阵 W，由同一个损失、在同一步里更新。想看各有什么用，就冻结另一个。"},
     {"step {run}",
      "compare configs/village.conf --vary freeze=none,embedding,attention --steps 10 --out "
      "{run}_freeze"},
     {"‖ΔE‖ of rows, ‖ΔW‖ / ‖W‖ of every matrix; three trainings in one table: loss, and the rules "
      "that "
      "each knows. Take --steps away for whole trainings (the README has them)",
      "各行的 ‖ΔE‖，各矩阵的 ‖ΔW‖ / ‖W‖；三次训练放在一张表里：损失，以及各懂得哪些规则。去掉 "
      "--steps 就训练到底（README 里有整套结果）"},
     {"rows that moved most, a table of matrices block by block, a table of three trainings",
      "移动最多的各行、各层各矩阵的表、三次训练的表"}},
    {"12.9",
     {"How many there are", "一共有多少参数"},
     {"12 blocks × 4 matrices × 512² = 12,582,912 in attention alone.",
      "12 层 × 4 个矩阵 × 512² = 12,582,912，这只是注意力的部分。"},
     {"params configs/course.conf", "params configs/course.conf --compare"},
     {"the sum by kind; the columns GPT-2 to GPT-3", "分类的合计；与 GPT-2、GPT-3 并排"},
     {"a table by kind with percentages", "按种类合计的表，带百分比"}},
};

}  // namespace

std::span<const Lesson> lessons_of_12() { return kChapter12; }

namespace {

std::vector<Erratum> errata_of_12_sizes() {
    const GptConfig gpt2 = gpt2_config(768, 12, 12), xl = gpt2_config(1600, 48, 25);
    return {
        {"E1",
         "12.2",
         {"GPT-2 with d_model 768 has 1.5 亿 weights", "d_model 是 768 的 GPT-2 有 1.5 亿个参数"},
         say({"%s. 15 亿 is GPT-2 XL with d_model 1600: %s",
              "%s（1.24 亿）。15 亿的是 GPT-2 XL，d_model 是 "
              "1600：%s"},
             grouped(weights_of(gpt2)), grouped(weights_of(xl)))},
        {"E2",
         "12.3",
         {"the last two dimensions of [4, 4, 16, 128] are joined",
          "拼接 [4, 4, 16, 128] 的最后"
          "两维"},
         {"three of them, and heads and positions change places first (zhuyi course 12.3). "
          "Reshaped without "
          "that, "
          "row 0 would be positions 0, 1, 2, 3 of head 0 side by side",
          "涉及三维，而且头和位置要先交换（zhuyi course 12.3）。不交换就改形状，第 0 行会变成头 0 "
          "的位置 "
          "0、1、2、3 并排"}},
        {"E3",
         "12.3",
         {"many heads cost more weights and more work", "头越多，参数越多，计算越多"},
         say({"4 · 512² = %s weights for 1, 4 or 8 heads, and Q·Kᵀ takes 16² · 512 = %s "
              "multiply-adds "
              "each time (zhuyi course 12.3)",
              "1、4、8 个头都是 4 · 512² = %s 个参数，Q·Kᵀ 都是 16² · 512 = %s 次乘加（zhuyi "
              "course 12.3）"},
             grouped(4 * 512 * 512), grouped(16 * 16 * 512))},
        {"E4",
         "12.4",
         {"the original paper has 12 blocks", "原论文有 12 层"},
         {"6 encoder layers and 6 decoder layers (d_model 512, 8 heads of 64). 12 blocks of one "
          "kind are "
          "GPT-1 and GPT-2 small; 512 with 4 heads of 128 is the course's own shape",
          "是 6 层编码器加 6 层解码器（d_model 512，8 个头 × 64 维）。12 个同样的层是 GPT-1 "
          "和最小的 GPT-2；"
          "512 维、4 个头 × 128 维是课程自己的形状"}},
    };
}

std::vector<Erratum> errata_of_12_counts() {
    const GptConfig course = course_config();
    const double matrices = 12.0 * 4 * 512 * 512, ffn = 12.0 * 2 * 512 * 2048;
    return {
        {"E5",
         "12.5",
         {"a 16 × 16 map whose first row is 0.2 0.1 0.05 … 0.01",
          "16 × 16 的图，第 1 行是 0.2 0.1 0.05 … 0.01"},
         {"in a GPT the first row is 1 0 0 … 0: it sees only itself, and above the diagonal all is "
          "0",
          "在 GPT 里，第 1 行是 1 0 0 … 0：它只看得到自己；对角线以上全是 0"}},
        {"E6",
         "12.5",
         {"sat → cat 30 %, on 20 %, mat 25 %", "sat → cat 30 %、on 20 %、mat 25 %"},
         say({"that is %d %%: the rest goes to The, sat and the. In a GPT on and mat get 0, they "
              "come "
              "later. And mat is the object of on, not of sat",
              "加起来是 %d %%，其余给 The、sat、the。在 GPT 里 on、mat 排在后面，只能是 0。而且 "
              "mat 是 on 的宾语，"
              "不是 sat 的"},
             30 + 20 + 25)},
        {"E7",
         "12.9",
         {"about 1260 万", "约 1260 万"},
         say({"%s = %.0f 万, %.1f %% of such a model of %s: W_1 and W_2 hold %s, %.1f %%",
              "%1$s，即 %2$.0f 万；占整个模型（%4$s 个参数）的 %3$.1f %%，而 W_1、W_2 有 %5$s "
              "个，占 %6$.1f %%"},
             grouped((long long)matrices), matrices / 1e4,
             100 * matrices / double(weights_of(course)), grouped(weights_of(course)),
             grouped((long long)ffn), 100 * ffn / double(weights_of(course)))},
        {"E8",
         "12.9",
         {"tens of thousands of loops make a file of 几千亿 weights",
          "循环几万次，最后得到几千亿个参数的文件"},
         {"steps change the values of the weights, never their number, which is fixed before step "
          "0",
          "训练步改变参数的值，不改变个数；个数在第 0 步之前就定了"}},
        {"E9",
         "12.9",
         {"GPT-2: 117M, 345M, 774M; LLaMA 7B, 70B", "GPT-2：117M、345M、774M；LLaMA：7B、70B"},
         say({"%s, %s, %s (117M and 345M are GPT-2's first, wrong counts, 774M the corrected one). "
              "LLaMA-7B %s; 70B is Llama 2, %s: LLaMA 1 ends at 65B",
              "%s、%s、%s（117M、345M 是 GPT-2 最初数错的，774M 是改正后的）。LLaMA-7B 是 %s；70B "
              "是 Llama 2，"
              "%s：LLaMA 1 最大是 65B"},
             grouped(weights_of(gpt2_config(768, 12, 12))),
             grouped(weights_of(gpt2_config(1024, 24, 16))),
             grouped(weights_of(gpt2_config(1280, 36, 20))), grouped(llamas().front().weights()),
             grouped(llamas().back().weights()))},
    };
}

}  // namespace

std::vector<Erratum> errata_of_12() {
    std::vector<Erratum> all = errata_of_12_sizes();
    const std::vector<Erratum> more = errata_of_12_counts();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace zhuyi
