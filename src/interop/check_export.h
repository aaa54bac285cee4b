// What was written is read again and compared with the model: every weight, and the tokens of
// texts. The tokens are made here from what the file says, in the way of the programs that will
// read it. A difference is an Error.
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
