// A folder that Hugging Face's transformers opens: a GPT2LMHeadModel, or with rotary positions a
// GPTNeoXForCausalLM, and its tokenizer.
//
//     config.json  model.safetensors  tokenizer.json  tokenizer_config.json  generation_config.json
//     README.md (interop/model_card.h)
//
// Names and layouts were read in transformers 5.23 (models/gpt2, models/gpt_neox) and tokenizers
// 0.23.
#pragma once
#include <memory>
#include <string>

#include "formats/json.h"
#include "model/loaded_model.h"
#include "system/atomic_file.h"

namespace zhuyi {

// Writes the files into the draft of `folder`. The caller then checks and commits the folder.
void write_hugging_face(const AtomicFolder& folder, const LoadedModel& run);

// Reads the folder of any model of GPT-2's architecture, or of GPT-NeoX's whose blocks are ours
// (use_parallel_residual false, all channels rotary). tokenizer: where to take the tokenizer from
// instead: a folder with tokenizer.json, or with vocab.json and merges.txt, or a run. Throws Error,
// which names the file, if one is missing or damaged, has another architecture, activation or other
// shapes, or if its tokenizer cannot spell every text. `lost`, if given, gets a line for each thing
// that the folder says and zhuyi has no notion of.
LoadedModel read_hugging_face(const std::string& folder, const std::string& tokenizer = "",
                              std::string* lost = nullptr);

// ---- the parts

Json hugging_face_config(const GptConfig& config, const Tokenizer& tokenizer);
GptConfig config_from_hugging_face(const Json& config);  // its Error does not name the file

Json hugging_face_tokenizer(const Tokenizer& tokenizer);
// rows: of the model's embedding; those after the tokenizer's last token become tokens that no text
// spells. Throws Error for added tokens that a text may spell, because it would get other ids here.
std::unique_ptr<Tokenizer> read_hugging_face_tokenizer(const std::string& folder, Index rows,
                                                       std::string& lost);

}  // namespace zhuyi
