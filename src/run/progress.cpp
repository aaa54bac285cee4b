#include "run/progress.h"

#include <algorithm>
#include <numbers>

#include "base/format.h"
#include "base/utf8.h"
#include "system/printable.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/post_mortem.h"

namespace zhuyi {
constexpr const char* kTimed = "--- steps ";

std::string small_curve(const std::vector<double>& values) {
    constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::size_t kMost = 30;
    if (values.size() < 2) return "";
    const auto first = values.size() > kMost ? values.end() - kMost : values.begin();
    const auto [low, high] = std::minmax_element(first, values.end());
    std::string curve;
    for (auto value = first; value != values.end(); ++value) {
        const double share = *high > *low ? (*value - *low) / (*high - *low) : 0;
        curve += kBlocks[std::size_t(share * 7 + 0.5)];
    }
    return curve;
}

std::optional<double> trained_seconds(std::string_view log, Index step) {
    double seconds = 0;
    Index reached = 0;
    for (const std::string_view line : split(log, "\n")) {
        const std::size_t to = line.find(" to "), took = line.find(": ");
        if (!line.starts_with(kTimed) || to > took || took == line.npos) continue;
        const std::size_t begin = std::string_view(kTimed).size();
        const auto first = parse_integer(line.substr(begin, to - begin));
        const auto last = parse_integer(line.substr(to + 4, took - to - 4));
        const auto length = parse_number(line.substr(took + 2, line.find(" s", took) - took - 2));
        if (!first || !last || !length || *first > reached + 1) continue;
        reached = std::max<Index>(reached, *last);
        seconds += *length;
    }
    if (reached < step) return {};
    return seconds;
}

ProgressLine::ProgressLine(const std::string& log_path, Index steps,
                           TokensPerCharacter per_character, std::optional<double> floor)
    : log_(log_path),
      steps_(steps),
      per_character_(per_character),
      floor_(floor),
      live_(terminal(2).interactive) {}

ProgressLine::~ProgressLine() {
    if (live_ && first_step_ >= 0) tell("\n");
}

// brief: after a bar, which shows the step and leaves little room.
std::vector<std::string> ProgressLine::fields(const StepReport& report, bool brief) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double speed = double(tokens_) / seconds / 1000;
    const std::string last = std::to_string(steps_);
    const std::string done = fit_right(std::to_string(report.step), int(last.size())) + "/" + last;
    const double step = seconds / double(std::max<Index>(1, report.step - first_step_));
    const std::string left = duration_text(step * double(steps_ - report.step));
    std::vector<std::string> all;
    const auto add = [&](const std::string& text) { all.push_back(text); };
    add(brief ? done : say({"step %s", "第 %s 步"}, done));
    add(say({"loss %.3f", "损失 %.3f"}, smooth_loss_));
    if (validation_ > 0 && expected_)
        add(say({"val %.3f → %.2f", "验证 %.3f → %.2f"}, validation_, expected_->nats));
    else if (validation_ > 0)
        add(say({"val %.3f", "验证 %.3f"}, validation_));
    add(say({"lr %.1e", "学习率 %.1e"}, report.learning_rate));
    add(say({"grad %.2f", "梯度范数 %.2f"}, report.gradient_norm));
    add(say({"%.1fk tok/s", "%.1fk token/秒"}, speed));
    add(brief ? say({"%s", "剩 %s"}, left) : say({"%s left", "剩余 %s"}, left));
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
    // The curve comes where it leaves room for the bar.
    const std::string curve = small_curve(evaluations_);
    if (!curve.empty() && kShortestBar + 2 + display_width(text + curve) <= width)
        text = curve + " " + text;
    const int room = std::min(kLongestBar, width - 1 - display_width(text));
    if (room < kShortestBar) return fit_left(text, width);
    const auto full = int(room * report.step / std::max<Index>(1, steps_));
    std::string bar;
    for (int i = 0; i < room; ++i) bar += i < full ? "█" : "░";
    return fit_left(bar + " " + text, width);
}

Watcher* ProgressLine::watch(Index step) {
    if (first_step_ >= 0) return nullptr;
    first_step_ = saved_ = step - 1;
    start_ = saved_at_ = Clock::now();
    return nullptr;
}

