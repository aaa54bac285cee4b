#include "film/page_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/math.h"
#include "film/projection.h"
#include "film/stream_list.h"
#include "formats/base64.h"
#include "model/parameters.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

// As {"type", "scale", "data"}, and "group" and "scales" where groups of levels have scales of their own
// (film/stream.h): little-endian numbers in base64. The types are the elements of streams.
Json packed(const char* type, std::string_view levels, double scale = 1) {
    Json array;
    array.set("type", type).set("scale", scale).set("data", base64(levels));
    return array;
}

Json packed(const std::vector<float>& numbers) {
    return packed("f32", {reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size()});
}

// values in groups, each of them on a grid of its largest
Json in_8_bits(const std::vector<double>& values, Index group) {
    const HistoryStream grid{"", "i8", {std::ssize(values)}, 1, {}, 1, group};
    const std::string data = grid.encoded(values);
    const HistoryNumbers numbers(grid, data);
    return packed("i8", numbers.levels())
        .set("group", group)
        .set("scales", base64(numbers.scales()));
}

template <class T>
Json listed(const std::vector<T>& numbers) {
    Json::Array items;
    for (T number : numbers) items.push_back(Index(number));
    return items;
}

using Frames = std::vector<const Frame*>;

// A stream as it was recorded, frame after frame.
Json over(const History& history, const Frames& frames, const std::string& name) {
    const HistoryStream& stream = *history.stream(name);
    std::string scales, levels;
    for (const Frame* frame : frames) {
        const HistoryNumbers numbers = history.numbers(*frame, name);
        scales += numbers.scales();
        levels += numbers.levels();
    }
    Json array = packed(stream.element.c_str(), levels, stream.scale);
    if (stream.group) array.set("group", stream.group).set("scales", base64(scales));
    return array;
}

// Its numbers at one level of `type` each.
template <class T>
Json over(const History& history, const Frames& frames, const std::string& name, const char* type,
          double levels) {
    std::vector<T> all;
    for (const Frame* frame : frames) {
        const HistoryNumbers numbers = history.numbers(*frame, name);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            all.push_back(T(std::lrint(numbers[i] * levels)));
    }
    return packed(type, {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(T)},
                  1 / levels);
}

// ---- what stays the same

Json model_data(const Film& film) {
    const GptConfig& m = film.model;
    Json model;
    model.set("context", m.context).set("channels", m.channels).set("heads", m.heads);
    model.set("layers", m.layers).set("ffn", m.width()).set("vocabulary", m.vocabulary);
    model.set("tied", m.tied).set("dropout", m.dropout);
    model.set("position", m.position == Position::learned ? "learned" : "sinusoidal");
    model.set("parameters", count(parameter_table(m)));
    return model;
}

Json training_data(const Film& film) {
    const TrainConfig& t = film.train;
    Json training;
    training.set("steps", t.steps).set("batch", t.batch).set("accumulate", t.accumulate);
    training.set("learning_rate", t.learning_rate).set("warmup", t.warmup);
    training.set("weight_decay", t.weight_decay).set("seed", t.seed).set("freeze", t.freeze);
    training.set("text", std::filesystem::path(film.text).filename().string());
    return training;
}

// What a guess costs, in nats per token: when all tokens are as likely, and when each is as likely as
// it is frequent. And how many tokens a character takes: a character of several bytes counts once.
Json guesses_data(const Tokenizer& tokenizer) {
    double all = 0, characters = 0, unigram = 0;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        const double n = double(tokenizer.count(token));
        const std::string_view bytes = tokenizer.bytes(token);
        const bool inside =
            bytes.size() == 1 && (static_cast<unsigned char>(bytes[0]) & 0xC0u) == 0x80u;
        all += n;
        if (!inside) characters += n;
    }
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (const double n = double(tokenizer.count(token)); n > 0)
            unigram -= n / all * math::log(n / all);
    Json guesses;
    guesses.set("uniform", math::log(double(tokenizer.size()))).set("unigram", unigram);
    guesses.set("tokens_per_character", characters > 0 ? all / characters : 1.0);
    return guesses;
}

Json curve_data(const Film& film) {
    std::vector<float> step, loss, rate, gradient, at, validation;
    for (const CurvePoint& p : film.history.curve) {
        step.push_back(float(p.step)), loss.push_back(float(p.loss));
        rate.push_back(float(p.learning_rate)), gradient.push_back(float(p.gradient_norm));
    }
    for (const EvaluationPoint& p : film.history.evaluations)
        at.push_back(float(p.step)), validation.push_back(float(p.loss));
    Json curve;
    curve.set("step", packed(step)).set("loss", packed(loss)).set("rate", packed(rate));
    curve.set("gradient", packed(gradient))
        .set("evaluated", packed(at))
        .set("validation", packed(validation));
    return curve;
}

