#include "probe/probe_log.h"

#include <algorithm>

#include "model/gpt.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {

ProbeLog::ProbeLog(const std::string& path, Gpt& model, Questions questions, Index steps, Show show)
    : path_(path),
      file_(path),
      model_(model),
      questions_(std::move(questions)),
      part_(part_of(questions_, kCarriersAsked)),
      steps_(steps),
      show_(std::move(show)) {}

void ProbeLog::evaluated(const EvaluationReport& report) {
    const bool last = report.step == steps_;
    const Questions& asked = last ? questions_ : part_;
    ProbeHistory::Evaluation now{report.step,
                                 knowledge(asked, ask(model_, tape_, asked), model_.config())};
    if (last) add_carriers(now.rules, ablate(model_, tape_, part_, true));
    file_.append(probe_log_rows(now, history_.rules));
    show_new(now);
    history_.evaluations.push_back(now);
}

void ProbeLog::show_new(const ProbeHistory::Evaluation& now) const {
    for (std::size_t rule = 0; rule < now.rules.size(); ++rule) {
        const Knowledge& k = now.rules[rule];
        const auto knew = [&](const ProbeHistory::Evaluation& e) { return e.of(rule).known(); };
        if (!k.known() || std::ranges::any_of(history_.evaluations, knew)) continue;
        const Words combinations = k.unseen ? Words{"new combinations", "新组合"}
                                            : Words{"seen combinations", "见过的组合"};
        const Text& name = questions_.rules[rule];
        std::string line = say({"step %td, 90 %% for the first time: \"%s\" (%s %.0f %%)",
                                "第 %td 步，首次达到 90 %%：“%s”（%s %.0f %%）"},
                               now.step, printable(say(name)), combinations,
                               100 * (k.unseen ? k.unseen : k.seen)->right);
        if (k.worst) line += say({", worst answer %s", "，最差的答案 %s"}, k.worst->said());
        if (k.head)
            line += say({", head %s puts %.2f on what decides", "，头 %s 对依据的注意力权重 %.2f"},
                        k.head->name(), k.weight);
        show_(line);
    }
}

void ProbeLog::forget() {
    history_ = {};
    for (const Text& rule : questions_.rules) history_.rules.push_back(rule.chinese);
}

std::string ProbeLog::set_aside() {
    const std::string kept = file_.set_aside();
    forget();
    file_.append(kProbeLogColumns);
    return kept;
}

void ProbeLog::resume(const std::string& state) {
    file_.cut_back(state);
    forget();
    if (state.empty())
        file_.append(kProbeLogColumns);
    else
        history_ = parse_probe_log(read_file(path_), path_, questions_.rules);
}

}  // namespace zhuyi
