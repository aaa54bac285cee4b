#include "film/history_recorder.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "attention/neighbors.h"
#include "attention/roles.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/number.h"
#include "film/lookup_gradient.h"
#include "film/pushes.h"
#include "film/stream_list.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "system/input_file.h"
#include "text/tokenizer.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/update.h"

namespace zhuyi {
namespace {

constexpr Index kSampleTokens = 32;
constexpr Index kCurvePoints = 4096;  // in a longer training one point is the mean of several steps

// How often these tokens stand in a text, one after the other.
Index occurrences(const std::vector<Token>& sentence, std::span<const Token> text) {
    Index count = 0;
    for (auto at = text.begin(); !sentence.empty(); ++at, ++count)
        if (at = std::search(at, text.end(), sentence.begin(), sentence.end()); at == text.end())
            break;
    return count;
}

}  // namespace

HistoryRecorder::HistoryRecorder(const Subject& subject, HistoryPlan plan)
    : subject_(subject),
      plan_(std::move(plan)),
      E_(subject.parameters.tensor("embedding.token")),
      place_of_(std::size_t(subject.tokenizer.size()), -1),
      candidates_(possible_neighbours(subject.tokenizer)),
      file_((subject.folder.path / kHistoryFile).string()),
      met_(plan_.watched.size()),
      path_(subject.parameters.table().size()),
      followed_(plan_.sentences.size()),
      punctuation_(punctuation_of(subject.tokenizer)) {
    for (std::size_t i = 0; i < plan_.watched.size(); ++i)
        place_of_[std::size_t(plan_.watched[i])] = Index(i);
    lookup_ = std::make_unique<LookupGradient>(place_of_, plan_.watched.size(), E_.columns());
}

HistoryRecorder::~HistoryRecorder() = default;

Watcher* HistoryRecorder::watch(Index step) {
    if (!begun_) begin(step - 1);
    subject_.optimizer.measure_next_update();
    if (!plan_.frame_at(step)) return nullptr;
    lookup_->clear();
    return lookup_.get();
}

void HistoryRecorder::read(const Batch& batch) {
    lookup_->read(batch.ids);
    for (Token id : batch.ids)
        if (const Index place = place_of_[std::size_t(id)]; place >= 0)
            met_[std::size_t(place)] += 1;
}

void HistoryRecorder::step_done(const StepReport& report) {
    const Index steps = plan_.last_step(report.step);
    const Index together = (steps + kCurvePoints - 1) / kCurvePoints;
    sums_.loss += report.loss;
    sums_.learning_rate += report.learning_rate;
    sums_.gradient_norm += report.gradient_norm;
    ++sums_.step;
    const std::vector<UpdateSize>& moved = subject_.optimizer.measured_update();
    for (std::size_t row = 0; row < path_.size(); ++row) path_[row] += moved[row].moved;
    if (report.step % together == 0 || report.step == steps) {
        const double n = double(sums_.step);
        add(record(CurvePoint{report.step, sums_.loss / n, sums_.learning_rate / n,
                              sums_.gradient_norm / n}));
        sums_ = {};
    }
    if (plan_.frame_at(report.step) && fits(report.step))
        record_frame({report.step, report.learning_rate});
}

void HistoryRecorder::evaluated(const EvaluationReport& report) {
    if (!begun_) begin(report.step);
    add(record(RecordKind::evaluation, {report.step, report.loss}));
    if (report.document_loss)
        add(record(RecordKind::documents, {report.step, *report.document_loss}));
}

void HistoryRecorder::planned(const TrainConfig& training) { plan_.follow(plans_of(training)); }

void HistoryRecorder::begin(Index step) {
    if (step == 0) {
        const Out now = subject_.parameters.values();
        first_.assign(now.begin(), now.end());
    } else {
        load_first_weights();
    }
    for (const Parameter& p : subject_.parameters.table()) start_.parameters.push_back(row_of(p));
    Measured once;
    const std::size_t C = std::size_t(E_.columns());
    for (const Token token : plan_.watched) {
        once["watched"].push_back(token);
        const Real* E = first_of("embedding.token") + std::size_t(token) * C;
        once["watched.start"].insert(once["watched.start"].end(), E, E + C);
    }
    for (std::size_t s = 0; s < plan_.sentences.size(); ++s)
        once[sentence_stream(s)].assign(plan_.sentences[s].begin(), plan_.sentences[s].end());
    for (const std::vector<Token>& sentence : plan_.sentences)
        once["sentences.met"].push_back(double(occurrences(sentence, subject_.train)));
    for (const std::string& row : plan_.matrices) {
        const Real* values = first_of(row);
        once[matrix_stream(row, "start")].assign(
            values, values + subject_.parameters.tensor(row).shape.size());
    }
    measure_text(once, subject_.per_character, subject_.levels);
    if (subject_.pushes) subject_.pushes->describe(once);
    start_.streams = plan_.streams;
    start_.start = packed(step, once, true);
    last_moved_.assign(plan_.watched.size() * C, 0);
    begun_ = true;
    file_.append(std::string(kHistoryMagic) + start_record(start_));
    record_frame({step, 0});
}

// The values at step 0 of a row of the parameter table.
const Real* HistoryRecorder::first_of(const std::string& row) {
    return first_.data() +
           (subject_.parameters.tensor(row).value - subject_.parameters.values().data());
}

void HistoryRecorder::load_first_weights() {
    Parameters first(subject_.parameters.table(), false);
    read_checkpoint(subject_.folder.checkpoint("first").string(), first);
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

void HistoryRecorder::record_frame(const LastUpdate& update) {
    Measured frame;
    const bool made = update.learning_rate > 0;
    measure_parameters(frame, subject_.parameters, first_,
                       made ? subject_.optimizer.measured_update() : std::vector<UpdateSize>());
    frame["parameter.path"] = path_;
    frame["heads.roles"] = measure_roles(subject_.model, tape_, plan_.role_texts, punctuation_);
    measure_watched(frame);
    measure_gradient_parts(frame, update);
    measure_neighbours(frame, E_, plan_.watched, candidates_, tape_.workspace());
    const bool snapshot = plan_.snapshot_at(update.step);
    for (std::size_t s = 0; s < plan_.sentences.size(); ++s)
        measure_sentence(frame, s, subject_.model, tape_, plan_.sentences[s], followed_[s],
                         snapshot ? Logits::yes : Logits::no);
    if (snapshot) measure_weights(frame, subject_.parameters);
    if (subject_.pushes && plan_.pushes_at(update.step)) subject_.pushes->measure(frame);
    if (plan_.matrices_at(update.step))
        for (const std::string& row : plan_.matrices) {
            const Tensor now = subject_.parameters.tensor(row);
            const Real* first = first_of(row);
            std::vector<double>& moved = frame[matrix_stream(row, "moved")];
            for (Index i = 0; i < now.shape.size(); ++i)
                moved.push_back(double(now.value[i]) - double(first[i]));
        }
    const std::vector<Token> prompt = plan_.sentences.empty()
                                          ? std::vector{subject_.tokenizer.end_of_text()}
                                          : plan_.sentences[0];
    measure_sample(frame, subject_.model, subject_.tokenizer,
                   std::span(prompt).first(std::min<std::size_t>(prompt.size(), 3)), kSampleTokens);
    const Frame whole = packed(update.step, frame, false);
    count(whole);
    file_.append(record(whole));
    // Not E itself but the rounded numbers in the file: a resumed training has only these.
    last_moved_ = start_.numbers(whole, "watched.moved").as<double>();
}

void HistoryRecorder::measure_watched(Measured& out) {
    const std::size_t C = std::size_t(E_.columns());
    const Real* first = first_of("embedding.token");
    std::vector<double>& all = out["watched.moved"];
    for (std::size_t i = 0; i < plan_.watched.size(); ++i) {
        const std::size_t row = std::size_t(plan_.watched[i]) * C;
        double from_start = 0, from_last = 0;
        for (std::size_t c = 0; c < C; ++c) {
            const double moved = double(E_.value[row + c]) - double(first[row + c]);
            const double since = moved - last_moved_[i * C + c];
            all.push_back(moved);
            from_start += moved * moved;
            from_last += since * since;
        }
        out["watched.from_start"].push_back(std::sqrt(from_start));
        out["watched.from_last"].push_back(std::sqrt(from_last));
    }
    out["watched.met"] = std::exchange(met_, std::vector<double>(plan_.watched.size()));
}

void HistoryRecorder::measure_gradient_parts(Measured& out, const LastUpdate& update) {
    const Tensor table = subject_.parameters.tensor("embedding.token");
    const bool learned = update.learning_rate > 0 && table.gradient;
    const std::size_t C = std::size_t(E_.columns());
    for (std::size_t i = 0; i < plan_.watched.size(); ++i) {
        double lookup = 0, head = 0;
        for (std::size_t c = 0; learned && c < C; ++c) {
            const double whole =
                double(table.gradient->data[std::size_t(plan_.watched[i]) * C + c]);
            const double part = lookup_->at(i, c);
            lookup += part * part;
            head += (whole - part) * (whole - part);
        }
        out["watched.lookup"].push_back(std::sqrt(lookup));
        out["watched.head"].push_back(subject_.model.config().tied ? std::sqrt(head) : 0);
    }
}

// ---- going on after a break

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

void HistoryRecorder::resume(const std::string& state) {
    if (state.empty()) return file_.cut_back("");
    std::istringstream words(state);
    std::string length, hash;
    words >> length >> hash >> sums_.step >> sums_.loss >> sums_.learning_rate >>
        sums_.gradient_norm;
    for (double& times : met_) words >> times;
    const std::string path = (subject_.folder.path / kHistoryFile).string();
    History history = verify_history(path, state);
    if (history.stream("parameter.path"))
        for (double& row : path_) words >> row;
    if (!words)
        fail({"%s: what the checkpoint says about it is damaged", "%s：检查点中关于它的记录已损坏"},
             path);
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
    plain_bytes_ = matrix_bytes_ = other_bytes_ = 0;
    met_.assign(met_.size(), 0), path_.assign(path_.size(), 0);
    followed_.assign(plan_.sentences.size(), {});
    return file_.set_aside();
}

}  // namespace zhuyi
