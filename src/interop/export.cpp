#include "interop/export.h"

#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "formats/safetensors.h"
#include "interop/foreign.h"
#include "interop/hugging_face.h"
#include "model/gpt.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

static std::string training_text(const ModelCard& card) {
    if (card.text.empty()) return "(not known)";
    std::string text = "`" + printable(card.text) + "`";
    if (card.characters > 0)
        text += format(", %s documents, %s characters", grouped(card.documents).c_str(),
                       grouped(card.characters).c_str());
    return text;
}

static std::string row(const char* name, const std::string& value) {
    return std::string("| ") + name + " | " + value + " |\n";
}

static std::string table_of_facts(const ModelCard& card, const LoadedModel& model) {
    const GptConfig& c = model.model->config();
    const bool byte_pairs = dynamic_cast<const BytePairTokenizer*>(model.tokenizer.get());
    std::string text = "| | |\n| --- | --- |\n";
    text += row("trained on / 训练文本", training_text(card));
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

// file: the name of the gguf file beside it.
static std::string modelfile(const std::string& file, const LoadedModel& model) {
    return std::string(kModelfileMark) +
           " A base model: the prompt goes in as it is, and is gone on with.\n" + "FROM ./" + file +
           "\nTEMPLATE \"\"\"{{ .Prompt }}\"\"\"\n" +
           format("PARAMETER num_ctx %td\n", model.model->config().context) + "PARAMETER stop \"" +
           std::string(kEndOfTextName) + "\"\n";
}

constexpr std::string_view kBlock = "\u2581";  // llama.cpp's space

static bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

Texts texts_to_compare(const Corpus& corpus) {
    Texts texts;
    for (const Piece& piece : corpus.pieces(Part::validation))
        if (!holds(piece.text, kBlock) && !holds(piece.text, kEndOfTextName))
            texts.push_back(piece.text);
    return texts;
}

std::string warning_about(const Corpus& corpus, bool for_llama_cpp) {
    bool block = false, name = false;
    for (const std::string_view document : corpus.documents()) {
        block = block || holds(document, kBlock);
        name = name || holds(document, kEndOfTextName);
    }
    std::string warning;
    if (block && for_llama_cpp)
        warning +=
            say({"warning: the text contains the character U+2581 (\u2581), which llama.cpp "
                 "reads as a space, whatever the file says\n",
                 "警告：文本里有字符 U+2581（\u2581），llama.cpp 总把它读成空格\n"});
    if (name)
        warning +=
            say({"warning: the text contains <|endoftext|> in letters, which Hugging Face "
                 "reads as the end of a text\n",
                 "警告：文本里有写出来的 <|endoftext|>，Hugging Face 会把它读成文档结尾\n"});
    return warning;
}

static void write_weights(const std::string& path, const LoadedModel& run) {
    const std::vector<ForeignTensor> tensors =
        foreign_tensors(run.model->config(), Program::hugging_face);
    List<List<Real>> values;
    std::vector<TensorBytes> bytes;
    for (const ForeignTensor& tensor : tensors) values.push_back(foreign_values(run, tensor));
    for (std::size_t i = 0; i < tensors.size(); ++i)
        bytes.push_back(tensor_bytes<Real>(tensors[i].name, tensors[i].shape(),
                                           std::span<const Real>(values[i])));
    write_safetensors(path, std::move(bytes), {{"format", "pt"}});
}

static Json tokenizer_config(const GptConfig& config) {
    Json json;
    json.set("tokenizer_class", "PreTrainedTokenizerFast");
    json.set("model_max_length", config.context);
    json.set("bos_token", kEndOfTextName).set("eos_token", kEndOfTextName);
    // Texts of unequal length in one batch: what stands before a text is not looked at.
    json.set("pad_token", kEndOfTextName).set("padding_side", "left");
    json.set("clean_up_tokenization_spaces", false).set("add_prefix_space", false);
    return json;
}

// Whoever generates without saying how much stops at the context, beyond which there are no
// positions.
static Json generation_config(const GptConfig& config, const Tokenizer& tokenizer) {
    Json json;
    json.set("max_length", config.context);
    for (const char* name : {"pad_token_id", "bos_token_id", "eos_token_id"})
        json.set(name, Index(tokenizer.end_of_text()));
    return json;
}

void write_hugging_face(const AtomicFolder& folder, const LoadedModel& run) {
    const auto put = [&](const char* name, const Json& json) {
        write_file(folder.file(name), json.write(2) + "\n");
    };
    put("config.json", hugging_face_config(run.model->config(), *run.tokenizer));
    put("generation_config.json", generation_config(run.model->config(), *run.tokenizer));
    put("tokenizer_config.json", tokenizer_config(run.model->config()));
    put("tokenizer.json", hugging_face_tokenizer(*run.tokenizer));
    write_weights(folder.file("model.safetensors"), run);
}

void export_hugging_face(const std::string& path, const LoadedModel& model, const ModelCard& card,
                         const Texts& texts) {
    AtomicFolder folder(path);
    write_hugging_face(folder, model);
    write_file(folder.file("README.md"), card_of(card, model));
    check_hugging_face(folder.draft(), model, texts);
    folder.commit();
}

std::string modelfile_of(const std::string& file) {
    return fs::path(file).replace_extension(".Modelfile").string();
}

void export_llama_cpp(const std::string& file, const LoadedModel& model, const ModelCard& card,
                      GgufType type, const Texts& texts) {
    if (fs::is_directory(file))
        fail_usage({"%s is a folder; --to gguf writes one file, for example %s",
                    "%s 是目录；--to gguf 写出一个文件，例如 %s"},
                   printable(file), printable((fs::path(file) / "model.gguf").string()));
    write_llama_cpp(file, model, card, type,
                    [&](const std::string& draft) { check_llama_cpp(draft, model, texts); });
    write_file(modelfile_of(file), modelfile(fs::path(file).filename().string(), model));
}

}  // namespace zhuyi