Json names_data(const Film& film, const Frames& frames) {
    const History& history = film.history;
    std::set<Token> tokens(history.watched.begin(), history.watched.end());
    for (const auto& sentence : history.sentences) tokens.insert(sentence.begin(), sentence.end());
    const auto add = [&](const Frame& frame, const std::string& name) {
        if (!history.carries(frame, name)) return;
        for (const Token token : history.numbers(frame, name).as<Token>()) tokens.insert(token);
    };
    for (const Frame* frame : frames) {
        add(*frame, "watched.neighbours");
        for (std::size_t s = 0; s < history.sentences.size(); ++s)
            add(*frame, sentence_stream(s, "top"));
    }
    Json names;
    for (Token token : tokens)
        if (token >= 0 && token < film.tokenizer->size())
            names.set(std::to_string(token), film.tokenizer->name(token));
    return names;
}

// Version 1 named no rows: then they are those of the model's table.
Json parameters_data(const Film& film) {
    std::vector<History::Row> named = film.history.parameters;
    if (named.empty())
        for (const Parameter& p : parameter_table(film.model)) named.push_back(row_of(p));
    Json::Array rows;
    for (const History::Row& row : named)
        rows.push_back(Json().set("name", row.name).set("shape", listed(row.shape)));
    return rows;
}

// Are there embeddings to follow?
bool follows(const History& history) {
    return history.stream("watched.start") && history.stream("watched.moved");
}

// ---- frame by frame

