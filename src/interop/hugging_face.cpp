#include "interop/hugging_face.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "formats/safetensors.h"
#include "interop/foreign_tensors.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestJson = std::uint64_t(64) << 20;

void write_weights(const std::string& path, const LoadedModel& run) {
    const std::vector<ForeignTensor> tensors =
        foreign_tensors(run.model->config(), Program::hugging_face);
    std::vector<std::vector<Real>> values;
    std::vector<TensorBytes> bytes;
    for (const ForeignTensor& tensor : tensors) values.push_back(foreign_values(run, tensor));
    for (std::size_t i = 0; i < tensors.size(); ++i)
        bytes.push_back(tensor_bytes<Real>(tensors[i].name, tensors[i].shape(),
                                           std::span<const Real>(values[i])));
    write_safetensors(path, std::move(bytes), {{"format", "pt"}});
}

Json tokenizer_config(const GptConfig& config) {
    Json json;
    json.set("tokenizer_class", "PreTrainedTokenizerFast");
    json.set("model_max_length", config.context);
    json.set("bos_token", kEndOfTextName).set("eos_token", kEndOfTextName);
    json.set("clean_up_tokenization_spaces", false).set("add_prefix_space", false);
    return json;
}

Json generation_config(const Tokenizer& tokenizer) {
    Json json;
    json.set("bos_token_id", Index(tokenizer.end_of_text()));
    json.set("eos_token_id", Index(tokenizer.end_of_text()));
    return json;
}

Json read_json(const std::string& path) { return parse_json(read_file(path, kLargestJson), path); }

std::string weights_of(const std::string& folder) {
    const fs::path path(folder);
    if (fs::exists(path / "model.safetensors")) return (path / "model.safetensors").string();
    if (fs::exists(path / "model.safetensors.index.json"))
        fail({"%s: the weights lie in several files; save the model in one (save_pretrained with a "
              "larger max_shard_size)",
              "%s：权重分在几个文件里；请存成一个文件（save_pretrained，加大 max_shard_size）"},
             folder);
    if (fs::exists(path / "pytorch_model.bin"))
        fail({"%s: pytorch_model.bin is a program, not data, and is not read; save the model as "
              "model.safetensors (save_pretrained does)",
              "%s：pytorch_model.bin 是程序而不是数据，不读取；请把模型存成 model.safetensors"
              "（save_pretrained 会这样存）"},
             folder);
    fail({"%s: expected model.safetensors, found none", "%s：缺少 model.safetensors"}, folder);
}

// Only weights may be in the file, and the masks and frequencies that older versions saved with
// them.
void refuse_unknown(const SafetensorsFile& file, const std::set<std::string>& known) {
    for (const SafetensorsEntry& entry : file.entries()) {
        bool constant = false;
        for (const char* end : {".attn.bias", ".attn.masked_bias", ".attention.bias",
                                ".attention.masked_bias", ".rotary_emb.inv_freq"})
            constant = constant || entry.name.ends_with(end);
        if (!constant && !known.contains(entry.name))
            fail({"%s: the tensor %s does not belong to a model of this configuration",
                  "%s：这种配置的模型里没有张量 %s"},
                 file.path(), in_quotes(entry.name));
    }
}

// A model saved without its head lacks the first word of its names ("transformer.").
std::string name_in(const SafetensorsFile& file, const ForeignTensor& tensor) {
    const std::size_t word = tensor.name.find('.') + 1;
    const std::string bare = tensor.name.substr(word);
    return !file.find(tensor.name) && file.find(bare) ? bare : tensor.name;
}

void read_weights(const SafetensorsFile& file, const GptConfig& config, Parameters& parameters) {
    std::set<std::string> known;
    std::vector<Real> values;
    for (const ForeignTensor& tensor : foreign_tensors(config, Program::hugging_face)) {
        const std::string name = name_in(file, tensor);
        known.insert(name);
        if (const SafetensorsEntry& entry = file.at(name); entry.shape != tensor.shape())
            fail({"%s: %s has shape %s, config.json asks for %s",
                  "%s：%s 的形状是 %s，按 config.json 应为 %s"},
                 file.path(), name, shape_text(entry.shape), shape_text(tensor.shape()));
        values.resize(std::size_t(tensor.size()));
        file.read_numbers(name, values);
        std::vector<Real*> ours;
        for (const std::string& source : tensor.sources)
            ours.push_back(parameters.tensor(source).value);
        tensor.for_each_number([&](Index part, Index i, Index at) {
            ours[std::size_t(part)][i] = values[std::size_t(at)];
        });
    }
    const char* head = head_name(config);
    if (config.tied && file.find(head)) {
        known.insert(head);
        const Tensor E = parameters.tensor("embedding.token");
        values.resize(std::size_t(E.size()));
        file.read_numbers(head, values);
        if (!std::equal(values.begin(), values.end(), E.value))
            fail({"%s: %s is not the token embedding, but config.json says tie_word_embeddings = "
                  "true",
                  "%s：%s 与词向量表不同，但 config.json 写着 tie_word_embeddings = true"},
                 file.path(), head);
    }
    refuse_unknown(file, known);
}

}  // namespace

void write_hugging_face(const AtomicFolder& folder, const LoadedModel& run) {
    const auto put = [&](const char* name, const Json& json) {
        write_file(folder.file(name), json.write(2) + "\n");
    };
    put("config.json", hugging_face_config(run.model->config(), *run.tokenizer));
    put("generation_config.json", generation_config(*run.tokenizer));
    put("tokenizer_config.json", tokenizer_config(run.model->config()));
    put("tokenizer.json", hugging_face_tokenizer(*run.tokenizer));
    write_weights(folder.file("model.safetensors"), run);
}

LoadedModel read_hugging_face(const std::string& folder, const std::string& tokenizer) {
    const std::string config_path = (fs::path(folder) / "config.json").string();
    if (!fs::exists(folder)) fail({"%s: there is no such folder", "%s：没有这个目录"}, folder);
    if (!fs::exists(config_path))
        fail({"%s: no folder of a Hugging Face model (it has no config.json)",
              "%s：不是 Hugging Face 模型的目录（没有 config.json）"},
             folder);
    LoadedModel model;
    GptConfig sizes;
    const Json config = read_json(config_path);
    try {
        sizes = config_from_hugging_face(config);
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, config_path, error.text());
    }
    const std::string from = tokenizer.empty() ? folder : tokenizer;
    const bool ours = !fs::is_directory(from) || fs::exists(fs::path(from) / "vocabulary.txt");
    model.tokenizer =
        ours ? read_tokenizer(from) : read_hugging_face_tokenizer(from, sizes.vocabulary);
    if (model.tokenizer->size() != sizes.vocabulary)
        fail({"%s: the tokenizer has %td tokens, the model %td",
              "%s：分词器有 %td 个 token，模型有 %td 个"},
             from, model.tokenizer->size(), sizes.vocabulary);
    const SafetensorsFile weights(weights_of(folder));
    // Before memory is allocated by the sizes of config.json: are the weights that long?
    const std::vector<Parameter> table = parameter_table(sizes);
    if (std::uint64_t(count(table)) > InputFile(weights.path()).size())
        fail({"%s: too short for the model that config.json describes",
              "%s：比 config.json 描述的模型短"},
             weights.path());
    model.parameters = std::make_unique<Parameters>(table, false);
    read_weights(weights, sizes, *model.parameters);
    model.model = std::make_unique<Gpt>(sizes, *model.parameters);
    return model;
}

}  // namespace zhuyi
