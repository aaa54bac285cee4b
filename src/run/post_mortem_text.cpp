#include "run/post_mortem_text.h"

#include <algorithm>

#include "base/format.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/encoding.h"

namespace zhuyi {
namespace {

Words kind_words(Culprit::Kind kind) {
    switch (kind) {
        case Culprit::Kind::weights:
            return {"a weight", "一个权重"};
        case Culprit::Kind::activation:
            return {"on the way forward", "前向"};
        case Culprit::Kind::gradient:
            return {"its gradient, on the way back", "它的梯度，反向"};
        case Culprit::Kind::weight_gradient:
            return {"a weight's gradient, on the way back", "一个权重的梯度，反向"};
    }
    return {};
}

// "block.1.ffn.gelu" -> "1", or ""
std::string block_of(const std::string& tensor) {
    constexpr std::string_view kBlock = "block.";
    if (!tensor.starts_with(kBlock)) return "";
    return tensor.substr(kBlock.size(), tensor.find('.', kBlock.size()) - kBlock.size());
}

std::string where(const Culprit& c, bool zh) {
    std::string text = c.tensor + " " + c.shape.text();
    if (const std::string block = block_of(c.tensor); !block.empty())
        text += (zh ? "，第 " : ", block ") + block + (zh ? " 块" : "");
    if (!c.op.empty()) text += (zh ? "，运算 " : ", op ") + c.op;
    return text + (zh ? "（" : " (") +
           kind_words(c.kind).in(zh ? Language::chinese : Language::english) + (zh ? "）" : ")");
}

std::string which_number(const Culprit& c, const Tokenizer& tokenizer, bool zh) {
    const Index columns = c.shape.columns();
    std::string text = format(zh ? "%g，第 %td 行第 %td 列" : "%g, row %td, column %td", c.value,
                              c.element / columns, c.element % columns);
    if (!c.token) return text;
    const std::string token = printable(tokenizer.name(*c.token));
    if (c.tensor == "embedding.token")
        return text + format(zh ? "：词元 %s" : ": token %s", token.c_str());
    return text + format(zh ? "：第 %td 段第 %td 个词元 %s" : ": text %td, position %td, token %s",
                         c.text, c.position, token.c_str());
}

std::string what_to_try(const PostMortem& found, const TrainConfig& config, bool zh) {
    if (!found.culprit)
        return zh ? "重算一遍，所有的数都正常：可能是内存或处理器出错。用 --resume 继续"
                  : "made again, every number was finite: memory or processor may be failing. Go "
                    "on with --resume";
    std::string text = format("--learning-rate=%.1g", config.learning_rate / 3) +
                       " --warmup=" + std::to_string(std::max<Index>(100, 2 * config.warmup));
    if (config.clip == 0 || config.clip > 1) text += " --clip=1";
    return text + (zh ? "；先一个一个试" : "; one at a time");
}

}  // namespace

std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run,
                             Language language) {
    const bool zh = language == Language::chinese;
    std::string text =
        format(zh ? "第 %td 步的数坏了；权重没有更新。"
                  : "The numbers of step %td have gone bad; the weights were not touched.",
               found.step.step);
    const auto add = [&](Words name, const std::string& line) {
        text += "\n  " + fit_left(name.in(language), 16) + " " + line;
    };
    if (found.step.tokens > 0)
        add({"loss", "损失"}, format(zh ? "%g，梯度长度 %g，学习率 %g，裁剪 %g"
                                        : "%g, the gradient's length %g, learning rate %g, clip %g",
                                     found.step.loss, found.step.gradient_norm,
                                     found.step.learning_rate, config.clip));
    if (const auto& c = found.culprit) {
        add({"first bad tensor", "最先坏的张量"}, where(*c, zh));
        add({"number", "哪一个数"}, which_number(*c, tokenizer, zh));
        if (!c->before.empty())
            add({"before it", "在它之前"},
                format(zh ? "一切正常；上一个张量 %s 里最大的数是 %g"
                          : "all was well; the largest number of the tensor before, %s, is %g",
                       c->before.c_str(), c->largest));
    }
    add({"to try", "可以试"}, what_to_try(found, config, zh));
    if (found.kept >= 0)
        add({"kept", "还在"},
            format(zh ? "第 %td 步的检查点是好的：%s/last.safetensors；从它最好的权重重新开始："
                        "zhuyi train … --from %s"
                      : "the checkpoint of step %td is good: %s/last.safetensors; a new run from "
                        "its best "
                        "weights: zhuyi train … --from %s",
                   found.kept, run.c_str(), shell_word(run).c_str()));
    return text;
}

}  // namespace zhuyi
