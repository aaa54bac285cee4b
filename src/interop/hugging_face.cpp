// Writes a Hugging Face folder.
#include "interop/hugging_face.h"

#include "base/check.h"
#include "formats/safetensors.h"
#include "interop/foreign_tensors.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

void write_weights(const std::string& path, const LoadedModel& run) {
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

Json tokenizer_config(const GptConfig& config) {
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
Json generation_config(const GptConfig& config, const Tokenizer& tokenizer) {
    Json json;
    json.set("max_length", config.context);
    json.set("pad_token_id", Index(tokenizer.end_of_text()));
    json.set("bos_token_id", Index(tokenizer.end_of_text()));
    json.set("eos_token_id", Index(tokenizer.end_of_text()));
    return json;
}

}  // namespace

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

}  // namespace zhuyi
