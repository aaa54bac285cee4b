// The small listeners of a training: faults made on purpose, the pace of --minutes, the note of its
// options.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "base/check.h"
#include "base/format.h"
#include "cost/plan.h"
#include "run/session.h"
#include "system/disk.h"
#include "system/options.h"
#include "system/printable.h"
#include "train/checkpoint.h"

namespace zhuyi {
constexpr std::pair<const char*, disk::Fault> kFaults[] = {
    {"short", disk::Fault::short_write}, {"enospc", disk::Fault::no_space},
    {"eio", disk::Fault::io_error},      {"unreadable", disk::Fault::unreadable},
    {"kill", disk::Fault::kill},         {"no-locks", disk::Fault::no_locks}};
constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

constexpr double kShares[] = {1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4};
constexpr double kPage = 0.01;  // share of --minutes that is kept for the page and the samples

static bool is_noted(const std::string& name) {
    for (const char* free : {"data", "plan", "steps", "save_every", "stop_after"})
        if (name == free) return false;
    return true;
}

// "name=value" lines; a value has no line end (\ and n stand for one).
static std::string line_of(const std::string& name, const std::string& value) {
    std::string line = name + "=";
    for (const char c : value) line += c == '\n' ? "\\n" : std::string(1, c);
    return line + "\n";
}

static std::string note_of(const RunConfig& config) {
    RunConfig copy = config;
    Options options;
    declare(options, copy);
    std::string note;
    for (const Options::Entry& entry : options.entries())
        if (entry.name == "probes")  // whether there are any; the path may be any bytes
            note += line_of(entry.name, entry.get().empty() ? "" : "yes");
        else if (is_noted(entry.name))
            note += line_of(entry.name, entry.get());
    return note;
}

// Returns the value that a note has for a name, or nothing.
static std::optional<std::string> value_in(const std::string& note, const std::string& name) {
    const std::string lines = "\n" + note, key = "\n" + name + "=";
    const std::size_t at = lines.find(key), begin = at + key.size();
    if (at == lines.npos) return {};
    return lines.substr(begin, lines.find('\n', begin) - begin);
}

FaultInjection::FaultInjection(const std::string& wish) {
    std::istringstream wishes(wish);
    for (std::string one; std::getline(wishes, one, ',');) arrange(one);
}

void FaultInjection::arrange(const std::string& wish) {
    const std::size_t at = std::min(wish.find('@'), wish.size());
    const std::size_t colon = std::min(wish.find(':', at), wish.size());
    const std::string what = wish.substr(0, at);
    const auto number = parse_integer(wish.substr(std::min(at + 1, colon), colon - at - 1));
    if (!number || *number < 1)
        fail_usage(
            {"--inject: expected WHAT@NUMBER, found %s", "--inject：格式是 故障@次数，这里是 %s"},
            in_quotes(wish));
    if (colon < wish.size() && (what == "inf" || what == "inf-gradient")) {
        poisons_.push_back({what == "inf-gradient", *number, wish.substr(colon + 1)});
        return;
    }
    for (const auto& [name, fault] : kFaults)
        if (what == name && colon == wish.size()) return disk::inject(fault, *number);
    fail_usage({"--inject: there is no such fault: %s", "--inject：没有这种故障：%s"},
               in_quotes(wish));
}

Watcher* FaultInjection::watch(Index step) {
    step_ = step;
    const auto now = [&](const Poison& poison) { return poison.step == step; };
    return std::ranges::any_of(poisons_, now) ? this : nullptr;
}

bool FaultInjection::hits(const Poison& poison, bool gradient, std::string_view name) const {
    return poison.step == step_ && poison.gradient == gradient && poison.tensor == name;
}

bool FaultInjection::wants(std::string_view name) const {
    return std::ranges::any_of(
        poisons_, [&](const Poison& p) { return hits(p, false, name) || hits(p, true, name); });
}

void FaultInjection::replace(std::string_view name, const Tensor& tensor) {
    for (const Poison& poison : poisons_)
        if (hits(poison, false, name)) tensor.value[0] = kInfinite;
}

void FaultInjection::replace_gradient(std::string_view name, Out gradient) {
    for (const Poison& poison : poisons_)
        if (hits(poison, true, name)) gradient[0] = kInfinite;
}

PaceKeeper::PaceKeeper(double seconds, Clock::time_point begun, Trainer& trainer, RunConfig& config,
                       const RunFolder& folder)
    : seconds_(seconds),
      begun_(begun),
      trainer_(trainer),
      config_(config),
      folder_(folder),
      then_(elapsed()) {}

double PaceKeeper::elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begun_).count();
}

