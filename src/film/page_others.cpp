#include "film/page_others.h"

#include "film/page_streams.h"
#include "film/stream_list.h"

namespace zhuyi {
namespace {

constexpr std::size_t kMostFrames = 16;  // of attention; the last one among them

Json over_frames(const History& history, const std::string& name) {
    std::vector<double> all;
    for (const Frame& frame : history.frames) {
        const std::vector<double> now = history.numbers(frame, name).as<double>();
        all.insert(all.end(), now.begin(), now.end());
    }
    return packed(all);
}

// Null where it was not recorded.
Json attention_data(const History& history, std::size_t sentence, Index ours) {
    const std::string name = sentence_stream(sentence, "attention");
    if (!history.stream(name)) return {};
    const std::size_t count = history.frames.size();
    const std::size_t every = (count + kMostFrames - 1) / kMostFrames;
    std::vector<double> weights;
    std::vector<Index> shown;
    for (std::size_t f = 0; f < count; ++f) {
        if ((count - 1 - f) % every != 0 || !history.carries(history.frames[f], name)) continue;
        const std::vector<double> now = history.numbers(history.frames[f], name).as<double>();
        weights.insert(weights.end(), now.begin(), now.end());
        shown.push_back(Index(f));
    }
    Json data;
    data.set("ours", ours).set("frames", listed(shown));
    return data.set("attention", packed(weights, "u8", 1 / 255.0));
}

}  // namespace

Json other_data(const Film& other, const Film& film) {
    const History& history = other.history;
    std::vector<Index> steps;
    for (const Frame& frame : history.frames) steps.push_back(frame.step);
    Json names(Json::Array{}), sentences(Json::Array{});
    for (const History::Row& row : history.parameters) names.push(row.name);
    const auto text = [](const Film& of, std::size_t s) {
        std::string tokens;  // one after the other, so that both are cut alike
        for (const Token token : of.history.sentences[s])
            tokens += of.tokenizer->name(token) + "\n";
        return tokens;
    };
    for (std::size_t s = 0; s < history.sentences.size(); ++s)
        for (std::size_t ours = 0; ours < film.history.sentences.size(); ++ours)
            if (text(other, s) == text(film, ours))
                if (Json data = attention_data(history, s, Index(ours)); !data.is_null())
                    sentences.push(std::move(data));
    Json data;
    data.set("differs", Json()
                            .set("en", other.differs.in(Language::english))
                            .set("zh", other.differs.in(Language::chinese)));
    data.set("run", other.name).set("steps", listed(steps)).set("parameters", std::move(names));
    data.set("model", Json().set("layers", other.model.layers).set("heads", other.model.heads));
    for (const char* part : {"norm", "from_start"})
        if (const std::string name = std::string("parameter.") + part; history.stream(name))
            data.set(part, over_frames(history, name));
    if (other.asked) data.set("rules", rules_data(*other.asked));
    return data.set("sentences", std::move(sentences));
}

}  // namespace zhuyi
