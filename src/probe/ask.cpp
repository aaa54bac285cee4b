#include "probe/ask.h"

#include <algorithm>
#include <numeric>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "base/tensor.h"
#include "model/config.h"
#include "model/gpt.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

// One text that the model reads. A wrong answer of several tokens needs a text of its own.
struct Row {
    Index question;
    Index comparison;  // whose wrong answer is read; -1: the right answer is read
    List<Token> ids;
};

List<Row> rows_of(const Questions& questions) {
    List<Row> rows;
    for (Index i = 0; i < questions.all.count(); ++i) {
        const Question& q = questions.all[i];
        Index read = 0;  // the last token that is compared is not read
        for (const Question::Comparison& c : q.comparisons) read = std::max(read, c.end - 1);
        rows.push_back({i, -1, {q.ids.begin(), q.ids.begin() + read}});
        for (Index n = 0; n < q.comparisons.count(); ++n) {
            const Question::Comparison& c = q.comparisons[n];
            if (c.wrong.size() == 1) continue;
            Row row{i, n, {q.ids.begin(), q.ids.begin() + c.first}};
            row.ids.insert(row.ids.end(), c.wrong.begin(), c.wrong.end() - 1);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

// ln softmax(scores)[token]
double log_weight(View<const Real> scores, Token token) {
    const double largest = double(*std::ranges::max_element(scores));
    double sum = 0;
    for (const Real z : scores) sum += math::exp(double(z) - largest);
    return double(scores[token]) - largest - math::log(sum);
}

class Asking : public Watcher {
  public:
    Asking(Gpt& model, Tape& tape, const Questions& questions, Means* means)
        : model_(model),
          tape_(tape),
          questions_(questions),
          means_(means),
          rows_(rows_of(questions)) {
        const GptConfig& config = model.config();
        answers_.weights.resize(std::size_t(questions.all.count() * config.layers * config.heads));
        for (const Question& q : questions.all) differences_.emplace_back(q.comparisons.size());
    }

    Answers run() {
        List<Index> order(rows_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto length = [&](Index row) { return rows_[row].ids.count(); };
        std::ranges::stable_sort(order, {}, length);
        const Watching watching(tape_, *this);
        for (Index begin = 0, end = 0; begin < order.count(); begin = end) {
            while (end < order.count() &&
                   (end == begin || (end + 1 - begin) * length(order[end]) <= kAskedAtOnce))
                ++end;
            pass(View<const Index>(order).part(begin, end - begin));
        }
        for (const Numbers& each : differences_)
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
        for (Index b = 0; b < side_by_side_.count(); ++b) {
            const Row& row = rows_[side_by_side_[b]];
            const Question& q = questions_.all[row.question];
            if (row.comparison >= 0 || q.asker < 0) continue;
            for (Index h = 0; h < H; ++h) {
                const Real* of_asker = weights.value + ((b * H + h) * T + q.asker) * T;
                double sum = 0;
                for (const Index t : q.answerer) sum += double(of_asker[t]);
                answers_.weights[(row.question * L + block_) * H + h] = sum;
            }
        }
        ++block_;
    }

    // x: (B, T, C). Adds up the texts with the right answers, without their filling.
    void add(Numbers& sums, const Tensor& x) const {
        sums.resize(std::size_t(x.columns()));
        for (Index b = 0; b < side_by_side_.count(); ++b) {
            const Row& row = rows_[side_by_side_[b]];
            if (row.comparison >= 0) continue;
            const Real* value = x.value + b * x.shape[1] * x.columns();
            for (Index t = 0; t < row.ids.count(); ++t)
                for (double& sum : sums) sum += double(*value++);
        }
    }
    void divide(Means& means) const {
        double tokens = 0;
        for (const Row& row : rows_) tokens += row.comparison < 0 ? double(row.ids.size()) : 0;
        for (auto& entry : means)
            for (double& x : entry.second) x /= tokens;
    }

    void pass(View<const Index> rows) {
        const Index B = rows.count(), T = rows_[rows.back()].ids.count();
        std::vector<Token> ids(std::size_t(B * T), 0);
        for (Index b = 0; b < B; ++b) std::ranges::copy(rows_[rows[b]].ids, ids.begin() + b * T);
        side_by_side_ = rows, block_ = 0;
        tape_.reset();
        const Tensor logits = model_.logits(tape_, ids, B, {});  // (B, T, V)
        const Index V = logits.columns();
        for (Index b = 0; b < B; ++b)
            compare(rows_[rows[b]], View<const Real>(logits.values()).part(b * T * V, T * V), V);
    }

    // scores: (T, V); those of token t stand in the row of the token before it.
    void compare(const Row& row, View<const Real> scores, Index V) {
        const Question& q = questions_.all[row.question];
        Numbers& differences = differences_[row.question];
        const auto before = [&](Index t) { return scores.part((t - 1) * V, V); };
        if (row.comparison >= 0) {
            const Question::Comparison& c = q.comparisons[row.comparison];
            for (Index i = 0; i < c.wrong.count(); ++i)
                differences[row.comparison] -= log_weight(before(c.first + i), c.wrong[i]);
            return;
        }
        for (Index n = 0; n < q.comparisons.count(); ++n) {
            const Question::Comparison& c = q.comparisons[n];
            const View<const Real> z = before(c.first);
            if (c.wrong.size() == 1 && c.end == c.first + 1) {  // the sums of the softmax cancel
                differences[n] += double(z[q.ids[c.first]]) - double(z[c.wrong[0]]);
                continue;
            }
            for (Index t = c.first; t < c.end; ++t)
                differences[n] += log_weight(before(t), q.ids[t]);
            if (c.wrong.size() == 1) differences[n] -= log_weight(z, c.wrong[0]);
        }
    }

    Gpt& model_;
    Tape& tape_;
    const Questions& questions_;
    Means* const means_;
    const List<Row> rows_;
    Answers answers_;
    List<Numbers> differences_;       // ln p(right) - ln p(wrong), each comparison
    View<const Index> side_by_side_;  // rows of this pass
    Index block_ = 0;                 // whose weights come next
};

}  // namespace

Answers ask(Gpt& model, Tape& tape, const Questions& questions, Means* means) {
    return Asking(model, tape, questions, means).run();
}

std::string ModelPart::name() const {
    return std::to_string(block) + (head ? "." + std::to_string(*head) : ".ffn");
}

// A whole number that is written in digits alone (not "0.0").
static std::optional<Index> whole_number(std::string_view digits) {
    if (digits.find_first_not_of("0123456789") != digits.npos) return {};
    return parse_integer(digits);
}

std::optional<ModelPart> part_named(std::string_view name) {
    const std::size_t point = std::min(name.find('.'), name.size());
    const std::string_view what = name.substr(std::min(point + 1, name.size()));
    const auto block = whole_number(name.substr(0, point)), head = whole_number(what);
    if (!block || (!head && what != "ffn")) return {};
    return ModelPart{*block, head};
}

std::vector<ModelPart> parse_parts(std::string_view text, const GptConfig& config,
                                   const char* option) {
    std::vector<ModelPart> parts;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const std::optional<ModelPart> part = part_named(word);
        if (!part || part->block >= config.layers || part->head.value_or(0) >= config.heads)
            fail_usage({"%s: expected heads and FFNs of this model, 0.0 to %td.%td and 0.ffn to "
                        "%td.ffn, with commas between them; found %s",
                        "%s：应该是这个模型的头或 FFN：0.0 到 %td.%td，0.ffn 到 %td.ffn，用半角逗号"
                        "隔开；却是 %s"},
                       option, config.layers - 1, config.heads - 1, config.layers - 1,
                       in_quotes(word));
        parts.push_back(*part);
    }
    return parts;
}

Silence::Columns Silence::columns_of(const ModelPart& part, const GptConfig& config) {
    const std::string block = "block." + std::to_string(part.block) + ".";
    const Index D = config.head_size();
    if (!part.head)
        return {block + "ffn.output", 0, std::vector<Real>(std::size_t(config.channels))};
    return {block + "attention.mix", *part.head * D, std::vector<Real>(std::size_t(D))};
}

Silence::Silence(const std::vector<ModelPart>& parts, const GptConfig& config) {
    for (const ModelPart& part : parts) silenced_.push_back(columns_of(part, config));
}

bool Silence::wants(std::string_view name) const {
    return std::ranges::find(silenced_, name, &Columns::tensor) != silenced_.end();
}

void Silence::replace(std::string_view name, const Tensor& x) {
    for (const Columns& columns : silenced_)
        if (columns.tensor == name)
            for (Index row = 0; row < x.rows(); ++row)
                std::ranges::copy(columns.numbers, x.value + row * x.columns() + columns.first);
}

// Of each rule: per cent right and mean margin, over all its probes.
static std::vector<Lost> level(const Questions& questions, const Answers& answers) {
    std::vector<Lost> sums(questions.rules.size());
    std::vector<double> asked(sums.size());
    for (Index q = 0; q < questions.all.count(); ++q) {
        const std::size_t rule = questions.all[q].rule;
        sums[rule].points += answers.right(q) ? 100 : 0;
        sums[rule].margin += answers.margins[q];
        ++asked[rule];
    }
    for (std::size_t rule = 0; rule < sums.size(); ++rule)
        if (asked[rule] > 0) sums[rule].points /= asked[rule], sums[rule].margin /= asked[rule];
    return sums;
}

Ablation ablate(Gpt& model, Tape& tape, const Questions& all_questions, bool by_mean) {
    Questions questions = all_questions;
    std::erase_if(questions.all, [](const Question& q) { return q.kind == ProbeKind::form; });
    const GptConfig& config = model.config();
    const Index L = config.layers, H = config.heads;
    Means means;
    const std::vector<Lost> whole = level(questions, ask(model, tape, questions, &means));
    Ablation all{L, H, std::vector<Lost>(whole.size() * std::size_t(L * (H + 1)))};
    if (questions.all.empty()) return all;
    for (Index l = 0; l < L; ++l)
        for (Index h = 0; h <= H; ++h) {
            Silence::Columns columns =
                Silence::columns_of({l, h < H ? std::optional(h) : std::nullopt}, config);
            if (by_mean)
                std::ranges::copy_n(means.at(columns.tensor).begin() + columns.first,
                                    columns.numbers.count(), columns.numbers.begin());
            Silence silence(std::move(columns));
            const Watching watching(tape, silence);
            const std::vector<Lost> left = level(questions, ask(model, tape, questions));
            for (std::size_t rule = 0; rule < left.size(); ++rule)
                all.losses[(Index(rule) * L + l) * (H + 1) + h] = {
                    whole[rule].points - left[rule].points, whole[rule].margin - left[rule].margin};
        }
    return all;
}

}  // namespace zhuyi
