#include "run/post_mortem_text.h"

#include <algorithm>

#include "system/printable.h"
#include "system/terminal.h"
#include "text/encoding.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/post_mortem.h"

namespace zhuyi {
namespace {

Words words_of(Culprit::Kind kind) {
    switch (kind) {
        case Culprit::Kind::weights:
            return {"a weight", "一个权重"};
        case Culprit::Kind::activation:
            return {"on the way forward", "前向传播"};
        case Culprit::Kind::gradient:
            return {"its gradient, on the way back", "它的梯度，反向传播"};
        case Culprit::Kind::weight_gradient:
            return {"a weight's gradient, on the way back", "一个权重的梯度，反向传播"};
    }
    return {};
}

// "block.1.ffn.gelu" -> "1", or ""
std::string block_of(const std::string& tensor) {
    constexpr std::string_view kBlock = "block.";
    if (!tensor.starts_with(kBlock)) return "";
    return tensor.substr(kBlock.size(), tensor.find('.', kBlock.size()) - kBlock.size());
}

std::string where(const Culprit& c) {
    std::string text = c.tensor + " " + c.shape.text();
    if (const std::string block = block_of(c.tensor); !block.empty())
        text += say({", block %s", "，第 %s 层"}, block);
    if (!c.op.empty()) text += say({", op %s", "，运算 %s"}, c.op);
    return text + say({" (%s)", "（%s）"}, words_of(c.kind));
}

std::string which_element(const Culprit& c, const Tokenizer& tokenizer) {
    const Index columns = c.shape.columns();
    const std::string text = say({"%g, row %td, column %td", "%g，第 %td 行第 %td 列"}, c.value,
                                 c.element / columns, c.element % columns);
    if (!c.token) return text;
    const std::string token = printable(tokenizer.name(*c.token));
    if (c.tensor == "embedding.token") return text + say({": token %s", "：token %s"}, token);
    return text + say({": text %td, position %td, token %s", "：第 %td 段，位置 %td，token %s"},
                      c.text, c.position, token);
}

std::string what_to_try(const PostMortem& found, const TrainConfig& config) {
    if (!found.culprit)
        return say(
            {"made again, every number was finite: memory or processor may be failing. Go "
             "on with --resume",
             "重算一遍，所有的数都正常：可能是内存或处理器出错。用 --resume 继续"});
    return say({"--learning-rate=%.1g --warmup=%td%s; one at a time",
                "--learning-rate=%.1g --warmup=%td%s；一次只试一项"},
               config.learning_rate / 3, std::max<Index>(100, 2 * config.warmup),
               config.clip == 0 || config.clip > 1 ? " --clip=1" : "");
}

}  // namespace

std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run) {
    std::string text =
        say({"Step %td made numbers that are infinite or no numbers (nan); the weights were "
             "not changed.",
             "第 %td 步出现了 nan 或无穷大；权重没有更新。"},
            found.step.step);
    const auto add = [&](Words name, const std::string& line) {
        text += "\n  " + fit_left(say(name), 16) + " " + line;
    };
    if (found.step.tokens > 0)
        add({"loss", "损失"},
            say({"%g, gradient norm %g, learning rate %g, clip %g",
                 "%g，梯度范数 %g，学习率 %g，梯度裁剪 %g"},
                found.step.loss, found.step.gradient_norm, found.step.learning_rate, config.clip));
    if (const auto& c = found.culprit) {
        add({"first bad tensor", "最先出错的张量"}, where(*c));
        add({"number", "出错的元素"}, which_element(*c, tokenizer));
        if (!c->before.empty())
            add({"before it", "在它之前"},
                say({"all was well; the largest number of the tensor before, %s, is %g",
                     "一切正常；上一个张量 %s 里最大的数是 %g"},
                    c->before, c->largest));
    }
    add({"to try", "可以试"}, what_to_try(found, config));
    if (found.kept >= 0)
        add({"kept", "保存完好"},
            say({"the checkpoint of step %td is good: %s/last.safetensors; a new run from its best "
                 "weights: zhuyi train … --from %s",
                 "第 %td 步的检查点：%s/last.safetensors；用验证损失最低时的权重重新开始："
                 "zhuyi train … --from %s"},
                found.kept, printable(run), shell_word(run)));
    return text;
}

}  // namespace zhuyi