Watcher* PaceKeeper::watch(Index step) {
    const double now = elapsed();
    if (step_ < 0) {
        step_ = step - 1, then_ = now;
        // A pace is that of more than a few steps.
        while (next_ < std::size(kShares) && kShares[next_] * seconds_ < now + seconds_ / 32)
            ++next_;
    } else if (evaluated_) {
        pause_ = now - done_;
    }
    evaluated_ = false, since_ = now;
    return nullptr;
}

void PaceKeeper::evaluated(const EvaluationReport& report) {
    if (report.step == 0) end_ = elapsed() - then_;
    evaluated_ = true;
}

void PaceKeeper::step_done(const StepReport& report) {
    const double now = elapsed();
    steps_ += now - since_, done_ = now;
    if (next_ == std::size(kShares) || now < kShares[next_] * seconds_) return;
    while (next_ < std::size(kShares) && now >= kShares[next_] * seconds_) ++next_;
    if (report.step >= config_.train.steps) return;
    // Evaluations are more frequent at first than later.
    const double pace =
        steps_ / double(report.step - step_) + pause_ / double(config_.train.eval_every);
    const double left = (1 - kPage) * seconds_ - now - end_;
    step_ = report.step, steps_ = 0;
    trainer_.plan(report.step + std::max<Index>(1, Index(std::floor(left / pace))));
}

void PaceKeeper::planned(const TrainConfig& training) {
    if (training.plan == config_.train.plan) return;
    config_.train = training;
    write_run_config(folder_, config_);
}

ConfigNote::ConfigNote(const RunFolder& folder) : note_(note_of(read_run_config(folder))) {}

void ConfigNote::adopt(const std::vector<ConfigDifference>& changes) {
    for (std::string* note : {&note_, &kept_})
        for (const ConfigDifference& change : changes)
            if (const std::size_t at = ("\n" + *note).find("\n" + change.name + "=");
                at != note->npos)
                note->replace(at, note->find('\n', at) + 1 - at,
                              line_of(change.name, change.second));
}

std::string words_of_edits(const Checkpoint& checkpoint, const RunConfig& config) {
    const auto noted = checkpoint.listeners.find("config");
    if (noted == checkpoint.listeners.end()) return {};
    std::istringstream now(note_of(config));
    std::string changes;
    for (std::string line; std::getline(now, line);) {
        const std::string name = line.substr(0, line.find('=')), is = line.substr(name.size() + 1);
        if (const auto was = value_in(noted->second, name); was && *was != is)
            changes += (changes.empty() ? "" : "; ") + name + " " + in_quotes(*was) + " → " +
                       in_quotes(is);
    }
    if (changes.empty()) return {};
    return say({"run.conf was edited after step %td: %s. Training goes on with the new values, and "
                "from that step on it is not the one that run.conf describes; put the old values "
                "back to go on as it began.\n",
                "run.conf 在第 %td 步之后被改动过：%s。训练会用新的值继续，从那一步起它就不再是 "
                "run.conf 所写的那次训练；要照原样继续，请改回原来的值。\n"},
               checkpoint.step, changes);
}

}  // namespace zhuyi
