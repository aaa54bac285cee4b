#include "train/evaluate.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/list.h"
#include "model/gpt.h"
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

}  // namespace zhuyi
