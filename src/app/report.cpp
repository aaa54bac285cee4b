#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "film/history.h"
#include "run/report.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/interrupt.h"
#include "system/output.h"

namespace zhuyi {
namespace {

constexpr Index kRefresh = 5;  // seconds between two looks at a run that goes on

// A run that has just begun has a film that is not whole yet, or none.
bool has_frame(const std::string& film) {
    try {
        return !parse_history(read_file(film), film).frames.empty();
    } catch (const Error&) {
        return false;
    }
}

class ReportCommand : public Command {
  public:
    const char* name() const override { return "report"; }
    const char* usage() const override { return "RUN [--with OTHER_RUN] [--follow] [--out FILE]"; }
    Words summary() const override {
        return {"play the training back: one page that opens without a network",
                "回放训练过程：一个不用联网就能打开的网页"};
    }
    void declare(Options& options) override {
        options.group({"report", "报告"});
        options.add("with", with_, "",
                    {"draw the curves of another run beside", "把另一次运行的曲线画在旁边"});
        options.add("follow", follow_,
                    {"while the run goes on: write the page again and again; it reloads itself",
                     "训练进行时不断重写网页，网页会自己刷新"});
        options.add(
            "out", out_, "",
            {"the page to write; none: RUN/report.html", "网页写到哪里；不写则是 RUN/report.html"});
    }
    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 1)
            fail_usage_english("report takes one RUN: zhuyi report runs/stories");
        const std::string out = out_.empty() ? RunFolder{words[0]}.report().string() : out_;
        if (follow_)
            follow(words[0], out, language);
        else
            write_film_page(words[0], with_, out, {language, 0});
        print(out + "\n");
        return 0;
    }

  private:
    void follow(const std::string& path, const std::string& out, Language language) const {
        const InterruptListener interrupt;
        const std::string film = RunFolder{path}.history().string();
        const Index steps = read_run_config({path}).train.steps;
        std::uintmax_t seen = 0;  // bytes of the film on the page
        std::fprintf(stderr,
                     language == Language::chinese ? "%s 会自己刷新；Ctrl-C 结束\n"
                                                   : "%s reloads itself; Ctrl-C ends\n",
                     out.c_str());
        while (!interrupt.requested()) {
            std::error_code none_yet;
            const std::uintmax_t size = std::filesystem::file_size(film, none_yet);
            if (!none_yet && size != seen && (seen > 0 || has_frame(film))) {
                seen = size;
                if (write_film_page(path, with_, out, {language, kRefresh}) >= steps) break;
            }
            std::this_thread::sleep_for(std::chrono::seconds(2));
        }
        write_film_page(path, with_, out, {language, 0});
    }

    std::string with_, out_;
    bool follow_ = false;
};

}  // namespace

std::unique_ptr<Command> report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace zhuyi
