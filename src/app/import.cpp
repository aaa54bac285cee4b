#include <cstdio>
#include <filesystem>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "interop/hugging_face.h"
#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "train/checkpoint.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

class ImportCommand : public Command {
  public:
    const char* name() const override { return "import"; }
    const char* usage() const override { return "DIR RUN [--tokenizer DIR]"; }
    Words summary() const override {
        return {"make a run of a GPT-2 in a Hugging Face folder",
                "把 Hugging Face 目录里的 GPT-2 变成一次运行"};
    }

    void declare(Options& options) override {
        options.group({"import", "导入"});
        options.add("tokenizer", tokenizer_, "",
                    {"another folder to take the tokenizer from, or a run",
                     "改从另一个目录（或一次运行）取分词器"});
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 2)
            fail_usage_english(
                "import takes a folder and the RUN to make: zhuyi import stories_hf runs/again");
        AtomicFolder folder(words[1]);
        const LoadedModel model = read_hugging_face(words[0], tokenizer_);
        fill(folder, model, language);
        folder.commit();
        std::fprintf(stderr,
                     language == Language::chinese
                         ? "%s：%td 块，%td 个头，词向量长 %td，词表 %td，指纹 %s\n"
                         : "%s: %td blocks, %td heads, %td channels, %td tokens, fingerprint %s\n",
                     words[1].c_str(), model.model->config().layers, model.model->config().heads,
                     model.model->config().channels, model.model->config().vocabulary,
                     hash_text(model.parameters->fingerprint()).c_str());
        return 0;
    }

  private:
    // The weights are step 0 of this run, its best and its first at once: one file under two names, where the file
    // system can. (Whoever writes a checkpoint later makes a new file.) There are no moments, so nothing to resume:
    // training goes on with `train TEXT --from RUN`.
    static void fill(const AtomicFolder& folder, const LoadedModel& model, Language language) {
        RunConfig config;
        config.model = model.model->config();
        Options options;
        zhuyi::declare(options, config);
        const RunFolder run{folder.draft()};
        write_file(run.vocabulary().string(), model.tokenizer->vocabulary_file());
        write_file(run.config().string(), options.file(language));
        const fs::path first = run.checkpoint("first");
        write_checkpoint(first.string(), *model.parameters,
                         {0,
                          std::numeric_limits<double>::infinity(),
                          0,
                          {},
                          hash_of(model.tokenizer->vocabulary_file())});
        for (const char* name : {"best", "last"}) {
            std::error_code error;
            fs::create_hard_link(first, run.checkpoint(name), error);
            if (error) fs::copy_file(first, run.checkpoint(name), error);
            if (error)
                fail_english("cannot write " + run.checkpoint(name).string() + ": " +
                             error.message());
        }
    }

    std::string tokenizer_;
};

}  // namespace

std::unique_ptr<Command> import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace zhuyi
