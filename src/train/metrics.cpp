#include "train/metrics.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "model/parameters.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

constexpr std::string_view kColumns =
    "step,loss,learning_rate,gradient_norm,validation_loss,fingerprint,document_loss";

// After step 0 every row has the first four columns; validation loss and fingerprint stand together
// or not at all, and without them there is no document loss.
bool is_row(const std::vector<std::string_view>& fields, Index step) {
    const auto number = [&](std::size_t i) { return parse_number(fields[i]).has_value(); };
    if (fields.size() != 7 || parse_integer(fields[0]) != step) return false;
    for (std::size_t i = 1; i < 4; ++i)
        if (step == 0 ? !fields[i].empty() : !number(i)) return false;
    if (fields[4].empty()) return step > 0 && fields[5].empty() && fields[6].empty();
    return number(4) && parse_hash(fields[5]) && (fields[6].empty() || number(6));
}

}  // namespace

MetricsLog::MetricsLog(const std::string& path, Parameters& parameters)
    : path_(path), file_(path), parameters_(parameters) {}

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
    row += ",";
    if (evaluation_ && evaluation_->document_loss) row += number_text(*evaluation_->document_loss);
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
    if (state.empty()) return begin();
    if (!read_file(path_).starts_with(kColumns))
        fail({"%s: an earlier zhuyi wrote it, with other columns",
              "%s：它由早先的 zhuyi 写成，列不同"},
             path_);
}

std::string MetricsLog::set_aside() {
    const std::string kept = file_.set_aside();
    begin();
    return kept;
}

void MetricsLog::begin() {
    file_.append(kColumns);
    file_.append("\n");
}

std::optional<std::uint64_t> fingerprint_at(std::string_view csv, Index step) {
    const std::string begin = "\n" + std::to_string(step) + ",";
    const std::size_t at = csv.find(begin);
    if (at == csv.npos) return {};
    const std::string_view row = csv.substr(at + 1);
    const auto fields = split(row.substr(0, row.find('\n')), ",");
    return fields.size() < 6 ? std::nullopt : parse_hash(fields[5]);
}

Index verify_metrics(std::string_view csv, const std::string& origin) {
    Index step = -2;  // the heading stands where the row of step -1 would
    for (Index line = 1; !csv.empty(); ++line) {
        const std::size_t end = csv.find('\n');
        const std::string_view row = csv.substr(0, end);
        // Rows follow each other; the first is that of step 0, or of a later step where the file
        // was lost and began again.
        if (++step == 0) step = parse_integer(row.substr(0, row.find(','))).value_or(0);
        const bool fits = step < 0 ? row == kColumns : is_row(split(row, ","), step);
        if (!fits || end == csv.npos)
            fail({"%s:%td: expected %s, found %s", "%s 第 %td 行：应是%s，却是 %s"}, origin, line,
                 step < 0 ? say({"the names of the columns", "各列的名字"})
                          : say({"a whole row of step %td", "第 %td 步的完整一行"}, step),
                 in_quotes(row));
        csv.remove_prefix(end + 1);
    }
    return std::max<Index>(step, -1);
}

}  // namespace zhuyi
