#include "run/report.h"
#include "app/command.h"
#include "base/check.h"
#include "run/run_folder.h"
#include "system/output.h"

namespace zhuyi {
namespace {

class ReportCommand : public Command {
  public:
    ReportCommand()
        : Command("report", "RUN [--with OTHER_RUN] [--follow] [--out FILE]",
                  {"play the training back: one page that opens without a network",
                   "训练回放：生成一个离线网页"}) {}

    void declare(Options& options) override {
        options.group({"report", "报告"});
        options.add("with", with_, "",
                    {"draw the curves of another run beside", "把另一个训练目录的曲线画在旁边"});
        options.add("follow", follow_,
                    {"while the run goes on: write the page again and again; it reloads itself",
                     "训练时持续更新网页，网页会自己刷新"});
        options.add(
            "out", out_, "",
            {"the page to write; none: RUN/report.html", "网页写到哪里；不写则是 RUN/report.html"});
    }
    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        const std::string& run = only_word(words, kOneRun, "zhuyi report runs/stories");
        const std::string out = out_.empty() ? RunFolder{run}.report().string() : out_;
        if (follow_)
            follow_film(run, with_, out, language);
        else
            write_film_page(run, with_, out, {language, 0});
        print(out + "\n");
        return 0;
    }

  private:
    std::string with_, out_;
    bool follow_ = false;
};

}  // namespace

std::unique_ptr<Command> report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace zhuyi
