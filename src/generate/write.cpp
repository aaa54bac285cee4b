#include "generate/write.h"

#include "generate/stop_texts.h"
#include "system/options.h"
#include "text/text_stream.h"
#include "text/tokenizer.h"

namespace zhuyi {

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
