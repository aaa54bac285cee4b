#include "generate/write.h"

#include "generate/stop_texts.h"
#include "text/text_stream.h"
#include "text/tokenizer.h"

namespace zhuyi {

std::vector<Written> write_texts(Gpt& model, const Tokenizer& tokenizer,
                                 const SamplerConfig& sampler, const Writing& wish,
                                 const std::function<void(Index text, const std::string&)>& show) {
    const auto count = std::size_t(wish.texts);
    std::vector<Written> all(count);
    std::vector<TextStream> characters(count);
    std::vector<StopTexts> stops(count, StopTexts(wish.stops));
    const auto add = [&](std::size_t text, const std::string& more) {
        all[text].text += more;
        if (!more.empty()) show(Index(text), more);
    };
    const auto note = [&](const Drawn& drawn) {
        const auto text = std::size_t(drawn.text);
        Written& written = all[text];
        written.tokens.push_back(drawn.token);
        if (wish.log_probabilities)
            written.log_probabilities.push_back(log_probability(drawn.scores, drawn.token));
        add(text, stops[text].push(characters[text].push(tokenizer.bytes(drawn.token))));
        if (stops[text].reached()) written.end = Written::End::stop;
        return !stops[text].reached();
    };
    generate(model, tokenizer.encode(wish.prompt), sampler,
             {wish.tokens, tokenizer.end_of_text(), wish.number, wish.texts, wish.precision}, note,
             wish.cache);
    for (std::size_t text = 0; text < count; ++text) {
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

}  // namespace zhuyi
