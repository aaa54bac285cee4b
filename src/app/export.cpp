#include <cmath>
#include <filesystem>
#include <optional>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/utf8.h"
#include "interop/export.h"
#include "model/gpt.h"
#include "run/run_folder.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

class ExportCommand : public Command {
  public:
    ExportCommand()
        : Command(
              "export", "RUN --to hf|gguf DIR|FILE [--type f32|f16]",
              {"write a model for other programs: a Hugging Face folder, or a file for llama.cpp",
               "把模型导出给别的程序：Hugging Face 目录，或 llama.cpp 文件"}) {}

    void declare(Options& options) override {
        options.group({"export", "导出"});
        options.choice<std::string>(
            "to", to_, {{"hf", "hf"}, {"gguf", "gguf"}},
            {"hf: a folder for transformers and PyTorch; gguf: a file for llama.cpp",
             "hf：给 transformers、PyTorch 的目录；gguf：给 llama.cpp 的文件"});
        options.choice<GgufType>(
            "type", type_, {{"f32", GgufType::F32}, {"f16", GgufType::F16}},
            {"the type of the matrices in a gguf file; f16 makes the file half as large",
             "gguf 文件里矩阵的类型；f16 小一半"});
        options.add("data", data_, "",
                    {"the text whose tokens are compared; without it the run's own text",
                     "用来核对分词的文本；默认用原来的训练文本"});
        options.never_empty();
        options.add("license", license_, "",
                    {"the license of the model, which its card names: cc-by-4.0, mit …",
                     "模型的许可证，写进模型说明：cc-by-4.0、mit……"});
        options.add("force", force_, kForce);
        declare_checkpoint(options, checkpoint_);
    }

    int run(const std::vector<std::string>& words, const Options& options) override {
        if (words.size() != 2)
            fail_usage(
                {"export takes a RUN and where to write: zhuyi export runs/village --to hf "
                 "village_hf",
                 "export 需要训练目录和写到哪里：zhuyi export runs/village --to hf village_hf"});
        if (to_.empty())
            fail_usage({"export needs --to: hf for transformers, gguf for llama.cpp",
                        "export 需要 --to：hf（给 transformers）或 gguf（给 llama.cpp）"});
        const bool gguf = to_ == "gguf";
        if (!gguf && options.was_set("type"))
            fail_usage({"--type is of a gguf file; a Hugging Face folder always has f32",
                        "--type 只用于 gguf 文件；Hugging Face 目录总是 f32"});
        if (gguf) {
            check_output(words[1], OutputKind::gguf, force_);
            check_output(modelfile_of(words[1]), OutputKind::modelfile, force_);
        }
        const LoadedRun run = open_run(words[0], checkpoint_);
        const std::optional<Corpus> corpus = text_of(run);
        std::vector<std::string_view> texts;
        std::string compared =
            say({"some awkward strings (the run's text is not here; --data names it)",
                 "几段难分词的文字（找不到训练文本；--data 可指定）"});
        if (corpus) {
            texts = texts_to_compare(*corpus);
            compared = say({"%td pieces of the validation text", "验证集的 %td 段文字"},
                           std::ssize(texts));
            tell(warning_about(*corpus, gguf));
        }
        if (gguf)
            export_llama_cpp(words[1], run, card(run, corpus), type_, texts);
        else
            export_hugging_face(words[1], run, card(run, corpus), texts);
        tell(say({"%s: written, read again and compared: every tensor, and the tokens of %s\n",
                  "%s：已写出并读回核对：每个张量，以及%s的分词\n"},
                 printable(words[1]), compared));
        tell(what_next(words[1], run.config.model.context));
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

    ModelCard card(const LoadedRun& run, const std::optional<Corpus>& corpus) const {
        ModelCard card{
            fs::weakly_canonical(run.folder.path).filename().string(),
            license_,
            fs::weakly_canonical(run.config.text.data).filename().string(),
        };
        if (corpus && corpus->hash() == run.checkpoint.text_hash) {
            card.documents = std::ssize(corpus->documents());
            card.characters = corpus->characters();
        }
        card.step = run.checkpoint.step;
        if (std::isfinite(run.checkpoint.best_loss) && checkpoint_ == "best")
            card.loss = run.checkpoint.best_loss;
        card.fingerprint = run.parameters->fingerprint();
        return card;
    }

    // The first line in the other program.
    std::string what_next(const std::string& where, Index context) const {
        if (to_ == "hf")
            return say({"in Python: from transformers import pipeline; "
                        "pipeline(\"text-generation\", \"%s\")(\"小猫\")\n",
                        "在 Python 里：from transformers import pipeline; "
                        "pipeline(\"text-generation\", \"%s\")(\"小猫\")\n"},
                       printable(where));
        const std::string small = fs::path(where).replace_extension(".q8_0.gguf").string();
        return say({"It reads at most %1$td tokens: give llama.cpp --ctx-size %1$td (its Python "
                    "binding, n_ctx=%1$td, aborts past it).\n"
                    "a quarter of the size: llama-quantize %2$s %3$s q8_0\n"
                    "in Ollama: ollama create NAME -f %4$s\n",
                    "最多读 %1$td 个 token：llama.cpp 请用 --ctx-size %1$td（它的 Python 接口，"
                    "n_ctx=%1$td，超过就会中止）。\n"
                    "缩小到四分之一：llama-quantize %2$s %3$s q8_0\n"
                    "在 Ollama 里：ollama create 名字 -f %4$s\n"},
                   context, shell_word(where), shell_word(small), shell_word(modelfile_of(where)));
    }

    GgufType type_ = GgufType::F32;
    std::string to_, data_, license_, checkpoint_ = "best";
    bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace zhuyi
