#include "run/progress.h"

#include <algorithm>
#include <cstdio>

#include "base/format.h"

namespace zhuyi {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

}  // namespace

ProgressLine::ProgressLine(const std::string& log_path, Index steps, double train_per_character,
                           double validation_per_character, Language language)
    : log_(log_path),
      steps_(steps),
      train_per_character_(train_per_character),
      validation_per_character_(validation_per_character),
      language_(language),
      live_(terminal(2).interactive) {}

ProgressLine::~ProgressLine() {
    if (live_ && first_step_ >= 0) std::fputc('\n', stderr);
}

double ProgressLine::seconds_left(Index done) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return seconds / double(std::max<Index>(1, done - first_step_)) * double(steps_ - done);
}

// brief: for a bar that shows the step and leaves little room.
std::vector<std::string> ProgressLine::fields(const StepReport& report, bool brief) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const bool zh = language_ == Language::chinese;
    const int width = int(std::to_string(steps_).size());
    std::vector<std::string> all;
    all.push_back(format(brief ? "%*td/%td"
                         : zh  ? "第 %*td/%td 步"
                               : "step %*td/%td",
                         width, report.step, steps_));
    all.push_back(format(zh ? "损失 %.3f" : "loss %.3f", smooth_loss_));
    if (validation_ > 0) all.push_back(format(zh ? "验证 %.3f" : "val %.3f", validation_));
    all.push_back(format(zh ? "学习率 %.1e" : "lr %.1e", report.learning_rate));
    all.push_back(format(zh ? "梯度 %.2f" : "grad %.2f", report.gradient_norm));
    all.push_back(format(!zh     ? "%.1fk tok/s"
                         : brief ? "%.1fk/秒"
                                 : "%.1fk 词元/秒",
                         double(tokens_) / seconds / 1000));
    all.push_back(format(!zh     ? brief ? "%s" : "%s left"
                         : brief ? "剩 %s"
                                 : "剩余 %s",
                         duration_text(seconds_left(report.step)).c_str()));
    return all;
}

// A bar and the fields, as far apart as the window is wide; where it is narrow the bar goes first.
std::string ProgressLine::live_line(const StepReport& report, int width) const {
    constexpr int kShortestBar = 5, kLongestBar = 24;
    const std::vector<std::string> words = fields(report, true);
    std::string text;
    for (const char* between : {" | ", "  ", " "}) {
        text = joined(words, between);
        if (kShortestBar + 1 + display_width(text) <= width) break;
    }
    const int room = std::min(kLongestBar, width - 1 - display_width(text));
    if (room < kShortestBar) return fit_left(text, width);
    const auto full = int(room * report.step / std::max<Index>(1, steps_));
    std::string bar;
    for (int i = 0; i < room; ++i) bar += i < full ? "█" : "░";
    return fit_left(bar + " " + text, width);
}

Watcher* ProgressLine::watch(Index step) {
    if (first_step_ < 0) first_step_ = step - 1, start_ = Clock::now();
    return nullptr;
}

void ProgressLine::step_done(const StepReport& report) {
    tokens_ += report.tokens;
    const double loss = report.loss * train_per_character_;
    smooth_loss_ = smooth_loss_ == 0 ? loss : 0.9 * smooth_loss_ + 0.1 * loss;

    const bool end = report.step == steps_;
    const Index lines = std::max<Index>(1, steps_ / 20);  // about twenty in a whole run
    const bool due = end || report.step % lines == 0 || report.step == first_step_ + 1;
    const std::string line = due ? joined(fields(report, false), " | ") : "";
    if (due) log_.append(line + "\n");
    if (!live_) {
        if (due) std::fprintf(stderr, "%s\n", line.c_str());
        return;
    }
    const Clock::time_point now = Clock::now();
    if (!end && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const int width = std::max(1, terminal(2).width - 3);  // the terminal adds the ^C of Ctrl-C
    std::fprintf(stderr, "\r%s\033[K", live_line(report, width).c_str());
}

void ProgressLine::evaluated(const EvaluationReport& report) {
    validation_ = report.loss * validation_per_character_;
    const bool zh = language_ == Language::chinese;
    say(format(zh ? "第 %td 步：验证损失 %.4f 奈特/字（%.3f 比特/字）%s"
                  : "step %td: validation loss %.4f nats per character (%.3f bits)%s",
               report.step, validation_, validation_ / 0.6931471805599453,
               report.best ? (zh ? "，目前最好" : ", best so far") : ""));
}

void ProgressLine::say(const std::string& line) {
    log_.append(line + "\n");
    std::fprintf(stderr, live_ ? "\r\033[K%s\n" : "%s\n", line.c_str());
}

}  // namespace zhuyi
