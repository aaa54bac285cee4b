// What a model says of itself where it goes: README.md of a Hugging Face folder, the description in
// a gguf file, and the Modelfile with which Ollama runs that file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/real.h"
#include "model/loaded_model.h"

namespace zhuyi {

struct ModelCard {
    std::string name;     // of the run
    std::string license;  // "": none was given
    std::string text;     // what it was trained on, a name without folders; "": not known
    Index documents = 0, characters = 0;  // of that text; 0: not known
    Index step = 0;
    std::optional<double> loss = {};  // validation, nats per token
    std::uint64_t fingerprint = 0;    // of the weights
};

// Markdown, in English and Chinese.
std::string card_of(const ModelCard& card, const LoadedModel& model);
// One line.
std::string description_of(const ModelCard& card);
// `file`: the name of the gguf file beside it.
std::string modelfile(const std::string& file, const LoadedModel& model);
inline constexpr const char* kModelfileMark = "# Made by zhuyi.";  // how each begins

}  // namespace zhuyi
