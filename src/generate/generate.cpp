#include "generate/generate.h"

#include <algorithm>

#include "autograd/tape.h"
#include "base/check.h"
#include "model/block.h"
#include "model/gpt.h"

namespace zhuyi {

Reader::Reader(Gpt& model, Cache cache, Precision precision)
    : model_(model),
      cache_(cache),
      past_(model.past(1)),
      tape_(false, precision),
      window_(std::size_t(context())) {}

In Reader::read(std::span<const Token> tokens) {
    const Index T = std::ssize(tokens) / texts(),
                kept = std::min((context() + 1) / 2, context() - 1);
    require(T > 0 && texts() * T == std::ssize(tokens), "a reader needs a token of each text");
    In scores;
    for (Index done = 0, more; done < T; done += more) {
        if (length_ == context()) {
            for (Index b = 0; b < texts(); ++b)
                std::copy_n(window(b) + length_ - kept, kept, window(b));
            length_ = 0, past_.clear();
            if (kept > 0) scores_after(kept);
        }
        more = std::min(context() - length_, T - done);
        for (Index b = 0; b < texts(); ++b)
            std::copy_n(tokens.data() + b * T + done, more, window(b) + length_);
        scores = scores_after(more);
    }
    return scores;
}

In Reader::scores_after(Index count) {
    const Index seen = cache_ == Cache::on ? length_ : 0;
    length_ += count;
    std::vector<Token> ids;  // (texts, length - seen)
    for (Index b = 0; b < texts(); ++b)
        ids.insert(ids.end(), window(b) + seen, window(b) + length_);
    tape_.reset();
    Pass pass;
    pass.last_only = true;
    if (cache_ == Cache::on) pass.past = &past_;
    return model_.logits(tape_, ids, texts(), pass).values();
}

void Reader::part(Index texts) {
    require(this->texts() == 1, "a reader parts once");
    if (texts == 1) return;
    past_ = past_.repeated(texts);
    window_.resize(std::size_t(texts * context()));
    for (Index b = 1; b < texts; ++b) std::copy_n(window(0), length_, window(b));
}

Index generate(Gpt& model, std::span<const Token> prompt, const SamplerConfig& sampler,
               const Continuation& wish, const std::function<bool(const Drawn&)>& emit,
               Reader::Cache cache) {
    Reader reader(model, cache, wish.precision);
    const Token start = wish.end_of_text;  // an empty prompt begins where every document begins
    if (prompt.empty()) prompt = {&start, 1};
    In scores = reader.read(prompt);  // (1, V), and from the first token on (texts, V)
    reader.part(wish.texts);
    std::vector<Token> next(std::size_t(wish.texts), prompt.back());
    std::vector<bool> ended(next.size());  // such a text is still computed, so that rows stay
    std::vector<std::vector<Token>> so_far(next.size());
    if (sampler.looks_back())
        for (auto& tokens : so_far) tokens.assign(prompt.begin(), prompt.end());
    Index drawn = 0, writing = wish.texts;
    for (Index n = 0; n < wish.tokens && writing > 0; ++n) {
        if (n > 0) scores = reader.read(next);
        for (std::size_t b = 0; b < next.size(); ++b) {
            if (ended[b]) continue;
            const std::size_t V = std::size_t(model.config().vocabulary);
            const Random random(std::uint64_t(sampler.seed), Stream::sampling, std::uint64_t(n),
                                wish.place + b);
            const In mine = n > 0 ? scores.subspan(b * V, V) : scores;
            const double uniform = random.uniform(0);
            next[b] = pick(candidates(mine, sampler, so_far[b], uniform), uniform);
            if (sampler.looks_back()) so_far[b].push_back(next[b]);
            ended[b] = next[b] == wish.end_of_text || !emit({Index(b), next[b], mine});
            if (ended[b])
                --writing;
            else
                ++drawn;
        }
    }
    return drawn;
}

}  // namespace zhuyi
