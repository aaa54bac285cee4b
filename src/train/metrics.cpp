#include "train/metrics.h"

#include "base/format.h"
#include "base/hash.h"
#include "base/number.h"

namespace zhuyi {

MetricsLog::MetricsLog(const std::string& path, Parameters& parameters)
    : file_(path), parameters_(parameters) {}

void MetricsLog::step_done(const StepReport& report) {
    write_row();
    step_ = report;
}

void MetricsLog::evaluated(const EvaluationReport& report) {
    evaluation_ = report;
    fingerprint_ = parameters_.fingerprint();
}

void MetricsLog::write_row() {
    if (!step_ && !evaluation_) return;
    std::string row = std::to_string(step_ ? step_->step : evaluation_->step);
    if (step_)
        for (double x : {step_->loss, step_->learning_rate, step_->gradient_norm})
            row += "," + number_text(x);
    else
        row += ",,,";
    row +=
        evaluation_ ? "," + number_text(evaluation_->loss) + "," + hash_text(fingerprint_) : ",,";
    file_.append(row + "\n");
    step_.reset();
    evaluation_.reset();
}

std::string MetricsLog::state() {
    write_row();
    return file_.state();
}

void MetricsLog::resume(const std::string& state) {
    file_.cut_back(state);
    if (state.empty())
        file_.append("step,loss,learning_rate,gradient_norm,validation_loss,fingerprint\n");
}

}  // namespace zhuyi
