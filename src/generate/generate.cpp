#include "generate/generate.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

Reader::Reader(Gpt& model, Cache cache) : model_(model), cache_(cache), past_(model.config(), 1) {}

In Reader::read(std::span<const Token> tokens) {
    require(!tokens.empty(), "a reader needs at least one token");
    const std::size_t context = std::size_t(model_.config().context), half = (context + 1) / 2;
    In scores;
    while (!tokens.empty()) {
        if (window_.size() == context) {
            std::vector<Token> newest(window_.end() - std::ptrdiff_t(std::min(half, context - 1)),
                                      window_.end());
            window_.clear();
            past_.clear();
            scores = scores_of(newest);
        }
        const std::size_t room = std::min(context - window_.size(), tokens.size());
        scores = scores_of(tokens.first(room));
        tokens = tokens.subspan(room);
    }
    return scores;
}

In Reader::scores_of(std::span<const Token> tokens) {
    if (tokens.empty()) return {};
    window_.insert(window_.end(), tokens.begin(), tokens.end());
    tape_.reset();
    Pass pass;
    if (cache_ == Cache::on) pass.past = &past_;
    const Tensor logits = model_.logits(tape_, cache_ == Cache::on ? tokens : window_, 1, pass);
    return logits.values().last(std::size_t(logits.columns()));
}

Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const std::function<bool(Token)>& emit,
               Reader::Cache cache) {
    Reader reader(model, cache);
    const Token start = wish.end_of_text;  // an empty prompt begins where every document begins
    In scores = reader.read(prompt.empty() ? std::span(&start, 1) : prompt);
    for (Index n = 0; n < wish.tokens; ++n) {
        const Random random(std::uint64_t(sampler.seed), Stream::sampling, std::uint64_t(n),
                            wish.place);
        const Token next = pick(candidates(scores, sampler), random.uniform(0));
        if (next == wish.end_of_text || !emit(next)) return n;
        if (n + 1 < wish.tokens) scores = reader.read(std::span(&next, 1));
    }
    return wish.tokens;
}

}  // namespace zhuyi