void ProgressLine::step_done(const StepReport& report) {
    tokens_ += report.tokens;
    const double loss = report.loss * per_character_.train;
    smooth_loss_ = smooth_loss_ == 0 ? loss : 0.9 * smooth_loss_ + 0.1 * loss;

    const bool end = report.step == steps_;
    const Index lines = std::max<Index>(1, steps_ / 20);  // about twenty in a whole run
    const bool due = end || report.step % lines == 0 || report.step == first_step_ + 1;
    const std::string line = due ? joined(fields(report, false), " | ") : "";
    if (due) log_.append(line + "\n");
    if (!live_) {
        if (due) tell(line + "\n");
        return;
    }
    const Clock::time_point now = Clock::now();
    if (!end && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const int width = std::max(1, terminal(2).width - 3);  // the terminal adds the ^C of Ctrl-C
    tell_again(live_line(report, width), Redraw::keep);
}

void ProgressLine::evaluated(const EvaluationReport& report) {
    validation_ = report.loss * per_character_.validation;
    evaluations_.push_back(validation_);
    print(say({"step %td: validation loss %.4f nats per character (%.3f bits)%s",
               "第 %td 步：验证损失 %.4f 奈特/字符（%.3f 比特/字符）%s"},
              report.step, validation_, validation_ / std::numbers::ln2,
              report.best ? say({", best so far", "，目前最好"}) : ""));
    if (!report.document_loss) return;
    if (expected_)
        print(say({"found %.2f, expected %.2f ± %.2f", "实际 %.2f，预计 %.2f ± %.2f"}, validation_,
                  expected_->nats, expected_->error));
    const double loss = *report.document_loss * per_character_.validation;
    print(say({"each document of it read from its beginning: %.4f nats per character%s",
               "其中每篇从头读起：%.4f 奈特/字符%s"},
              loss,
              floor_ ? say({", %.4f above the floor, %.4f", "，比理论下界 %2$.4f 高 %1$.4f"},
                           loss - *floor_, *floor_)
                     : std::string()));
}

// What is written between two checkpoints is lost with its steps where a training is killed.
void ProgressLine::saved(Index step) {
    if (step <= saved_ || first_step_ < 0) return;
    const Clock::time_point now = Clock::now();
    log_.append(format("%s%td to %td: %.3f s\n", kTimed, saved_ + 1, step,
                       std::chrono::duration<double>(now - saved_at_).count()));
    saved_ = step, saved_at_ = now;
}

void ProgressLine::planned(const TrainConfig& training) { steps_ = training.steps; }

void ProgressLine::print(const std::string& line) {
    log_.append(line + "\n");
    if (live_)
        tell_again(line, Redraw::end);
    else
        tell(line + "\n");
}

static Words words_of(Culprit::Kind kind) {
    constexpr Words kWords[] = {
        {"a weight", "一个权重"},
        {"on the way forward", "前向传播"},
        {"its gradient, on the way back", "它的梯度，反向传播"},
        {"a weight's gradient, on the way back", "一个权重的梯度，反向传播"}};
    return kWords[std::size_t(kind)];
}

// "block.1.ffn.gelu" -> "1", or ""
static std::string block_of(const std::string& tensor) {
    constexpr std::string_view kBlock = "block.";
    if (!tensor.starts_with(kBlock)) return "";
    return tensor.substr(kBlock.size(), tensor.find('.', kBlock.size()) - kBlock.size());
}

static std::string where(const Culprit& c) {
    std::string text = c.tensor + " " + c.shape.text();
    if (const std::string block = block_of(c.tensor); !block.empty())
        text += say({", block %s", "，第 %s 层"}, block);
    if (!c.op.empty()) text += say({", op %s", "，运算 %s"}, c.op);
    return text + say({" (%s)", "（%s）"}, words_of(c.kind));
}

static std::string which_element(const Culprit& c, const Tokenizer& tokenizer) {
    const Index columns = c.shape.columns();
    const std::string text = say({"%g, row %td, column %td", "%g，第 %td 行第 %td 列"}, c.value,
                                 c.element / columns, c.element % columns);
    if (!c.token) return text;
    const std::string token = printable(tokenizer.name(*c.token));
    if (c.tensor == "embedding.token") return text + say({": token %s", "：token %s"}, token);
    return text + say({": text %td, position %td, token %s", "：第 %td 段，位置 %td，token %s"},
                      c.text, c.position, token);
}

static std::string what_to_try(const PostMortem& found, const TrainConfig& config) {
    if (!found.culprit)
        return say(
            {"made again, every number was finite: memory or processor may be failing. Go "
             "on with --resume",
             "重算一遍，所有的数都正常：可能是内存或处理器出错。用 --resume 继续"});
    return say({"--learning-rate=%.1g --warmup=%td%s; one at a time",
                "--learning-rate=%.1g --warmup=%td%s；一次只试一项"},
               config.learning_rate / 3, std::max<Index>(100, 2 * config.warmup),
               config.clip == 0 || config.clip > 1 ? " --clip=1" : "");
}

std::string post_mortem_text(const PostMortem& found, const TrainConfig& config,
                             const Tokenizer& tokenizer, const std::string& run) {
    std::string text =
        say({"Step %td made numbers that are infinite or no numbers (nan); the weights were "
             "not changed.",
             "第 %td 步出现了 nan 或无穷大；权重没有更新。"},
            found.step.step);
    const auto add = [&](Words name, const std::string& line) {
        text += "\n  " + fit_left(say(name), 16) + " " + line;
    };
    if (found.step.tokens > 0)
        add({"loss", "损失"},
            say({"%g, gradient norm %g, learning rate %g, clip %g",
                 "%g，梯度范数 %g，学习率 %g，梯度裁剪 %g"},
                found.step.loss, found.step.gradient_norm, found.step.learning_rate, config.clip));
    if (const auto& c = found.culprit) {
        add({"first bad tensor", "最先出错的张量"}, where(*c));
        add({"number", "出错的元素"}, which_element(*c, tokenizer));
        if (!c->before.empty())
            add({"before it", "在它之前"},
                say({"all was well; the largest number of the tensor before, %s, is %g",
                     "一切正常；上一个张量 %s 里最大的数是 %g"},
                    c->before, c->largest));
    }
    add({"to try", "可以试"}, what_to_try(found, config));
    if (found.kept >= 0)
        add({"kept", "保存完好"},
            say({"the checkpoint of step %td is good: %s/last.safetensors; a new run from its best "
                 "weights: zhuyi train … --from %s",
                 "第 %td 步的检查点：%s/last.safetensors；用验证损失最低时的权重重新开始："
                 "zhuyi train … --from %s"},
                found.kept, printable(run), shell_word(run)));
    return text;
}

}  // namespace zhuyi
