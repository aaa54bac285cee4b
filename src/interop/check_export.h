// What was written is read again, and compared with the model it came from: every weight, and the tokens of texts,
// which are made here the way the clients make them from what the file says. A difference is an Error.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf.h"
#include "model/loaded_model.h"

namespace zhuyi {

// Spaces, newlines, NUL, emoji, rare characters, what looks like a token: where tokenizers differ.
std::vector<std::string_view> awkward_texts();

void check_hugging_face(const std::string& folder, const LoadedModel& run,
                        const std::vector<std::string_view>& texts);
void check_llama_cpp(const std::string& path, const LoadedModel& run,
                     const std::vector<std::string_view>& texts);

}  // namespace zhuyi
