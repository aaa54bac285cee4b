#include <filesystem>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/format.h"
#include "cost/model_size.h"
#include "cost/plan.h"
#include "run/run_folder.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/tokenized.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

class ParamsCommand : public Command {
  public:
    ParamsCommand()
        : Command("params", "CONFIG|RUN [--full] [--compare] [--key=value …]",
                  {"count a model's weights, memory and work", "计算模型的参数量、内存和计算量"}) {}

    void declare(Options& options) override {
        options.group({"sizes", "大小"});
        options.add("full", wish_.full,
                    {"list the parameters of every block; without it block 0 stands for all",
                     "列出每一层的参数，而不以第 0 层代表"});
        options.add("tokens", wish_.tokens, "tokens",
                    {"length of the text in the table of shapes; 0: as long as the context",
                     "形状表里文字的长度；0 表示整个上下文长度"});
        options.add(
            "compare", wish_.compare,
            {"show GPT-2, GPT-3 and LLaMA beside this model", "与 GPT-2、GPT-3、LLaMA 相比"});
        output_.declare_format(options);
        zhuyi::declare(options, config_);
    }

    void prepare(const std::vector<std::string>& words, Options& options) override {
        const std::string& word = only_word(words, {"one CONFIG or RUN", "一个配置或训练目录"},
                                            "zhuyi params configs/gpt2.conf");
        if (fs::path(word).extension() == ".txt")
            fail_usage({"params counts the weights of a CONFIG or a RUN, and %s is a text: zhuyi "
                        "data %s looks at it, zhuyi train %s trains on it",
                        "params 要一个配置或训练目录，%s 却是文本：zhuyi data %s 看文本，zhuyi "
                        "train %s 用它训练"},
                       in_quotes(word), shell_word(word), shell_word(word));
        std::error_code ignored;
        const bool folder = fs::is_directory(word, ignored);
        options.read_file(folder ? RunFolder{word}.config() : word);
    }

    int run(const std::vector<std::string>&, const Options&) override {
        check(config_.model);
        learn_vocabulary();
        check_size();
        wish_.full |= output_.for_program();
        output_.write(size_sheet(config_.model, config_.train, wish_));
        return 0;
    }

  private:
    // vocabulary = 0 leaves it to the text: ask the text when it is there.
    void learn_vocabulary() {
        std::error_code ignored;
        if (config_.model.vocabulary || !fs::exists(config_.text.data, ignored)) return;
        config_.model.vocabulary = make_tokenizer(Corpus::read(config_.text), config_.text)->size();
        tell(say({"vocabulary from %s: %s tokens\n", "词表由 %s 决定：%s 个 token\n"},
                 printable(config_.text.data), grouped(config_.model.vocabulary)));
    }

    void check_size() const {
        const GptConfig& c = config_.model;
        const double C = double(c.channels);
        const double weights = double(c.layers) * (4 * C * C + 2 * C * double(c.width())) +
                               2 * C * double(c.vocabulary) + C * double(c.context);
        if (weights > 0x1p52)
            fail_usage({"this model has about %.1e weights; params counts up to 4.5e+15",
                        "这个模型约有 %.1e 个参数；params 最多数到 4.5e+15"},
                       weights);
        if (wish_.tokens > c.context)
            fail_usage({"--tokens %td: the context is %td", "--tokens %td：上下文长度只有 %td"},
                       wish_.tokens, c.context);
    }

    RunConfig config_;
    SizeWish wish_;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> params_command() { return std::make_unique<ParamsCommand>(); }

}  // namespace zhuyi
