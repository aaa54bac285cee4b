#include "interop/model_card.h"

#include "base/format.h"
#include "base/hash.h"
#include "model/gpt.h"
#include "system/printable.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

std::string text_of(const ModelCard& card) {
    if (card.text.empty()) return "(not known)";
    std::string text = "`" + printable(card.text) + "`";
    if (card.characters > 0)
        text += format(", %s documents, %s characters", grouped(card.documents).c_str(),
                       grouped(card.characters).c_str());
    return text;
}

std::string row(const char* name, const std::string& value) {
    return std::string("| ") + name + " | " + value + " |\n";
}

std::string table_of_facts(const ModelCard& card, const LoadedModel& model) {
    const GptConfig& c = model.model->config();
    const bool byte_pairs = dynamic_cast<const BytePairTokenizer*>(model.tokenizer.get());
    std::string text = "| | |\n| --- | --- |\n";
    text += row("trained on / 训练文本", text_of(card));
    text += row("parameters / 参数", grouped(count(model.parameters->table())));
    text += row("shape / 结构",
                format("%td blocks, %td heads, %td channels, FFN %td, position %s", c.layers,
                       c.heads, c.channels, c.width(), encoding_of(c.position).name));
    text += row("context / 上下文长度", format("%td tokens", c.context));
    text += row("tokens / 词表", format("%td, %s", c.vocabulary,
                                        byte_pairs ? "byte pairs" : "characters and bytes"));
    text += row("step / 步数", std::to_string(card.step));
    if (card.loss)
        text += row("validation loss / 验证损失", format("%.4f nats per token", *card.loss));
    text += row("fingerprint / 指纹", hash_text(card.fingerprint));
    return text;
}

}  // namespace

std::string description_of(const ModelCard& card) {
    return "a small GPT, trained with zhuyi on " +
           (card.text.empty() ? std::string("a text of one person") : printable(card.text)) +
           format("; a base model that goes on with a text; step %td, fingerprint %s", card.step,
                  hash_text(card.fingerprint).c_str());
}

std::string card_of(const ModelCard& card, const LoadedModel& model) {
    const Index context = model.model->config().context;
    std::string text = "---\nlibrary_name: transformers\npipeline_tag: text-generation\n";
    if (!card.license.empty()) text += "license: " + printable(card.license) + "\n";
    text += "tags:\n- zhuyi\n---\n\n# " + printable(card.name) + "\n\n";
    text +=
        "A small GPT, trained with zhuyi. It goes on with a text; it answers no questions.\n\n"
        "用 zhuyi 训练的小 GPT。它只会续写，不会回答问题。\n\n";
    text += table_of_facts(card, model);
    text +=
        "\n## How to run it / 怎样运行\n\n```python\nfrom transformers import pipeline\n\n"
        "write = pipeline(\"text-generation\", \".\")  # this folder / 这个目录\n"
        "print(write(\"小猫\")[0][\"generated_text\"])\n```\n\n";
    text += "## Limits / 局限\n\n";
    text += format(
        "- It reads at most %td tokens; beyond them there are no positions. / 最多读 %td 个 "
        "token，再长就没有位置了。\n",
        context, context);
    text +=
        "- It knows its training text and nothing else, and may repeat parts of it word for word. "
        "/ 它只见过训练文本，可能逐字重复其中的内容。\n"
        "- What it writes is not checked by anybody. / 它写的内容没有人核对过。\n";
    return text;
}

std::string modelfile(const std::string& file, const LoadedModel& model) {
    return std::string(kModelfileMark) +
           " A base model: the prompt goes in as it is, and is gone on with.\n" + "FROM ./" + file +
           "\nTEMPLATE \"\"\"{{ .Prompt }}\"\"\"\n" +
           format("PARAMETER num_ctx %td\n", model.model->config().context) + "PARAMETER stop \"" +
           std::string(kEndOfTextName) + "\"\n";
}

}  // namespace zhuyi
