#include "train/evaluate.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/list.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/tokenized.h"

namespace zhuyi {
namespace {

// Of one document, whose first token is text[document]: the targets text[begin, end), of which
// those from `fresh` on count.
struct Stretch {
    Index document, begin, end, fresh;
};

List<Stretch> stretches(View<const Token> text, Token end_of_text, Index T) {
    List<Stretch> all;
    for (Index document = 0, end = 0; document < text.count(); document = end) {
        end = std::find(text.begin() + document, text.end(), end_of_text) - text.begin();
        end = std::min(end + 1, text.count());
        for (Index fresh = document; fresh < end; fresh = all.back().end) {
            const Index begin = fresh == document ? fresh : fresh - T / 2;
            all.push_back({document, begin, std::min(begin + T, end), fresh});
        }
    }
    return all;
}

}  // namespace

Evaluation evaluate(Gpt& model, Tape& tape, std::span<const Token> text, Index batch) {
    const List<Window> all = windows(std::ssize(text), model.config().context);
    const View<const Token> tokens = text;
    Evaluation sum;
    for (Index first = 0, end = 0; first < all.count(); first = end) {
        // windows of one length go side by side: only the last window may be shorter
        while (end < all.count() && end - first < batch && all[end].length == all[first].length)
            ++end;
        const Index B = end - first, N = B * all[first].length, begin = all[first].begin;
        tape.reset();
        for (double nats :
             model.loss(tape, tokens.part(begin, N), tokens.part(begin + 1, N), B, {}).each_row)
            sum.nats += nats;
        sum.predictions += N;
    }
    return sum;
}

std::span<const Token> first_documents(std::span<const Token> text, Token end_of_text,
                                       Index tokens) {
    if (tokens == 0 || tokens >= std::ssize(text)) return text;
    const auto first = text.first(std::size_t(tokens));
    const auto end = std::find(first.rbegin(), first.rend(), end_of_text);
    return end == first.rend() ? first : text.first(std::size_t(first.rend() - end));
}

Evaluation evaluate_documents(Gpt& model, Tape& tape, std::span<const Token> text,
                              Token end_of_text, Index batch) {
    const Index T = model.config().context;
    const View<const Token> tokens = text;
    const List<Stretch> all = stretches(tokens, end_of_text, T);
    Evaluation sum;
    for (Index first = 0; first < all.count(); first += batch) {
        const Index B = std::min(batch, all.count() - first);
        // (B, T), filled up on the right, which no token before sees
        List<Token> ids(std::size_t(B * T), end_of_text), targets = ids;
        for (Index b = 0; b < B; ++b) {
            const Stretch& row = all[first + b];
            for (Index t = row.begin, at = b * T; t < row.end; ++t, ++at) {
                if (t > row.document) ids[at] = tokens[t - 1];
                targets[at] = tokens[t];
            }
        }
        tape.reset();
        const View<const double> nats = model.loss(tape, ids, targets, B, {}).each_row;
        for (Index b = 0; b < B; ++b) {
            const Stretch& row = all[first + b];
            for (Index t = row.fresh; t < row.end; ++t, ++sum.predictions)
                sum.nats += nats[b * T + t - row.begin];
        }
    }
    return sum;
}

constexpr std::string_view kColumns =
    "step,loss,learning_rate,gradient_norm,validation_loss,fingerprint,document_loss";

// After step 0 every row has the first four columns; validation loss and fingerprint stand together
// or not at all, and without them there is no document loss.
static bool is_row(const std::vector<std::string_view>& fields, Index step) {
    const auto number = [&](std::size_t i) { return parse_number(fields[i]).has_value(); };
    if (fields.size() != 7 || parse_integer(fields[0]) != step) return false;
    for (std::size_t i = 1; i < 4; ++i)
        if (step == 0 ? !fields[i].empty() : !number(i)) return false;
    if (fields[4].empty()) return step > 0 && fields[5].empty() && fields[6].empty();
    return number(4) && parse_hash(fields[5]) && (fields[6].empty() || number(6));
}

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
