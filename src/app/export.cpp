#include <filesystem>
#include <optional>

#include "app/command.h"
#include "app/open_run.h"
#include "base/check.h"
#include "interop/export.h"
#include "system/output.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

enum class Target { none, hf, gguf };

class ExportCommand : public Command {
  public:
    ExportCommand()
        : Command(
              "export", "RUN --to hf|gguf DIR|FILE [--type f32|f16]",
              {"write a model for other programs: a Hugging Face folder, or a file for llama.cpp",
               "把模型导出给别的程序：Hugging Face 目录，或 llama.cpp 文件"}) {}

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
                     "用来核对分词的文本；默认用原来的训练文本"});
        declare_checkpoint(options, checkpoint_);
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 2)
            fail_usage(
                {"export takes a RUN and where to write: zhuyi export runs/stories --to hf "
                 "stories_hf",
                 "export 需要训练目录和写到哪里：zhuyi export runs/stories --to hf "
                 "stories_hf"});
        if (target_ == Target::none)
            fail_usage(
                {"export needs --to: --to hf DIR for transformers, --to gguf FILE for "
                 "llama.cpp",
                 "export 需要 --to：--to hf 目录（给 transformers），--to gguf 文件"
                 "（给 llama.cpp）"});
        const LoadedRun run = open_run(words[0], checkpoint_, language);
        const bool gguf = target_ == Target::gguf;
        const std::optional<Corpus> corpus = text_of(run);
        std::vector<std::string_view> texts;
        Text compared = Words{"some awkward strings (the run's text is not here; --data names it)",
                              "几段难分词的文字（找不到训练文本；--data 可指定）"};
        if (corpus) {
            texts = texts_to_compare(*corpus);
            compared = say({"%td pieces of the validation text", "验证集的 %td 段文字"},
                           std::ssize(texts));
            tell(warning_about(*corpus, gguf).in(language));
        }
        if (gguf)
            export_llama_cpp(words[1], run, type_, texts);
        else
            export_hugging_face(words[1], run, texts);
        tell(say({"%s: written, read again and compared: every tensor, and the tokens of %s\n",
                  "%s：已写出并读回核对：每个张量，以及%s的分词\n"},
                 printable(words[1]), compared)
                 .in(language));
        return 0;
    }

  private:
    // The text whose tokens are compared, where it can be found.
    std::optional<Corpus> text_of(const LoadedRun& run) const {
        TextOptions text = run.config.text;
        if (!data_.empty()) text.data = data_;
        std::error_code ignored;
        if (text.data.empty() || (data_.empty() && !fs::exists(text.data, ignored))) return {};
        return Corpus::read(text);
    }

    Target target_ = Target::none;
    GgufType type_ = GgufType::F32;
    std::string data_, checkpoint_ = "best";
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace zhuyi
