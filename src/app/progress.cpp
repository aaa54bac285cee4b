#include "app/progress.h"

#include <algorithm>
#include <cstdio>

#include "base/format.h"

namespace zhuyi {
namespace {

std::string duration(double seconds) {
    const long s = std::max(0L, long(seconds + 0.5));
    return s < 3600 ? format("%ld:%02ld", s / 60, s % 60)
                    : format("%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
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

std::string ProgressLine::line(const StepReport& report) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const bool zh = language_ == Language::chinese;
    const char* pattern =
        zh ? "第 %*td/%td 步 | 损失 %.3f%s | 学习率 %.1e | 梯度 %.2f | 每秒 %.1fk token | 剩余 %s"
           : "step %*td/%td | loss %.3f%s | lr %.1e | grad %.2f | %.1fk tok/s | %s left";
    const int width = int(std::to_string(steps_).size());
    std::string validation;
    if (validation_ > 0) validation = format(zh ? " | 验证 %.3f" : " | val %.3f", validation_);
    return format(pattern, width, report.step, steps_, smooth_loss_, validation.c_str(),
                  report.learning_rate, report.gradient_norm, double(tokens_) / seconds / 1000,
                  duration(seconds_left(report.step)).c_str());
}

void ProgressLine::step_done(const StepReport& report) {
    if (first_step_ < 0) first_step_ = report.step - 1;
    tokens_ += report.tokens;
    const double loss = report.loss * train_per_character_;
    smooth_loss_ = smooth_loss_ == 0 ? loss : 0.9 * smooth_loss_ + 0.1 * loss;

    const bool end = report.step == steps_;
    const Index lines = std::max<Index>(1, steps_ / 20);  // about twenty in a whole run
    const bool due = end || report.step % lines == 0 || report.step == first_step_ + 1;
    if (due) log_.append(line(report) + "\n");
    if (!live_) {
        if (due) std::fprintf(stderr, "%s\n", line(report).c_str());
        return;
    }
    const Clock::time_point now = Clock::now();
    if (!end && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    constexpr int kBar = 16;
    const int full = int(kBar * report.step / std::max<Index>(1, steps_));
    std::string bar;
    for (int i = 0; i < kBar; ++i) bar += i < full ? "█" : "░";
    const int width = std::max(1, terminal(2).width - 1);
    std::fprintf(stderr, "\r%s", fit_left(bar + " " + line(report), width).c_str());
}

void ProgressLine::evaluated(const EvaluationReport& report) {
    validation_ = report.loss * validation_per_character_;
    const bool zh = language_ == Language::chinese;
    say(format(zh ? "第 %td 步：验证损失 %.4f nats/字（%.3f bits/字）%s"
                  : "step %td: validation loss %.4f nats per character (%.3f bits)%s",
               report.step, validation_, validation_ / 0.6931471805599453,
               report.best ? (zh ? "，目前最好" : ", best so far") : ""));
}

void ProgressLine::say(const std::string& line) {
    log_.append(line + "\n");
    std::fprintf(stderr, live_ ? "\r\033[K%s\n" : "%s\n", line.c_str());
}

}  // namespace zhuyi
