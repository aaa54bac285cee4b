// A model goes out to other programs: it is written, read again and compared, and only then put in
// its place. Throws Error where something differs or cannot be written; then nothing stays there.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "formats/gguf.h"
#include "model/loaded_model.h"
#include "text/corpus.h"

namespace zhuyi {

using Texts = std::vector<std::string_view>;

// Texts that our tokenizer and the other program's must cut into the same tokens: pieces of the
// validation part, except those with characters that other programs read in a way of their own.
Texts texts_to_compare(const Corpus& corpus);
// Returns a line for each character of the text that other programs read in another way; an empty
// text if it has none.
std::string warning_about(const Corpus& corpus, bool for_llama_cpp);

// ---- what a model says of itself: README.md of a Hugging Face folder, the description in a gguf
// file, and the Modelfile with which Ollama runs that file

struct ModelCard {
    std::string name;     // of the run
    std::string license;  // empty if none was given
    std::string text;     // the training text's name without folders; empty if it is not known
    Index documents = 0, characters = 0;  // of that text; 0 if they are not known
    Index step = 0;
    std::optional<double> loss = {};  // validation, nats per token
    std::uint64_t fingerprint = 0;    // of the weights
};

std::string card_of(const ModelCard& card, const LoadedModel& model);  // Markdown, both languages
std::string description_of(const ModelCard& card);                     // one line
inline constexpr const char* kModelfileMark = "# Made by zhuyi.";      // how a Modelfile begins

// ---- writing

void export_hugging_face(const std::string& folder, const LoadedModel& model, const ModelCard& card,
                         const Texts& texts);
// Writes the Modelfile, too.
void export_llama_cpp(const std::string& file, const LoadedModel& model, const ModelCard& card,
                      GgufType type, const Texts& texts);
// "stories.gguf" -> "stories.Modelfile"
std::string modelfile_of(const std::string& file);

// Writes a file that llama.cpp opens (llama_cpp.cpp), with the tokenizer inside, and lets `check`
// read it before it gets its name (formats/gguf.h). `type` is that of the matrices; vectors stay
// f32. Throws Error for a model whose activation llama.cpp computes in another way (gelu).
void write_llama_cpp(const std::string& path, const LoadedModel& run, const ModelCard& card,
                     GgufType type,
                     const std::function<void(const std::string& draft)>& check = {});
GgufSettings llama_cpp_tokenizer(const Tokenizer& tokenizer);

// ---- reading again (check_export.cpp): every weight is compared, and the tokens of the texts. The
// tokens are made from what the file says, in the way of the program that will read it. Throws
// Error where they differ.

// Spaces, newlines, NUL, emoji, rare characters, what looks like a token: where tokenizers differ.
Texts awkward_texts();
void check_hugging_face(const std::string& folder, const LoadedModel& run, const Texts& texts);
void check_llama_cpp(const std::string& path, const LoadedModel& run, const Texts& texts);

}  // namespace zhuyi
