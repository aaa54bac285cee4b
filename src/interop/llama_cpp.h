// A file that llama.cpp opens: architecture gpt2, with the tokenizer inside.
//
// Keys, names and what its loader requires were read in llama.cpp (src/models/gpt2.cpp,
// src/llama-vocab.cpp), 2026. It computes GELU by a table of 16-bit floats, so its scores agree to
// about 1e-3, not to the bit.
#pragma once
#include <string>
#include <vector>

#include "formats/gguf.h"
#include "interop/model_card.h"
#include "model/loaded_model.h"

namespace zhuyi {

// Atomically. type: of the matrices; vectors stay f32. Error: a model that llama.cpp's gpt2
// computes in another way (activation = gelu).
void write_llama_cpp(const std::string& path, const LoadedModel& run, const ModelCard& card,
                     GgufType type);

GgufSettings llama_cpp_tokenizer(const Tokenizer& tokenizer);

}  // namespace zhuyi
