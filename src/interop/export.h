// A model goes out to other programs: written, read again and compared, and only then put in its
// place. Throws Error where something differs or cannot be written; then nothing stays there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "formats/gguf.h"
#include "interop/model_card.h"
#include "model/loaded_model.h"
#include "text/corpus.h"

namespace zhuyi {

// Texts that our tokenizer and the other program's must cut into the same tokens: pieces of the
// validation part, without what the other programs read in a way of their own.
std::vector<std::string_view> texts_to_compare(const Corpus& corpus);
// What there is to warn of in this text, a line each; empty: nothing.
std::string warning_about(const Corpus& corpus, bool for_llama_cpp);

void export_hugging_face(const std::string& folder, const LoadedModel& model, const ModelCard& card,
                         const std::vector<std::string_view>& texts);
// Beside the file stands NAME.Modelfile (modelfile_of), for Ollama.
void export_llama_cpp(const std::string& file, const LoadedModel& model, const ModelCard& card,
                      GgufType type, const std::vector<std::string_view>& texts);
// "stories.gguf" -> "stories.Modelfile"
std::string modelfile_of(const std::string& file);

}  // namespace zhuyi
