#include "interop/export.h"

#include <filesystem>

#include "base/check.h"
#include "interop/check_export.h"
#include "interop/hugging_face.h"
#include "interop/llama_cpp.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlock = "\u2581";  // llama.cpp's space

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// A file that gets its name when it has been checked.
class Draft {
  public:
    explicit Draft(const fs::path& path)
        : path_(path), draft_(path.parent_path() / ("." + path.filename().string() + ".draft")) {}
    ~Draft() {
        std::error_code ignored;
        fs::remove(draft_, ignored);
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    std::string path() const { return draft_.string(); }
    void commit() const {
        std::error_code error;
        fs::rename(draft_, path_, error);
        if (error)
            fail({"cannot write %s: %s", "无法写入 %s：%s"}, printable(path_.string()),
                 error.message());
    }

  private:
    fs::path path_, draft_;
};

}  // namespace

std::vector<std::string_view> texts_to_compare(const Corpus& corpus) {
    std::vector<std::string_view> texts;
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

void export_hugging_face(const std::string& path, const LoadedModel& model, const ModelCard& card,
                         const std::vector<std::string_view>& texts) {
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
                      GgufType type, const std::vector<std::string_view>& texts) {
    if (fs::is_directory(file))
        fail_usage({"%s is a folder; --to gguf writes one file, for example %s",
                    "%s 是目录；--to gguf 写出一个文件，例如 %s"},
                   printable(file), printable((fs::path(file) / "model.gguf").string()));
    const Draft draft(file);
    write_llama_cpp(draft.path(), model, card, type);
    check_llama_cpp(draft.path(), model, texts);
    draft.commit();
    write_file(modelfile_of(file), modelfile(fs::path(file).filename().string(), model));
}

}  // namespace zhuyi
