#include <filesystem>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/parallel.h"
#include "formats/sheet_format.h"
#include "run/comparison.h"
#include "run/session.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

class CompareCommand : public Command {
  public:
    CompareCommand()
        : Command("compare", "CONFIG|TEXT --vary option=a,b,c [--resume] [--key=value …]",
                  {"train variants of one configuration, and compare them",
                   "训练同一份配置的几个变体，并作比较"}) {}

    void declare(Options& options) override {
        options.group({"comparison", "比较"});
        options.add("vary", vary_, "",
                    {"an option and its values: freeze=none,embedding,attention+ffn; none: the "
                     "empty value; + joins parts, and a part with = sets another option; several "
                     "options with spaces between them: every combination",
                     "一个选项和它的几个值：freeze=none,embedding,attention+ffn；none 表示空值；+ "
                     "连接几部分，带 = 的部分设置另一个选项；几个选项用空格隔开：取所有组合"});
        options.add("out", out_, "",
                    {"folder for the runs; default: runs/ and the name of the configuration or "
                     "text. Each run is a folder in it: freeze=embedding",
                     "放训练目录的地方；默认是 runs/ 加配置或文本的名字。每个变体是其中一个目录："
                     "freeze=embedding"});
        options.add(
            "resume", resume_,
            {"leave out what is finished, go on with what is not", "跳过已完成的，继续没完成的"});
        declare_threads(options, threads_);
        output_.declare_format(options);
        zhuyi::declare(options, config_);
    }
    void prepare(const std::vector<std::string>& words, Options& options) override {
        const std::string& word = only_word(words, {"one CONFIG or TEXT", "一个配置或文本"},
                                            "zhuyi compare configs/village.conf --vary "
                                            "position=learned,rotary");
        if (fs::path(word).extension() == ".conf") options.read_file(word);
        if (out_.empty()) out_ = default_folder(word);
    }
    int run(const std::vector<std::string>& words, const Options& options) override {
        set_thread_count(int(threads_));
        const std::string times = (fs::path(out_) / kComparisonFile).string();
        const std::string film = (fs::path(out_) / "compare.html").string();
        check_output(times, OutputKind::times, false);
        check_output(film, OutputKind::page, false);
        PlannedVariants planned;
        for (Variant& variant : variants_of(vary_))
            planned.push_back(this->planned(words[0], options, std::move(variant)));
        look_at_folders(planned, resume_);
        try_out(planned);
        tell(sheet_as_terminal(comparison_plan(planned), {}));
        make_folders(out_);
        if (const int code = train_variants(planned, times); code != 0) {
            tell(say(
                {"to go on: the same command with --resume\n", "继续：同一条命令加上 --resume\n"}));
            return code;
        }
        output_.write(comparison_sheet(planned, times));
        const std::string page = write_comparison_page(planned, film);
        const auto show = output_.for_program() ? tell : print;
        if (!page.empty())
            show(say({"the films of them, side by side: %s\n", "它们的训练回放，并排放在：%s\n"},
                     printable(page)));
        return 0;
    }

  private:
    // The configuration file, then the command line, then what the variant sets.
    std::unique_ptr<PlannedVariant> planned(const std::string& word, const Options& options,
                                            Variant variant) const {
        auto v = std::make_unique<PlannedVariant>();
        zhuyi::declare(v->options, v->wish.config);
        if (fs::path(word).extension() == ".conf")
            v->options.read_file(word);
        else
            v->wish.config.text.data = word, v->wish.suits_the_text = true;
        for (const Options::Entry& entry : v->options.entries())
            if (options.on_command_line(entry.name))
                v->options.set(entry.name, options.value(entry.name), "--" + entry.name);
        for (const auto& [name, value] : variant.settings)
            v->options.set(name, value, "--vary " + variant.name);
        v->wish.folder = (fs::path(out_) / variant.name).string();
        v->wish.config.text.without = out_;
        v->variant = std::move(variant);
        return v;
    }

    RunConfig config_;
    std::string vary_, out_;
    bool resume_ = false;
    Index threads_ = 0;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace zhuyi
