#include "probe/ask.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/tape.h"
#include "base/math.h"
#include "model/gpt.h"

namespace zhuyi {
namespace {

// One text that the model reads. A wrong answer of several tokens needs a text of its own.
struct Row {
    std::size_t question;
    Index comparison;  // whose wrong answer is read; -1: the right answer is read
    std::vector<Token> ids;
};

std::vector<Row> rows_of(const Questions& questions) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < questions.all.size(); ++i) {
        const Question& q = questions.all[i];
        Index read = 0;  // the last token that is compared is not read
        for (const Question::Comparison& c : q.comparisons) read = std::max(read, c.end - 1);
        rows.push_back({i, -1, {q.ids.begin(), q.ids.begin() + read}});
        for (std::size_t n = 0; n < q.comparisons.size(); ++n) {
            const Question::Comparison& c = q.comparisons[n];
            if (c.wrong.size() == 1) continue;
            Row row{i, Index(n), {q.ids.begin(), q.ids.begin() + c.first}};
            row.ids.insert(row.ids.end(), c.wrong.begin(), c.wrong.end() - 1);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

// ln softmax(scores)[token]
double log_weight(In scores, Token token) {
    const double largest = double(*std::ranges::max_element(scores));
    double sum = 0;
    for (const Real z : scores) sum += math::exp(double(z) - largest);
    return double(scores[std::size_t(token)]) - largest - math::log(sum);
}

class Asking : public Watcher {
  public:
    Asking(Gpt& model, Tape& tape, const Questions& questions, Means* means)
        : model_(model),
          tape_(tape),
          questions_(questions),
          means_(means),
          rows_(rows_of(questions)) {
        const std::size_t Q = questions.all.size();
        const GptConfig& config = model.config();
        answers_.weights.resize(Q * std::size_t(config.layers * config.heads));
        for (const Question& q : questions.all) differences_.emplace_back(q.comparisons.size());
    }

    Answers run() {
        std::vector<std::size_t> order(rows_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto length = [&](std::size_t row) { return std::ssize(rows_[row].ids); };
        std::ranges::stable_sort(order, {}, length);
        const Watching watching(tape_, *this);
        for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
            while (end < order.size() &&
                   (end == begin || Index(end + 1 - begin) * length(order[end]) <= kAskedAtOnce))
                ++end;
            pass(std::span(order).subspan(begin, end - begin));
        }
        for (const std::vector<double>& each : differences_)
            answers_.margins.push_back(*std::ranges::min_element(each));
        if (means_) divide(*means_);
        return std::move(answers_);
    }

    bool wants(std::string_view name) const override {
        return name.ends_with("attention.weights") ||
               (means_ && (name.ends_with("attention.mix") || name.ends_with("ffn.output")));
    }
    void value(std::string_view name, const Tensor& x) override {
        if (name.ends_with("attention.weights"))
            look(x);
        else
            add((*means_)[std::string(name)], x);
    }

  private:
    // Blocks are met in order. weights: (B, H, T, T)
    void look(const Tensor& weights) {
        const Index H = weights.shape[1], T = weights.shape[2];
        const Index L = model_.config().layers;
        for (std::size_t b = 0; b < side_by_side_.size(); ++b) {
            const Row& row = rows_[side_by_side_[b]];
            const Question& q = questions_.all[row.question];
            if (row.comparison >= 0 || q.asker < 0) continue;
            for (Index h = 0; h < H; ++h) {
                const Real* of_asker = weights.value + ((Index(b) * H + h) * T + q.asker) * T;
                double sum = 0;
                for (const Index t : q.answerer) sum += double(of_asker[t]);
                answers_.weights[std::size_t((Index(row.question) * L + block_) * H + h)] = sum;
            }
        }
        ++block_;
    }

    // x: (B, T, C). Adds up the texts with the right answers, without their filling.
    void add(std::vector<double>& sums, const Tensor& x) const {
        sums.resize(std::size_t(x.columns()));
        for (std::size_t b = 0; b < side_by_side_.size(); ++b) {
            const Row& row = rows_[side_by_side_[b]];
            if (row.comparison >= 0) continue;
            const Real* value = x.value + Index(b) * x.shape[1] * x.columns();
            for (std::size_t t = 0; t < row.ids.size(); ++t)
                for (double& sum : sums) sum += double(*value++);
        }
    }
    void divide(Means& means) const {
        double tokens = 0;
        for (const Row& row : rows_) tokens += row.comparison < 0 ? double(row.ids.size()) : 0;
        for (auto& entry : means)
            for (double& x : entry.second) x /= tokens;
    }

    void pass(std::span<const std::size_t> rows) {
        const Index B = std::ssize(rows), T = std::ssize(rows_[rows.back()].ids);
        std::vector<Token> ids(std::size_t(B * T), 0);
        for (Index b = 0; b < B; ++b)
            std::ranges::copy(rows_[rows[std::size_t(b)]].ids, ids.begin() + b * T);
        side_by_side_ = rows, block_ = 0;
        tape_.reset();
        const Tensor logits = model_.logits(tape_, ids, B, {});  // (B, T, V)
        const Index V = logits.columns();
        for (Index b = 0; b < B; ++b) {
            const std::size_t of_text = std::size_t(T * V);
            compare(rows_[rows[std::size_t(b)]],
                    logits.values().subspan(std::size_t(b) * of_text, of_text), V);
        }
    }

    // scores: (T, V); those of token t stand in the row of the token before it.
    void compare(const Row& row, In scores, Index V) {
        const Question& q = questions_.all[row.question];
        std::vector<double>& differences = differences_[row.question];
        const auto before = [&](Index t) {
            return scores.subspan(std::size_t((t - 1) * V), std::size_t(V));
        };
        if (row.comparison >= 0) {
            const Question::Comparison& c = q.comparisons[std::size_t(row.comparison)];
            for (Index i = 0; i < std::ssize(c.wrong); ++i)
                differences[std::size_t(row.comparison)] -=
                    log_weight(before(c.first + i), c.wrong[std::size_t(i)]);
            return;
        }
        for (std::size_t n = 0; n < q.comparisons.size(); ++n) {
            const Question::Comparison& c = q.comparisons[n];
            const In z = before(c.first);
            if (c.wrong.size() == 1 && c.end == c.first + 1) {  // the sums of the softmax cancel
                differences[n] += double(z[std::size_t(q.ids[std::size_t(c.first)])]) -
                                  double(z[std::size_t(c.wrong[0])]);
                continue;
            }
            for (Index t = c.first; t < c.end; ++t)
                differences[n] += log_weight(before(t), q.ids[std::size_t(t)]);
            if (c.wrong.size() == 1) differences[n] -= log_weight(z, c.wrong[0]);
        }
    }

    Gpt& model_;
    Tape& tape_;
    const Questions& questions_;
    Means* const means_;
    const std::vector<Row> rows_;
    Answers answers_;
    std::vector<std::vector<double>> differences_;  // ln p(right) - ln p(wrong), each comparison
    std::span<const std::size_t> side_by_side_;     // rows of this pass
    Index block_ = 0;                               // whose weights come next
};

}  // namespace

Answers ask(Gpt& model, Tape& tape, const Questions& questions, Means* means) {
    return Asking(model, tape, questions, means).run();
}

}  // namespace zhuyi
