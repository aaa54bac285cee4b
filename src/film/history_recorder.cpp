#include "film/history_recorder.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "attention/neighbors.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/number.h"
#include "system/input_file.h"

namespace zhuyi {
namespace {

constexpr Index kSampleTokens = 32;
constexpr Index kCurvePoints = 4096;  // a longer run makes one of several steps

}  // namespace

// The gradient of a tied embedding is a sum of two: from where its rows were looked up, and from the
// head. The first is gathered here, row by row, from the gradient of what the lookup gave; the second
// is what remains of the whole.
class HistoryRecorder::LookupGradient : public Watcher {
  public:
    LookupGradient(const std::vector<Index>& place_of, std::size_t watched, Index C)
        : place_of_(place_of), C_(C), sums_(watched * std::size_t(C)) {}

    void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }
    void read(std::span<const Token> ids) { ids_ = ids; }
    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override {}
    void gradient(std::string_view, const Tensor&, In dx) override {  // (B, T, C)
        for (std::size_t row = 0; row < ids_.size(); ++row) {
            const Index place = place_of_[std::size_t(ids_[row])];
            if (place < 0) continue;
            for (Index c = 0; c < C_; ++c)
                sums_[std::size_t(place * C_ + c)] +=
                    double(dx[row * std::size_t(C_) + std::size_t(c)]);
        }
    }
    double at(std::size_t place, std::size_t c) const { return sums_[place * std::size_t(C_) + c]; }

  private:
    const std::vector<Index>& place_of_;
    const Index C_;
    std::span<const Token> ids_;
    std::vector<double> sums_;  // (watched, C)
};

HistoryRecorder::HistoryRecorder(const Subject& subject, HistoryPlan plan)
    : subject_(subject),
      plan_(std::move(plan)),
      E_(subject.parameters.tensor("embedding.token")),
      place_of_(std::size_t(subject.tokenizer.size()), -1),
      candidates_(possible_neighbours(subject.tokenizer)),
      matrices_(matrices_of(subject.parameters.table(), plan_.block)),
      file_((subject.folder.path / kHistoryFile).string()),
      met_(plan_.watched.size()) {
    for (std::size_t i = 0; i < plan_.watched.size(); ++i)
        place_of_[std::size_t(plan_.watched[i])] = Index(i);
    lookup_ = std::make_unique<LookupGradient>(place_of_, plan_.watched.size(), E_.columns());
}

HistoryRecorder::~HistoryRecorder() = default;

Watcher* HistoryRecorder::watch(Index step) {
    if (!begun_) begin(step - 1);
    if (!plan_.frame_at(step)) return nullptr;
    lookup_->clear();
    return lookup_.get();
}

void HistoryRecorder::read(std::span<const Token> ids) {
    lookup_->read(ids);
    for (Token id : ids)
        if (const Index place = place_of_[std::size_t(id)]; place >= 0) ++met_[std::size_t(place)];
}

void HistoryRecorder::step_done(const StepReport& report) {
    const Index bucket = (subject_.train.steps + kCurvePoints - 1) / kCurvePoints;
    bucket_.loss += report.loss;
    bucket_.learning_rate += report.learning_rate;
    bucket_.gradient_norm += report.gradient_norm;
    ++bucket_.step;
    if (report.step % bucket == 0 || report.step == subject_.train.steps) {
        const double n = double(bucket_.step);
        write(RecordKind::curve,
              encoded(CurvePoint{report.step, bucket_.loss / n, bucket_.learning_rate / n,
                                 bucket_.gradient_norm / n}));
        bucket_ = {};
    }
    if (plan_.frame_at(report.step)) shoot({report.step, report.learning_rate});
}

void HistoryRecorder::evaluated(const EvaluationReport& report) {
    if (!begun_) begin(report.step);
    write(RecordKind::evaluation, encoded(EvaluationPoint{report.step, report.loss}));
}

void HistoryRecorder::write(RecordKind kind, const std::string& payload) {
    file_.append(record(kind, payload));
}

// ---- frames

void HistoryRecorder::begin(Index step) {
    if (step == 0) {
        const Out now = subject_.parameters.values();
        first_.assign(now.begin(), now.end());
    } else {
        load_first_weights();
    }
    const GptConfig& m = subject_.model.config();
    HistoryStart start{m.layers,     m.heads,       m.channels, plan_.block,
                       plan_.probes, plan_.watched, {},         {}};
    const std::size_t C = std::size_t(m.channels);
    const Real* E = first_.data() + (E_.value - subject_.parameters.values().data());
    for (Token token : plan_.watched)
        for (std::size_t c = 0; c < C; ++c)
            start.embeddings.push_back(float(E[std::size_t(token) * C + c]));
    for (const Parameter* p : matrices_) {
        const Real* values = first_.data() + p->offset;
        start.matrices.push_back(
            scaled<std::int16_t>(std::vector<double>(values, values + p->shape.size())));
    }
    last_moved_.assign(plan_.watched.size() * C, 0);
    begun_ = true;
    file_.append(kHistoryMagic);
    write(RecordKind::start, encoded(start));
    shoot({step, 0});
}

void HistoryRecorder::load_first_weights() {
    Parameters first(subject_.parameters.table(), false);
    read_checkpoint(subject_.folder.checkpoint("first").string(), first);
    first_.assign(first.values().begin(), first.values().end());
}

