#include "train/evaluate.h"

#include <algorithm>

#include "autograd/tape.h"
#include "model/gpt.h"
#include "text/batches.h"

namespace zhuyi {
namespace {

// Of one document, whose first token is text[document]: the targets text[begin, end), of which
// those from `fresh` on count.
struct Stretch {
    Index document, begin, end, fresh;
};

std::vector<Stretch> stretches(std::span<const Token> text, Token end_of_text, Index T) {
    std::vector<Stretch> all;
    for (Index document = 0, end = 0; document < std::ssize(text); document = end) {
        end = std::find(text.begin() + document, text.end(), end_of_text) - text.begin();
        end = std::min(end + 1, std::ssize(text));
        for (Index fresh = document; fresh < end; fresh = all.back().end) {
            const Index begin = fresh == document ? fresh : fresh - T / 2;
            all.push_back({document, begin, std::min(begin + T, end), fresh});
        }
    }
    return all;
}

}  // namespace

Evaluation evaluate(Gpt& model, Tape& tape, std::span<const Token> text, Index batch) {
    const std::vector<Window> all = windows(std::ssize(text), model.config().context);
    Evaluation sum;
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
        // as many as go side by side: only the last one may be shorter
        while (end < all.size() && Index(end - first) < batch &&
               all[end].length == all[first].length)
            ++end;
        const Index B = Index(end - first), N = B * all[first].length;
        const auto ids = text.subspan(std::size_t(all[first].begin), std::size_t(N));
        const auto targets = text.subspan(std::size_t(all[first].begin) + 1, std::size_t(N));
        tape.reset();
        for (double nats : model.loss(tape, ids, targets, B, {}).each_row) sum.nats += nats;
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
    const std::vector<Stretch> all = stretches(text, end_of_text, T);
    Evaluation sum;
    for (std::size_t first = 0; first < all.size(); first += std::size_t(batch)) {
        const auto rows =
            std::span(all).subspan(first).first(std::min(std::size_t(batch), all.size() - first));
        const Index B = std::ssize(rows);
        // (B, T), filled up on the right, which no token before sees
        std::vector<Token> ids(std::size_t(B * T), end_of_text), targets = ids;
        for (std::size_t b = 0; b < rows.size(); ++b)
            for (Index t = rows[b].begin; t < rows[b].end; ++t) {
                const std::size_t at = b * std::size_t(T) + std::size_t(t - rows[b].begin);
                if (t > rows[b].document) ids[at] = text[std::size_t(t - 1)];
                targets[at] = text[std::size_t(t)];
            }
        tape.reset();
        const auto nats = model.loss(tape, ids, targets, B, {}).each_row;
        for (std::size_t b = 0; b < rows.size(); ++b)
            for (Index t = rows[b].fresh; t < rows[b].end; ++t, ++sum.predictions)
                sum.nats += nats[b * std::size_t(T) + std::size_t(t - rows[b].begin)];
    }
    return sum;
}

}  // namespace zhuyi
