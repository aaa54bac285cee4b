#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "interop/check_export.h"
#include "interop/hugging_face.h"
#include "interop/llama_cpp.h"
#include "run/open_run.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

enum class Target { none, hf, gguf };

// A file that takes its name when it has been checked.
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
        if (error) fail_english("cannot write " + path_.string() + ": " + error.message());
    }

  private:
    fs::path path_, draft_;
};

class ExportCommand : public Command {
  public:
    const char* name() const override { return "export"; }
    const char* usage() const override { return "RUN --to hf|gguf DIR|FILE [--type f32|f16]"; }
    Words summary() const override {
        return {"write a model for other programs: a Hugging Face folder, or a file for llama.cpp",
                "把模型导出给别的程序：Hugging Face 目录，或 llama.cpp 文件"};
    }

    void declare(Options& options) override {
        options.group({"export", "导出"});
        options.choice<Target>(
            "to", target_, {{"hf", Target::hf}, {"gguf", Target::gguf}},
            {"hf: a folder for transformers and PyTorch; gguf: a file for llama.cpp",
             "hf：给 transformers、PyTorch 的目录；gguf：给 llama.cpp 的文件"});
        options.choice<GgufType>(
            "type", type_, {{"f32", GgufType::F32}, {"f16", GgufType::F16}},
            {"of the matrices in a gguf file; f16 halves it", "gguf 文件里矩阵的类型；f16 小一半"});
        options.add("data", data_, "",
                    {"text whose tokens are compared; default: the run's own",
                     "用来核对分词的文本；默认是这次运行自己的"});
        declare_checkpoint(options, checkpoint_);
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 2)
            fail_usage_english(
                "export takes a RUN and where to write: zhuyi export runs/stories --to hf "
                "stories_hf");
        if (target_ == Target::none)
            fail_usage_english(
                "export needs --to: --to hf DIR for transformers, --to gguf FILE for llama.cpp");
        const LoadedRun run = open_run(words[0], checkpoint_, language);
        const std::optional<Corpus> corpus = text_of(run);
        const std::vector<std::string_view> texts = texts_to_compare(corpus);
        if (target_ == Target::hf)
            to_hugging_face(run, words[1], texts);
        else
            to_llama_cpp(run, words[1], texts);
        say(words[1], corpus ? std::ssize(texts) : -1, language);
        return 0;
    }

  private:
    std::optional<Corpus> text_of(const LoadedRun& run) const {
        TextOptions text = run.config.text;
        if (!data_.empty()) text.data = data_;
        std::error_code ignored;
        if (text.data.empty() || (data_.empty() && !fs::exists(text.data, ignored))) return {};
        return Corpus::read(text);
    }

    // Of the validation part, pieces that no client reads in its own way; a warning about the others.
    std::vector<std::string_view> texts_to_compare(const std::optional<Corpus>& corpus) const {
        std::vector<std::string_view> texts;
        if (!corpus) return texts;
        bool block = false, name = false;
        for (const std::string_view document : corpus->documents()) {
            block = block || document.find("\u2581") != document.npos;
            name = name || document.find(kEndOfTextName) != document.npos;
        }
        if (block && target_ == Target::gguf)
            std::fputs(
                "warning: the text contains the character U+2581 (\u2581), which llama.cpp "
                "reads as a space, whatever the file says\n",
                stderr);
        if (name)
            std::fputs(
                "warning: the text contains <|endoftext|> in letters, which Hugging Face "
                "reads as the end of a text\n",
                stderr);
        for (const Piece& piece : corpus->pieces(Part::validation))
            if (piece.text.find("\u2581") == std::string_view::npos &&
                piece.text.find(kEndOfTextName) == std::string_view::npos)
                texts.push_back(piece.text);
        return texts;
    }

    static void to_hugging_face(const LoadedRun& run, const std::string& path,
                                const std::vector<std::string_view>& texts) {
        AtomicFolder folder(path);
        write_hugging_face(folder, run);
        check_hugging_face(folder.draft(), run, texts);
        folder.commit();
    }

    void to_llama_cpp(const LoadedRun& run, const std::string& path,
                      const std::vector<std::string_view>& texts) const {
        if (fs::is_directory(path))
            fail_usage_english(path + " is a folder; --to gguf writes one file, for example " +
                               (fs::path(path) / "model.gguf").string());
        const Draft draft(path);
        write_llama_cpp(draft.path(), run, type_);
        check_llama_cpp(draft.path(), run, texts);
        draft.commit();
    }

    void say(const std::string& path, Index texts, Language language) const {
        const bool zh = language == Language::chinese;
        std::string compared =
            texts >= 0
                ? format(zh ? "验证部分的 %td 段文字" : "%td pieces of the validation text", texts)
                : std::string(zh ? "几段难分词的文字（找不到训练文本；--data 可指定）"
                                 : "some awkward strings (the run's text is not here; --data "
                                   "names it)");
        std::fprintf(stderr,
                     zh ? "%s：已写出并读回核对：每个张量，以及%s的分词\n"
                        : "%s: written, read again and compared: every tensor, and the tokens of "
                          "%s\n",
                     path.c_str(), compared.c_str());
    }

    Target target_ = Target::none;
    GgufType type_ = GgufType::F32;
    std::string data_, checkpoint_ = "best";
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace zhuyi
