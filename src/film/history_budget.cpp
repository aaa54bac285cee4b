#include <algorithm>

#include "film/history_recorder.h"
#include "film/stream_list.h"

namespace zhuyi {

// However often a run is made longer, its history keeps to the budget: a frame for which there is
// no room is left out, and room for the last one, which carries matrices, is kept.
bool HistoryRecorder::fits(Index step) const {
    const double used = double(file_.size()) - other_bytes_;
    const double last = std::max(plain_bytes_, matrix_bytes_);
    const double now = plan_.matrices_at(step) ? last : plain_bytes_;
    constexpr double kForFrames = 0.9;  // as history_size.cpp plans
    return plan_.budget == 0 ||
           used + now + (step == plan_.last_step(step) ? 0 : last) <= kForFrames * plan_.budget;
}

void HistoryRecorder::count(const Frame& frame) {
    double bytes = 0;
    bool matrices = false;
    for (std::size_t i = 0; i < frame.data.size(); ++i) {
        const std::string& name = start_.streams[i].name;
        matrices = matrices || (name.starts_with("matrix.") && !frame.data[i].empty());
        (name == kSnapshot ? other_bytes_ : bytes) += double(frame.data[i].size());
    }
    (matrices ? matrix_bytes_ : plain_bytes_) = bytes;
}

void HistoryRecorder::count_all(const History& history) {
    for (const Frame& frame : history.frames) count(frame);
    for (const CurvePoint& point : history.curve) other_bytes_ += double(record(point).size());
    for (const auto* points : {&history.evaluations, &history.documents})
        for (const EvaluationPoint& point : *points)
            other_bytes_ += double(record(RecordKind::evaluation, point).size());
}

void HistoryRecorder::add(const std::string& record) {
    other_bytes_ += double(record.size());
    file_.append(record);
}

}  // namespace zhuyi
