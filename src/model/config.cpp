#include "model/config.h"

#include <algorithm>

#include "base/check.h"
#include "base/math.h"
#include "system/options.h"

namespace zhuyi {
// In the order of Position.
constexpr PositionEncoding kEncodings[] = {
    {"none",
     false,
     false,
     {"nothing says where a token stands", "没有位置编码"},
     {"Nothing says where it stands: block 0 sees which characters came before, but not their "
      "order.",
      "没有什么说明它在哪里：第 0 层只看到前面有哪些字，看不到它们的顺序。"}},
    {"learned", true, true, {"", ""}, {"", ""}},
    {"sinusoidal",
     true,
     false,
     {"sines and cosines, not learned", "正弦、余弦，没有参数"},
     {"", ""}},
    {"rotary",
     false,
     false,
     {"q and k are turned, not learned", "旋转 q 和 k，没有参数"},
     {"Nothing is added for the position; it comes in where queries meet keys.",
      "这里不加位置；位置在查询与键相遇时才起作用。"}},
};
static_assert(std::size(kEncodings) == kPositions.size());

const PositionEncoding& encoding_of(Position position) { return kEncodings[std::size_t(position)]; }

std::vector<Real> sinusoids(Index T, Index C) {
    std::vector<Real> table(std::size_t(T * C));
    for (Index c = 0; c < C; ++c) {
        const double wave = math::power(10000, double(c / 2 * 2) / double(C));
        for (Index t = 0; t < T; ++t) {
            const double turns = double(t) / wave / 6.283185307179586;
            table[std::size_t(t * C + c)] =
                Real(c % 2 ? math::cos_turns(turns) : math::sin_turns(turns));
        }
    }
    return table;
}

void declare_position(Options& options, Position& position) {
    std::vector<std::pair<const char*, Position>> words;
    for (const Position p : kPositions) words.emplace_back(encoding_of(p).name, p);
    options.choice<Position>(
        "position", position, words,
        {"how the model knows where a token stands: by a learned table, by fixed sines and "
         "cosines, or by turning queries and keys (RoPE); none: it does not know",
         "位置编码：学习得到的表，固定的正弦、余弦，或按位置旋转查询和键（RoPE）；none：没有位置编"
         "码"});
}

void declare(Options& options, GptConfig& c) {
    options.group({"model", "模型"});
    options.add(
        "context", c.context, "tokens",
        {"how many tokens back a prediction can look; the cost of attention grows with its square",
         "上下文长度：最多看前面多少个 token；注意力的开销随它的平方增长"},
        1, 1 << 20);
    options.add("channels", c.channels, "",
                {"length of an embedding (d_model)", "嵌入维度 d_model"}, 1, 1 << 20);
    options.add("heads", c.heads, "",
                {"attention heads in a block; channels must be a multiple of it",
                 "每层的注意力头数，须整除 channels"},
                1, 1 << 16);
    options.add(
        "layers", c.layers, "blocks",
        {"blocks, each with its own W_Q, W_K, W_V, W_O", "层数，每层各有一套 W_Q、W_K、W_V、W_O"},
        1, 1 << 16);
    options.add("ffn", c.ffn, "",
                {"width of the FFN; 0: four times as wide as channels",
                 "FFN 中间维度；0 表示 channels 的四倍"});
    options.add("vocabulary", c.vocabulary, "tokens",
                {"tokens the model knows; 0: from the text (a number is for params and bench)",
                 "词表大小；0 表示由文本决定（写数字只用于 params 和 bench）"},
                0, 1 << 30);
    declare_position(options, c.position);
    options.add("tied", c.tied,
                {"the output layer uses the table of the embedding; =no: it has a table of its own",
                 "输出层与词向量共用一张表；=no：不共用，输出层另有一张表"});
    options.add("dropout", c.dropout, "",
                {"share of each branch's output that is set to zero in training",
                 "随机失活：训练时每个分支的输出被置零的比例"},
                0, 0.99);
    options.add("embedding_dropout", c.embedding_dropout, "",
                {"share of the embeddings that is set to zero in training, before the first block",
                 "随机失活：训练时进入第一层之前的词向量被置零的比例"},
                0, 0.99);
    options.choice<Activation>("activation", c.activation,
                               {{"gelu_new", Activation::gelu_new}, {"gelu", Activation::gelu}},
                               {"the function between the two matrices of an FFN: GELU computed by "
                                "tanh, as in GPT-2, or by erf (exact)",
                                "FFN 的激活函数：GELU 的 tanh 近似（GPT-2），或精确的 erf 形式"});
}

[[noreturn]] static void refuse_heads(const GptConfig& c) {
    const bool pairs = c.position == Position::rotary;  // of channels, which turn
    const auto fits = [&](Index heads) {
        return c.channels % heads == 0 && (!pairs || c.channels / heads % 2 == 0);
    };
    Index below = std::min(c.heads, c.channels), above = c.heads;
    while (below > 1 && !fits(below)) --below;
    while (above <= c.channels && !fits(above)) ++above;
    const std::string other = above <= c.channels
                                  ? say({" or --heads=%td", " 或 --heads=%td"}, above)
                                  : std::string();  // nothing above divides them
    fail_usage(
        {"heads = %td does not divide channels = %td: each head owns channels/heads of them. "
         "Try --heads=%td%s.",
         "heads = %td 不能整除 channels = %td：每个头占 channels/heads 维。请改用 --heads=%td%s。"},
        c.heads, c.channels, below, other);
}

void check(const GptConfig& c) {
    if (c.channels % c.heads) refuse_heads(c);
    if (c.position == Position::rotary && c.head_size() % 2)
        fail_usage(
            {"position = rotary turns pairs of channels, but channels/heads = %td/%td = %td is "
             "odd. Try --channels=%td or --position=learned.",
             "position = rotary 把每个头的维度两两配对来旋转，而 channels/heads = %td/%td = %td "
             "是奇数。请改用 --channels=%td 或 --position=learned。"},
            c.channels, c.heads, c.head_size(), c.channels + c.heads);
}

}  // namespace zhuyi