// Where frames were left out, what happened since the last one shown is a sum over those between.
Json summed(const History& history, const Frames& frames, const std::string& name) {
    std::vector<float> all;
    std::vector<double> sum;
    std::size_t next = 0;
    for (const Frame& frame : history.frames) {
        const HistoryNumbers numbers = history.numbers(frame, name);
        sum.resize(numbers.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += numbers[i];
        if (next == frames.size() || frames[next] != &frame) continue;
        ++next;
        for (const double x : sum) all.push_back(float(x));
        std::fill(sum.begin(), sum.end(), 0.0);
    }
    return packed(all);
}

// Every stream of stream_list.h that this history has: most as they were recorded.
Json streams_data(const History& history, const Frames& frames, bool fine) {
    Json streams;
    for (const HistoryStream& stream : stream_list(recorded_in(history), {})) {
        const std::string& name = stream.name;
        const auto is = [&](const char* other) { return name == other; };
        if (stream.every != 1 || !history.stream(name) || is("watched.moved") || is("sample"))
            continue;  // in components_data and matrices_data, or as text
        if (is("watched.met") || is("watched.from_last"))
            streams.set(name, summed(history, frames, name));
        else if (is("watched.cosine"))
            streams.set(name, over<std::int16_t>(history, frames, name, "i16", 32767));
        else if (name.ends_with(".attention") && !fine)
            streams.set(name, over<std::uint8_t>(history, frames, name, "u8", 255));
        else
            streams.set(name, over(history, frames, name));
    }
    return streams;
}

// Where every watched embedding lies at each frame, on the plane of the last one.
Json plane_data(const History& history, const Frames& frames) {
    const Index n = follows(history) ? std::ssize(history.watched) : 0;
    std::vector<std::vector<double>> last;
    for (Index i = 0; i < n; ++i) last.push_back(history.embedding(*frames.back(), i));
    Json data;
    if (last.empty()) return data.set("places", packed(std::vector<float>{}));
    const Plane plane = principal_plane(last);
    std::vector<float> places;
    for (const Frame* frame : frames)
        for (Index i = 0; i < n; ++i)
            for (double x : plane.place_of(history.embedding(*frame, i)))
                places.push_back(float(x));
    data.set("places", packed(places));
    return data.set("share", Json::Array{plane.share[0], plane.share[1]});
}

// The watched embeddings themselves: all, or where that is too much those of the sentences' tokens.
Json components_data(const History& history, const Frames& frames) {
    const HistoryNumbers first = history.numbers(history.start, "watched.start");
    const std::size_t n = history.watched.size(), C = first.size() / std::max<std::size_t>(n, 1);
    const bool all = frames.size() * n * C <= 2'000'000;
    std::vector<Index> places;
    for (std::size_t i = 0; i < n; ++i) {
        bool in_sentence = false;
        for (const auto& tokens : history.sentences)
            in_sentence = in_sentence || std::find(tokens.begin(), tokens.end(),
                                                   history.watched[i]) != tokens.end();
        if (all || in_sentence) places.push_back(Index(i));
    }
    std::vector<float> start;
    std::vector<double> moved;
    for (const Index i : places)
        for (std::size_t c = 0; c < C; ++c) start.push_back(float(first[std::size_t(i) * C + c]));
    for (const Frame* frame : frames) {
        const HistoryNumbers now = history.numbers(*frame, "watched.moved");
        for (const Index i : places)
            for (std::size_t c = 0; c < C; ++c) moved.push_back(now[std::size_t(i) * C + c]);
    }
    Json components;
    components.set("places", listed(places)).set("start", packed(start));
    return components.set("moved", in_8_bits(moved, Index(C)));
}

// In as many of the frames that have them as fit; counted back from the last.
Json matrices_data(const History& history, const Frames& frames, std::size_t most) {
    const std::vector<std::string> rows = recorded_matrices(history);
    std::vector<Index> with, shown;
    for (std::size_t f = 0; f < frames.size(); ++f)
        if (!rows.empty() && history.carries(*frames[f], matrix_stream(rows[0], "moved")))
            with.push_back(Index(f));
    std::size_t weights = 0;
    for (const std::string& row : rows)
        weights += std::size_t(history.stream(matrix_stream(row, "start"))->size());
    // One of those that fit is the start.
    const std::size_t fit = most * 3 / 4 / std::max<std::size_t>(weights, 1);
    const std::size_t every = fit < 2 ? 1 : (with.size() + fit - 2) / (fit - 1);
    Frames chosen;
    for (std::size_t i = 0; i < with.size(); ++i)
        if (fit >= 2 && (with.size() - 1 - i) % std::max<std::size_t>(every, 1) == 0) {
            shown.push_back(with[i]);
            chosen.push_back(frames[std::size_t(with[i])]);
        }
    Json::Array list;
    for (const std::string& row : rows) {
        if (shown.empty()) break;
        const HistoryStream& stream = *history.stream(matrix_stream(row, "start"));
        const HistoryNumbers first = history.numbers(history.start, stream.name);
        Json matrix;
        matrix.set("name", row).set("rows", stream.shape[0]).set("columns", stream.shape[1]);
        matrix.set("start", in_8_bits(first.as<double>(), stream.size()));
        list.push_back(matrix.set("moved", over(history, chosen, matrix_stream(row, "moved"))));
    }
    Json matrices;
    return matrices.set("frames", listed(shown)).set("list", std::move(list));
}

Json everything_else(const Film& film, const Film* other, const Frames& frames, bool fine) {
    Json data;
    data.set("film", 1).set("run", film.name);
    data.set("model", model_data(film)).set("training", training_data(film));
    data.set("guesses", guesses_data(*film.tokenizer));
    const History& history = film.history;
    std::vector<Index> steps;
    Json::Array samples, sentences;
    for (const Frame* frame : frames) {
        steps.push_back(frame->step);
        const bool there = history.carries(*frame, "sample");
        samples.push_back(utf8::repaired(there ? history.numbers(*frame, "sample").levels() : ""));
    }
    for (const auto& tokens : history.sentences) sentences.push_back(listed(tokens));
    data.set("steps", listed(steps)).set("samples", std::move(samples));
    data.set("recorded", std::ssize(history.frames));
    data.set("curve", curve_data(film)).set("names", names_data(film, frames));
    data.set("sentences", std::move(sentences))
        .set("watched", listed(follows(history) ? history.watched : std::vector<Token>{}));
    data.set("streams", streams_data(history, frames, fine));
    data.set("plane", plane_data(history, frames));
    if (follows(history)) data.set("components", components_data(history, frames));
    data.set("parameters", parameters_data(film));
    if (!other) return data;
    Json beside;
    beside.set("run", other->name)
        .set("curve", curve_data(*other))
        .set("training", training_data(*other));
    data.set("other", std::move(beside));
    return data;
}

}  // namespace

Json film_data(const Film& film, const Film* other, std::size_t most) {
    const History& history = film.history;
    const std::vector<Frame>& all = history.frames;
    if (all.empty())
        fail({"%s: the history has no frame yet", "%s：训练回放还没有一帧"}, film.name);
    Index weights = 0;  // of attention, in a frame
    for (std::size_t s = 0; s < history.sentences.size(); ++s)
        if (const HistoryStream* stream = history.stream(sentence_stream(s, "attention")))
            weights += stream->size();
    for (std::size_t every = 1;; every *= 2) {
        Frames frames;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i == 0 || (all.size() - 1 - i) % every == 0) frames.push_back(&all[i]);
        const bool fine = weights * std::ssize(frames) <= 1'200'000;
        Json data = everything_else(film, other, frames, fine);
        const std::size_t size = data.write().size();
        if (size > most && every < all.size()) continue;
        data.set("matrices", matrices_data(history, frames, size < most ? most - size : 0));
        return data;
    }
}

}  // namespace zhuyi
