#include "generate/generate.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/list.h"
#include "model/block.h"
#include "model/gpt.h"
#include "system/options.h"
#include "text/documents.h"
#include "text/tokenizer.h"

namespace zhuyi {

Reader::Reader(Gpt& model, bool cached, Precision precision)
    : model_(model),
      cached_(cached),
      past_(model.past(1)),
      tape_(false, precision),
      window_(std::size_t(context())) {}

In Reader::read(std::span<const Token> tokens) {
    const Index T = std::ssize(tokens) / texts(),
                kept = std::min((context() + 1) / 2, context() - 1);
    require(T > 0 && texts() * T == std::ssize(tokens), "a reader needs a token of each text");
    // Of a long beginning only what the window holds at its end is read: all before it is cleared
    // without a trace.
    if (const Index step = context() - kept, more = T - context();
        length_ == 0 && texts() == 1 && more > 0)
        return read(tokens.subspan(std::size_t((more + step - 1) / step * step)));
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
    const Index seen = cached_ ? length_ : 0;
    length_ += count;
    std::vector<Token> ids;  // (texts, length - seen)
    for (Index b = 0; b < texts(); ++b)
        ids.insert(ids.end(), window(b) + seen, window(b) + length_);
    tape_.reset();
    Pass pass;
    pass.last_only = true;
    if (cached_) pass.past = &past_;
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
               const Continuation& wish, const Emit& emit) {
    Reader reader(model, wish.cached, wish.precision);
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
            ended[b] = next[b] == wish.end_of_text || !emit(Index(b), next[b], mine);
            if (ended[b])
                --writing;
            else
                ++drawn;
        }
    }
    return drawn;
}

void declare(Options& options, Writing& wish) {
    options.add("tokens", wish.tokens, "tokens",
                {"at most so many; a document's end ends it sooner",
                 "最多生成多少个 token；文档结束时提前停止"});
    options.add("stop", wish.stops, "",
                {"a continuation ends before this text; may be given several times",
                 "遇到这段文字就停止，不写出它；可以给多个"});
    options.choice<Precision>(
        "precision", wish.precision, {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}},
        {"of the factors in matrix products; bf16: half as many bytes of weights are read for "
         "each token, and scores move by about 0.01",
         "矩阵乘法输入的精度；bf16：每个 token 只读一半字节的权重，分数约有 0.01 的变化"});
}

std::vector<Written> write_texts(Gpt& model, const Tokenizer& tokenizer,
                                 const SamplerConfig& sampler, const Writing& wish,
                                 const std::function<void(Index text, const std::string&)>& show) {
    List<Written> all(std::size_t(wish.texts));
    List<TextStream> characters(all.size());
    List<StopTexts> stops(all.size(), StopTexts(wish.stops));
    const auto add = [&](Index text, const std::string& more) {
        all[text].text += more;
        if (!more.empty()) show(text, more);
    };
    const auto note = [&](Index text, Token token, In scores) {
        Written& written = all[text];
        written.tokens.push_back(token);
        if (wish.log_probabilities)
            written.log_probabilities.push_back(log_probability(scores, token));
        add(text, stops[text].push(characters[text].push(tokenizer.bytes(token))));
        if (stops[text].reached()) written.end = Written::End::stop;
        return !stops[text].reached();
    };
    Continuation continuation = wish;
    continuation.end_of_text = tokenizer.end_of_text();
    generate(model, tokenizer.encode(wish.prompt), sampler, continuation, note);
    for (Index text = 0; text < all.count(); ++text) {
        Written& written = all[text];
        const bool stopped = written.end == Written::End::stop;
        if (!stopped && std::ssize(written.tokens) < wish.tokens)
            written.end = Written::End::end_of_text;
        if (!stopped) add(text, stops[text].push(characters[text].finish()));
        add(text, stops[text].finish());
    }
    return all;
}

Json json_of(const Written& written, const std::string& prompt, const Tokenizer& tokenizer) {
    Json::Array tokens;
    for (std::size_t i = 0; i < written.tokens.size(); ++i)
        tokens.push_back(Json()
                             .set("id", Index(written.tokens[i]))
                             .set("text", tokenizer.name(written.tokens[i]))
                             .set("log_probability", written.log_probabilities[i]));
    const char* const ends[] = {"tokens", "end_of_text", "stop"};
    Json json;
    json.set("prompt", prompt).set("text", written.text);
    return json.set("end", ends[int(written.end)]).set("tokens", std::move(tokens));
}

StopTexts::StopTexts(const std::vector<std::string>& stops) {
    std::ranges::copy_if(stops, std::back_inserter(stops_),
                         [](const std::string& stop) { return !stop.empty(); });
}

std::string StopTexts::push(const std::string& more) {
    if (reached_) return "";
    held_ += more;
    std::size_t shown = held_.size();
    for (const std::string& stop : stops_)
        if (const std::size_t at = held_.find(stop); at != held_.npos)
            shown = std::min(shown, at), reached_ = true;
    // the longest tail that a stop begins with
    for (std::size_t at = 0; at < shown && !reached_; ++at)
        for (const std::string& stop : stops_)
            if (stop.starts_with(std::string_view(held_).substr(at))) shown = std::min(shown, at);
    const std::string released = held_.substr(0, shown);
    held_.erase(0, reached_ ? held_.size() : shown);
    return released;
}

std::string StopTexts::finish() { return std::exchange(held_, ""); }

}  // namespace zhuyi
