// probes.csv: what the model knew of each rule at each evaluation of its training. A fixed part of
// the probes is asked each time, and all of them after the last step. The file holds no time of
// day, so the same training gives the same file.
#pragma once
#include <functional>
#include <string>

#include "autograd/tape.h"
#include "base/language.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "system/append_file.h"
#include "train/update.h"

namespace zhuyi {

class Gpt;

class ProbeLog : public Listener {
  public:
    using Show = std::function<void(const std::string& line)>;
    // `steps`: of the whole training. `show` is called when a rule is known for the first time.
    ProbeLog(const std::string& path, Gpt& model, Questions questions, Index steps, Show show);

    void evaluated(const EvaluationReport& report) override;
    const char* name() const override { return "probes"; }
    std::string state() override { return file_.state(); }
    void resume(const std::string& state) override;
    std::string set_aside() override;

    const Questions& questions() const { return questions_; }
    const ProbeHistory& history() const { return history_; }

  private:
    void forget();
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
