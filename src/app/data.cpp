#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "run/expectation.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/data_sheet.h"

namespace zhuyi {
namespace {

class DataCommand : public Command {
  public:
    DataCommand()
        : Command("data", "FILE|FOLDER [--documents --split --tokenizer] [--format json]",
                  {"what is in a text before one trains on it", "训练之前，先看看文本里有什么"}) {}

    void declare(Options& options) override {
        zhuyi::declare(options, text_);
        output_.declare_format(options);
    }
    void prepare(const std::vector<std::string>& words, Options&) override {
        if (words.size() > 1)
            fail_usage({"expected one file or folder, found a second word %s",
                        "只需要一个文件或目录，这里还多出 %s"},
                       in_quotes(words[1]));
        if (!words.empty()) text_.data = words[0];
    }
    int run(const std::vector<std::string>&, const Options& options) override {
        if (text_.data.empty())
            fail_usage({"expected a file or folder: zhuyi data FILE",
                        "data 需要一个文件或目录：zhuyi data 文件"});
        const Corpus corpus = Corpus::read(text_);
        tell(words_of_left_out(corpus));
        const bool tokens_given = options.was_set("tokenizer") || options.was_set("min_count") ||
                                  options.was_set("bpe_vocabulary");
        Sheet sheet = data_sheet(corpus, text_);
        add_recipes(sheet, corpus, text_, tokens_given);
        output_.write(sheet);
        return 0;
    }

  private:
    TextOptions text_;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> data_command() { return std::make_unique<DataCommand>(); }

}  // namespace zhuyi
