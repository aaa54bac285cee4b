#include "run/report.h"
#include "app/command.h"
#include "base/check.h"
#include "film/config.h"
#include "film/page.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/terminal.h"

namespace zhuyi {
namespace {

class ReportCommand : public Command {
  public:
    ReportCommand()
        : Command("report", "RUN [--with RUN,…] [--follow] [--out FILE]",
                  {"play the training back: one page that opens without a network",
                   "训练回放：生成一个离线网页"}) {}

    void declare(Options& options) override {
        options.group({"report", "报告"});
        options.add("with", with_, "",
                    {"other runs to show beside, up to five: A,B",
                     "并排比较的其他训练目录，最多五个：A,B"});
        options.add(
            "follow", follow_,
            {"write the page again and again while the run goes on; the page reloads itself",
             "训练时持续更新网页，网页会自己刷新"});
        options.add("snapshots", snapshots_, "",
                    {"how many snapshots of the model the page holds (always the last one, and at "
                     "most 8 MB in all); -1: all of them, however large",
                     "网页带几份权重快照（最后一份总在其中），整页不超过 8 MB；-1 "
                     "表示全部，网页也更大"},
                    -1, kMostSnapshots);
        options.add("out", out_, "",
                    {"the page to write; without it RUN/report.html",
                     "网页写到哪里；不写则是 RUN/report.html"});
        options.never_empty();
        options.add("force", force_, kForce);
    }
    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& run = only_word(words, kOneRun, "zhuyi report runs/village");
        const std::string out = out_.empty() ? RunFolder{run}.report() : out_;
        if (!out_.empty()) check_output(out, OutputKind::page, force_);
        if (follow_)
            follow_film(run, with_, out);
        else {
            const std::string lacks = write_film_page(run, with_, out, {0, snapshots_}).lacks;
            tell(page_sizes(read_file(out)) + lacks);
        }
        print(out + "\n");
        return 0;
    }

  private:
    std::string with_, out_;
    Index snapshots_ = -1;
    bool follow_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace zhuyi
