#include "app/command.h"
#include "base/check.h"
#include "base/hash.h"
#include "interop/hugging_face.h"
#include "run/run_folder.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class ImportCommand : public Command {
  public:
    ImportCommand()
        : Command("import", "DIR RUN [--tokenizer DIR]",
                  {"make a run of a GPT-2 or GPT-NeoX in a Hugging Face folder",
                   "把 Hugging Face 目录里的 GPT-2 或 GPT-NeoX 导入为训练目录"}) {}

    void declare(Options& options) override {
        options.group({"import", "导入"});
        options.add("tokenizer", tokenizer_, "",
                    {"another folder, or a run, from which the tokenizer is taken",
                     "分词器改用另一个目录（或训练目录）里的"});
        options.never_empty();
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        if (words.size() != 2)
            fail_usage(
                {"import takes a folder and the RUN to make: zhuyi import village_hf runs/again",
                 "import 需要一个目录和要创建的训练目录：zhuyi import village_hf runs/again"});
        AtomicFolder folder(words[1]);
        std::string lost;
        const LoadedModel model = read_hugging_face(words[0], tokenizer_, &lost);
        write_imported_run({folder.draft()}, model);
        folder.commit();
        tell(lost);
        const GptConfig& c = model.model->config();
        tell(say({"%s: %td blocks, %td heads, %td channels, %td tokens, fingerprint %s\n",
                  "%s：%td 层，%td 个头，嵌入维度 %td，词表大小 %td，指纹 %s\n"},
                 printable(words[1]), c.layers, c.heads, c.channels, c.vocabulary,
                 hash_text(model.parameters->fingerprint())));
        return 0;
    }

  private:
    std::string tokenizer_;
};

}  // namespace

std::unique_ptr<Command> import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace zhuyi
