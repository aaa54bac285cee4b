#include "film/history_recorder.h"

#include <algorithm>
#include <sstream>

#include "attention/neighbors.h"
#include "attention/roles.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "film/pushes.h"
#include "film/stream_list.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "system/input_file.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"

namespace zhuyi {
constexpr Index kSampleTokens = 32;
constexpr Index kCurvePoints = 4096;  // in a longer training one point is the mean of several steps

// How often these tokens stand in a text, one after the other.
static Index occurrences(const std::vector<Token>& sentence, std::span<const Token> text) {
    Index count = 0;
    for (auto at = text.begin(); !sentence.empty(); ++at, ++count)
        if (at = std::search(at, text.end(), sentence.begin(), sentence.end()); at == text.end())
            break;
    return count;
}

HistoryRecorder::HistoryRecorder(const Subject& subject, HistoryPlan plan)
    : subject_(subject),
      plan_(std::move(plan)),
      E_(subject.parameters.tensor("embedding.token")),
      place_of_(std::size_t(subject.tokenizer.size()), -1),
      candidates_(possible_neighbours(subject.tokenizer)),
      file_(subject.folder.file(kHistoryFile)),
      met_(plan_.watched.size()),
      path_(subject.parameters.table().size()),
      followed_(plan_.sentences.size()),
      punctuation_(punctuation_of(subject.tokenizer)),
      lookup_(place_of_, plan_.watched.count(), E_.columns()) {
    for (Index i = 0; i < plan_.watched.count(); ++i) place_of_[plan_.watched[i]] = i;
}

Watcher* HistoryRecorder::watch(Index step) {
    if (!begun_) begin(step - 1);
    subject_.optimizer.measure_next_update();
    if (!holds(plan_.steps, step)) return nullptr;
    lookup_.clear();
    return &lookup_;
}

void HistoryRecorder::drawn(const Batch& batch) {
    lookup_.read(batch.ids);
    for (const Token id : batch.ids)
        if (const Index place = place_of_[id]; place >= 0) met_[place] += 1;
}

void HistoryRecorder::step_done(const StepReport& report) {
    const Index steps = planned_steps(report.step - 1, plan_.plans);
    const Index together = (steps + kCurvePoints - 1) / kCurvePoints;
    sums_.loss += report.loss;
    sums_.learning_rate += report.learning_rate;
    sums_.gradient_norm += report.gradient_norm;
    ++sums_.step;
    const std::vector<UpdateSize>& moved = subject_.optimizer.measured_update();
    for (std::size_t row = 0; row < moved.size(); ++row) path_[row] += moved[row].moved;
    if (report.step % together == 0 || report.step == steps) {
        const double n = double(sums_.step);
        add(record(CurvePoint{report.step, sums_.loss / n, sums_.learning_rate / n,
                              sums_.gradient_norm / n}));
        sums_ = {};
    }
    if (holds(plan_.steps, report.step) && fits(report.step))
        record_frame(report.step, report.learning_rate > 0);
}

void HistoryRecorder::evaluated(const EvaluationReport& report) {
    if (!begun_) begin(report.step);
    add(record(RecordKind::evaluation, {report.step, report.loss}));
    if (report.document_loss)
        add(record(RecordKind::documents, {report.step, *report.document_loss}));
}

void HistoryRecorder::planned(const TrainConfig& training) {
    plan_.follow(plans_of(training));
    if (const Index step = std::exchange(begins_at_, -1); step >= 0 && !begun_) begin(step);
}

void HistoryRecorder::begin(Index step) {
    if (step == 0) {
        const Out now = subject_.parameters.values();
        first_.assign(now.begin(), now.end());
    } else {
        load_first_weights();
    }
    for (const Parameter& p : subject_.parameters.table()) start_.parameters.push_back(row_of(p));
    Measured once;
    const auto C = std::size_t(E_.columns());
    for (const Token token : plan_.watched) {
        once["watched"].push_back(token);
        const In E = first_of("embedding.token").subspan(std::size_t(token) * C, C);
        once["watched.start"].insert(once["watched.start"].end(), E.begin(), E.end());
    }
    for (std::size_t s = 0; s < plan_.sentences.size(); ++s)
        once[sentence_stream(s)].assign(plan_.sentences[s].begin(), plan_.sentences[s].end());
    for (const std::vector<Token>& sentence : plan_.sentences)
        once["sentences.met"].push_back(double(occurrences(sentence, subject_.train)));
    measure_text(once, subject_.per_character, subject_.levels);
    if (subject_.pushes) subject_.pushes->describe(once);
    start_.streams = plan_.streams;
    start_.start = packed(step, once, true);
    last_moved_.assign(plan_.watched.size() * C, 0);
    begun_ = true;
    file_.append(std::string(kHistoryMagic) + start_record(start_));
    record_frame(step, false);
}

// The values at step 0 of a row of the parameter table.
In HistoryRecorder::first_of(const std::string& row) const {
    const Tensor now = subject_.parameters.tensor(row);
    return In(first_).subspan(std::size_t(now.value - subject_.parameters.values().data()),
                              std::size_t(now.size()));
}

void HistoryRecorder::load_first_weights() {
    Parameters first(subject_.parameters.table(), false);
    read_checkpoint(subject_.folder.checkpoint("first"), first);
    first_.assign(first.values().begin(), first.values().end());
}

// The measured numbers, as the file's streams want them. A file that another program began may list
// streams that this program does not measure: these stay empty.
Frame HistoryRecorder::packed(Index step, const Measured& measured, bool once) const {
    Frame frame{step, {}};
    for (const HistoryStream& stream : start_.streams) {
        const auto found = measured.find(stream.name);
        const bool there = found != measured.end() && stream.readable() && stream.once() == once;
        frame.data.push_back(there ? stream.encoded(found->second) : "");
    }
    return frame;
}

// updated: by a step of learning; the frame of step 0, for one, has none before it.
void HistoryRecorder::record_frame(Index step, bool updated) {
    Measured frame;
    measure_parameters(frame, subject_.parameters, first_,
                       updated ? subject_.optimizer.measured_update() : std::vector<UpdateSize>());
    frame["parameter.path"] = path_;
    frame["heads.roles"] = measure_roles(subject_.model, tape_, plan_.role_texts, punctuation_);
    measure_watched(frame, E_, plan_.watched, first_of("embedding.token"), last_moved_);
    frame["watched.met"] = std::exchange(met_, List<double>(plan_.watched.size()));
    Tensor E = subject_.parameters.tensor("embedding.token");
    if (!updated) E.gradient = nullptr;
    lookup_.measure(frame, E, plan_.watched, subject_.model.config().tied);
    measure_neighbours(frame, E_, plan_.watched, candidates_, tape_.workspace());
    const bool snapshot = holds(plan_.snapshot_steps, step);
    for (std::size_t s = 0; s < plan_.sentences.size(); ++s)
        measure_sentence(frame, s, subject_.model, tape_, std::span(plan_.sentences[s]),
                         followed_[s], snapshot);
    if (snapshot) measure_weights(frame, subject_.parameters);
    if (subject_.pushes && holds(plan_.push_steps, step)) subject_.pushes->measure(frame);
    const std::vector<Token> prompt = plan_.sentences.empty()
                                          ? std::vector{subject_.tokenizer.end_of_text()}
                                          : plan_.sentences[0];
    measure_sample(frame, subject_.model, subject_.tokenizer,
                   std::span(prompt).first(std::min<std::size_t>(prompt.size(), 3)), kSampleTokens);
    const Frame whole = packed(step, frame, false);
    count(whole);
    file_.append(record(whole));
    // Not E itself but the rounded numbers in the file: a resumed training has only these.
    last_moved_ = start_.numbers(whole, "watched.moved").as<double>();
}

// However often a run is made longer, its history keeps to the budget: a frame for which there is
// no room is left out, and room for the last one is kept.
bool HistoryRecorder::fits(Index step) const {
    const double used = double(file_.size()) - other_bytes_;
    const bool last = step == planned_steps(step - 1, plan_.plans);
    constexpr double kForFrames = 0.9;  // as history_plan.cpp plans
    return plan_.budget == 0 || used + (last ? 1 : 2) * frame_bytes_ <= kForFrames * plan_.budget;
}

void HistoryRecorder::count(const Frame& frame) {
    frame_bytes_ = 0;
    for (std::size_t i = 0; i < frame.data.size(); ++i) {
        const bool snapshot = start_.streams[i].name == kSnapshot;
        (snapshot ? other_bytes_ : frame_bytes_) += double(frame.data[i].size());
    }
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

//     length hash   steps loss learning_rate gradient_norm (of the unfinished curve point)   met …
//     path … (where the file has it)
std::string HistoryRecorder::state() {
    if (!begun_) return {};
    std::string text = file_.state() + " " + std::to_string(sums_.step);
    for (double sum : {sums_.loss, sums_.learning_rate, sums_.gradient_norm})
        text += " " + number_text(sum);
    for (double times : met_) text += " " + std::to_string(std::uint32_t(times));
    if (start_.stream("parameter.path"))
        for (double length : path_) text += " " + number_text(length);
    return text;
}

// Somebody may have edited what is recorded, or the model's context or heads: the frames to come
// would not fit those that are there. (A film of another program may lack streams, or have others.)
void HistoryRecorder::check_same_film(const History& history) const {
    if (history.watched != plan_.watched || history.sentences != plan_.sentences ||
        recorded_in(history).heads != subject_.model.config().heads)
        fail({"%s was recorded with other options than run.conf has now",
              "%s 是按另外的选项记录的，与 run.conf 现在的不同"},
             subject_.folder.file(kHistoryFile));
}

void HistoryRecorder::resume(const std::string& state) {
    if (state.empty()) return file_.cut_back("");
    std::istringstream words(state);
    std::string length, hash;
    words >> length >> hash >> sums_.step >> sums_.loss >> sums_.learning_rate >>
        sums_.gradient_norm;
    for (double& times : met_) words >> times;
    const std::string path = subject_.folder.file(kHistoryFile);
    History history = verify_history(path, state);
    if (history.stream("parameter.path"))
        for (double& row : path_) words >> row;
    if (!words)
        fail({"%s: what the checkpoint says about it is damaged", "%s：检查点中关于它的记录已损坏"},
             path);
    check_same_film(history);
    file_.cut_back(state);
    last_moved_ = history.numbers(history.frames.back(), "watched.moved").as<double>();
    followed_ = followed_in(history);
    start_ = std::move(history);
    count_all(start_);
    start_.frames.clear();
    load_first_weights();
    begun_ = true;
}

std::string HistoryRecorder::set_aside() {
    start_ = {}, begun_ = false, sums_ = {};
    frame_bytes_ = other_bytes_ = 0;
    met_.assign(met_.size(), 0), path_.assign(path_.size(), 0);
    followed_.assign(plan_.sentences.size(), {});
    return file_.set_aside();
}

}  // namespace zhuyi
