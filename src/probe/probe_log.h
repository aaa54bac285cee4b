// probes.csv: what the model knew of each rule at each evaluation of its training. A fixed part of
// the probes is asked each time, all of them after the last step. No clock in it: the same training
// gives the same file.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe/knowledge.h"
#include "system/append_file.h"
#include "train/trainer.h"

namespace zhuyi {

//     step, rule, kind    kind: seen or new
//     right               share of the probes answered right
//     margin              nats, the mean
//     head, weight        of the new probes (Knowledge::head); empty where none is known
struct ProbeHistory {
    struct Evaluation {
        Index step;
        std::vector<Knowledge> rules;  // as long as the list of names, or shorter
    };
    std::vector<std::string> rules;  // names as in the probe file
    std::vector<Evaluation> evaluations;

    // The first evaluation from which on the rule was always known; nothing: it is not known now.
    std::optional<Index> known_since(const std::string& rule) const;
};

// Throws Error, with the line, if a row is none or the steps do not rise. `rules`: names that come
// first, in this order.
ProbeHistory parse_probe_log(std::string_view csv, const std::string& origin,
                             std::vector<std::string> rules = {});

class ProbeLog : public Listener {
  public:
    using Show = std::function<void(const Text& line)>;
    // `steps`: of the whole training. `show` hears of every rule that is known for the first time.
    ProbeLog(const std::string& path, Gpt& model, Questions questions, Index steps, Show show);

    void evaluated(const EvaluationReport& report) override;
    const char* name() const override { return "probes"; }
    std::string state() override { return file_.state(); }
    void resume(const std::string& state) override;

    const Questions& questions() const { return questions_; }
    const ProbeHistory& history() const { return history_; }

  private:
    void show_new(const ProbeHistory::Evaluation& now) const;

    const std::string path_;
    AppendFile file_;
    Gpt& model_;
    Tape tape_{false};
    const Questions questions_, part_;
    const Index steps_;
    const Show show_;
    ProbeHistory history_;
};

}  // namespace zhuyi
