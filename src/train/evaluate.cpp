#include "train/evaluate.h"

#include <algorithm>

namespace zhuyi {

Evaluation evaluate(Gpt& model, Tape& tape, std::span<const Token> text, Index batch) {
    const Index T = model.config().context;
    const Index all = std::max<Index>(Index(text.size()) - 1, 0);
    Evaluation sum;
    for (Index done = 0; done < all;) {
        const Index left = all - done;
        // whole windows first, side by side; what remains is one shorter window
        const Index B = std::clamp<Index>(left / T, 1, batch), N = std::min(B * T, left);
        const auto ids = text.subspan(std::size_t(done), std::size_t(N));
        const auto targets = text.subspan(std::size_t(done) + 1, std::size_t(N));
        tape.reset();
        for (double nats : model.loss(tape, ids, targets, B, {}).each_row) sum.nats += nats;
        done += N;
    }
    sum.predictions = all;
    return sum;
}

}  // namespace zhuyi