void HistoryRecorder::shoot(const LastUpdate& update) {
    Frame frame;
    frame.step = update.step;
    frame.parameters = parameter_frame(subject_.parameters, first_, subject_.train,
                                       update.learning_rate > 0 ? update : LastUpdate{});
    frame.watched = watched_frame(update);
    for (const auto& sentence : plan_.probes)
        frame.probes.push_back(probe_frame(subject_.model, tape_, sentence));
    if (plan_.matrices_at(update.step))
        for (const Parameter* p : matrices_) {
            const Out now = subject_.parameters.value(*p);
            std::vector<double> moved(now.size());
            for (std::size_t i = 0; i < now.size(); ++i)
                moved[i] = double(now[i]) - double(first_[std::size_t(p->offset) + i]);
            frame.matrices.push_back(scaled<std::int8_t>(moved));
        }
    const std::vector<Token>& first_probe =
        plan_.probes.empty() ? std::vector<Token>{subject_.tokenizer.end_of_text()}
                             : plan_.probes[0];
    const std::span<const Token> prompt =
        std::span(first_probe).first(std::min<std::size_t>(first_probe.size(), 3));
    frame.sample = sample_text(subject_.model, subject_.tokenizer, prompt, kSampleTokens);
    write(RecordKind::frame, encoded(frame));
}

WatchedFrame HistoryRecorder::watched_frame(const LastUpdate& update) {
    const std::size_t C = std::size_t(E_.columns()), n = plan_.watched.size();
    const Real* first = first_.data() + (E_.value - subject_.parameters.values().data());
    WatchedFrame frame;
    std::vector<double> moved(C);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = std::size_t(plan_.watched[i]) * C;
        double from_start = 0, from_last = 0;
        for (std::size_t c = 0; c < C; ++c) {
            moved[c] = double(E_.value[row + c]) - double(first[row + c]);
            const double since = moved[c] - last_moved_[i * C + c];
            from_start += moved[c] * moved[c];
            from_last += since * since;
        }
        frame.from_start.push_back(float(std::sqrt(from_start)));
        frame.from_last.push_back(float(std::sqrt(from_last)));
        frame.moved.push_back(scaled<std::int16_t>(moved));
        // What was filmed and not what was: the same after a resume, which has only the film.
        for (std::size_t c = 0; c < C; ++c) last_moved_[i * C + c] = frame.moved.back()[c];
    }
    frame.met = std::exchange(met_, std::vector<std::uint32_t>(n));
    add_gradient_parts(frame, update);
    for (const auto& found :
         nearest(E_, plan_.watched, candidates_, kNeighbours, tape_.workspace()))
        for (std::size_t k = 0; k < std::size_t(kNeighbours); ++k) {
            frame.neighbours.push_back(k < found.size() ? found[k].token : Token(-1));
            frame.cosine.push_back(k < found.size() ? float(found[k].cosine) : 0);
        }
    return frame;
}

void HistoryRecorder::add_gradient_parts(WatchedFrame& frame, const LastUpdate& update) {
    const Parameter& table = subject_.parameters.table().front();  // embedding.token
    const bool learned = update.learning_rate > 0 && !table.frozen;
    const std::size_t C = std::size_t(E_.columns());
    for (std::size_t i = 0; i < plan_.watched.size(); ++i) {
        double lookup = 0, head = 0;
        for (std::size_t c = 0; learned && c < C; ++c) {
            const double whole =
                double(subject_.parameters.grad(table)[std::size_t(plan_.watched[i]) * C + c]);
            const double part = lookup_->at(i, c);
            lookup += part * part;
            head += (whole - part) * (whole - part);
        }
        frame.lookup.push_back(float(std::sqrt(lookup)));
        frame.head.push_back(subject_.model.config().tied ? float(std::sqrt(head)) : 0.0f);
    }
}

// ---- going on after a break

//     length hash   steps loss learning_rate gradient_norm (of the unfinished curve point)   met …
std::string HistoryRecorder::state() {
    if (!begun_) return {};
    std::string text = file_.state() + " " + std::to_string(bucket_.step);
    for (double sum : {bucket_.loss, bucket_.learning_rate, bucket_.gradient_norm})
        text += " " + number_text(sum);
    for (std::uint32_t times : met_) text += " " + std::to_string(times);
    return text;
}

void HistoryRecorder::resume(const std::string& state) {
    if (state.empty()) return file_.cut_back("");
    std::istringstream words(state);
    std::string length, hash;
    words >> length >> hash >> bucket_.step >> bucket_.loss >> bucket_.learning_rate >>
        bucket_.gradient_norm;
    for (std::uint32_t& times : met_) words >> times;
    const std::string path = (subject_.folder.path / kHistoryFile).string();
    const History history = verify_film(path, state);
    if (!words) fail_english(path + ": the checkpoint's words about it are damaged");
    file_.cut_back(state);
    const WatchedFrame& last = history.frames.back().watched;
    last_moved_.clear();
    for (const auto& moved : last.moved)
        for (std::size_t c = 0; c < moved.size(); ++c) last_moved_.push_back(moved[c]);
    load_first_weights();
    begun_ = true;
}

History verify_film(const std::string& path, const std::string& state) {
    std::istringstream words(state);
    std::size_t length = 0;
    std::string hash;
    words >> length >> hash;
    const std::string bytes = read_file(path);
    const std::string_view film = std::string_view(bytes).substr(0, length);
    if (!words || film.size() < length || hash_text(hash_of(film)) != hash)
        fail_english(
            path +
            ": is not the film that the checkpoint belongs to. Put it back, or go on without: "
            "--history=no");
    History history = parse_history(film, path);
    for (std::size_t i = 1; i < history.frames.size(); ++i)
        if (history.frames[i].step <= history.frames[i - 1].step)
            fail_english(format("%s: behind the frame of step %td stands one of step %td",
                                path.c_str(), history.frames[i - 1].step, history.frames[i].step));
    return history;
}

}  // namespace zhuyi
