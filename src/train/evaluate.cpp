#include "train/evaluate.h"

#include "autograd/tape.h"
#include "model/gpt.h"
#include "text/batches.h"

namespace zhuyi {

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

}  // namespace zhuyi
