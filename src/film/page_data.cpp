#include "film/page_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/math.h"
#include "film/projection.h"
#include "formats/base64.h"
#include "model/parameters.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

template <class T>
constexpr const char* kType = nullptr;
template <>
constexpr const char* kType<std::int8_t> = "i8";
template <>
constexpr const char* kType<std::uint8_t> = "u8";
template <>
constexpr const char* kType<std::int16_t> = "i16";
template <>
constexpr const char* kType<std::uint16_t> = "u16";
template <>
constexpr const char* kType<std::int32_t> = "i32";
template <>
constexpr const char* kType<std::uint32_t> = "u32";
template <>
constexpr const char* kType<float> = "f32";

template <class T>
Json packed(const std::vector<T>& numbers, double scale = 1) {
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()),
                                 numbers.size() * sizeof(T));
    Json array;
    array.set("type", kType<T>).set("scale", scale).set("data", base64(bytes));
    return array;
}

template <class T>
Json listed(const std::vector<T>& numbers) {
    Json::Array items;
    for (T number : numbers) items.push_back(Index(number));
    return items;
}

using Frames = std::vector<const Frame*>;

// One number for each element of a frame, frame by frame.
template <class T, class Of>
Json over(const Frames& frames, const Of& of) {
    std::vector<T> all;
    for (const Frame* frame : frames) {
        const auto& numbers = of(*frame);
        all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return packed(all);
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
    const HistoryStart& start = film.history.start;
    std::set<Token> tokens(start.watched.begin(), start.watched.end());
    for (const auto& probe : start.probes) tokens.insert(probe.begin(), probe.end());
    for (const Frame* frame : frames) {
        tokens.insert(frame->watched.neighbours.begin(), frame->watched.neighbours.end());
        for (const ProbeFrame& probe : frame->probes)
            tokens.insert(probe.top.begin(), probe.top.end());
    }
    Json names;
    for (Token token : tokens)
        if (token >= 0 && token < film.tokenizer->size())
            names.set(std::to_string(token), film.tokenizer->name(token));
    return names;
}

// ---- frame by frame

Json probes_data(const Film& film, const Frames& frames, bool fine) {
    Json::Array probes;
    for (std::size_t p = 0; p < film.history.start.probes.size(); ++p) {
        std::vector<std::uint16_t> levels;
        for (const Frame* frame : frames)
            levels.insert(levels.end(), frame->probes[p].attention.begin(),
                          frame->probes[p].attention.end());
        std::vector<std::uint8_t> coarse;
        for (std::uint16_t level : levels) coarse.push_back(std::uint8_t((level + 128u) / 257u));
        Json probe;
        probe.set("tokens", listed(film.history.start.probes[p]));
        probe.set("attention", fine ? packed(levels, 1 / 65535.0) : packed(coarse, 1 / 255.0));
        probe.set("top", over<Token>(frames, [&](const Frame& f) { return f.probes[p].top; }));
        probe.set("probability",
                  over<float>(frames, [&](const Frame& f) { return f.probes[p].probability; }));
        probes.push_back(std::move(probe));
    }
    return probes;
}

// The way of every watched embedding over the map of the last frame.
void set_places(Json& watched, const History& history, const Frames& frames) {
    const Index n = std::ssize(history.start.watched);
    std::vector<std::vector<double>> last;
    for (Index i = 0; i < n; ++i) last.push_back(history.embedding(*frames.back(), i));
    if (last.empty()) last.push_back(std::vector<double>(std::size_t(history.start.channels)));
    const Plane plane = principal_plane(last);
    std::vector<float> places;
    for (const Frame* frame : frames)
        for (Index i = 0; i < n; ++i)
            for (double x : plane.place_of(history.embedding(*frame, i)))
                places.push_back(float(x));
    watched.set("places", packed(places));
    watched.set("share", Json::Array{plane.share[0], plane.share[1]});
}

// Components of the watched embeddings: of all, or where that is too much of those in the probes.
void set_components(Json& watched, const History& history, const Frames& frames) {
    const std::size_t C = std::size_t(history.start.channels);
    std::vector<Index> places;
    const bool all = frames.size() * history.start.watched.size() * C <= 2'000'000;
    for (std::size_t i = 0; i < history.start.watched.size(); ++i) {
        const Token token = history.start.watched[i];
        bool in_probe = false;
        for (const auto& probe : history.start.probes)
            in_probe = in_probe || std::find(probe.begin(), probe.end(), token) != probe.end();
        if (all || in_probe) places.push_back(Index(i));
    }
    std::vector<float> start, scales;
    std::vector<std::int8_t> moved;
    for (Index i : places)
        start.insert(start.end(), history.start.embeddings.begin() + i * Index(C),
                     history.start.embeddings.begin() + (i + 1) * Index(C));
    for (const Frame* frame : frames)
        for (Index i : places) {
            const auto& fine = frame->watched.moved[std::size_t(i)];
            std::vector<double> values;
            for (std::size_t c = 0; c < C; ++c) values.push_back(fine[c]);
            const Scaled<std::int8_t> grid = scaled<std::int8_t>(values);
            scales.push_back(grid.scale);
            moved.insert(moved.end(), grid.levels.begin(), grid.levels.end());
        }
    Json components;
    components.set("places", listed(places)).set("start", packed(start));
    components.set("scales", packed(scales)).set("moved", packed(moved));
    watched.set("components", std::move(components));
}

Json watched_data(const Film& film, const Frames& frames) {
    const History& history = film.history;
    Json watched;
    watched.set("tokens", listed(history.start.watched));
    set_places(watched, history, frames);
    set_components(watched, history, frames);
    const auto numbers = [&](const char* name, std::vector<float> WatchedFrame::*part) {
        watched.set(name, over<float>(frames, [&](const Frame& f) { return f.watched.*part; }));
    };
    numbers("from_start", &WatchedFrame::from_start);
    numbers("lookup", &WatchedFrame::lookup);
    numbers("head", &WatchedFrame::head);
    watched.set("neighbours",
                over<Token>(frames, [](const Frame& f) { return f.watched.neighbours; }));
    std::vector<std::int16_t> cosines;
    std::vector<std::uint32_t> met;
    std::vector<float> from_last;
    std::vector<double> path(history.start.watched.size());
    for (const Frame* frame : frames)
        for (float c : frame->watched.cosine)
            cosines.push_back(std::int16_t(std::lrint(double(c) * 32767)));
    watched.set("cosine", packed(cosines, 1 / 32767.0));
    // Where frames were left out, what happened since the last one shown is a sum over those between.
    std::vector<std::uint32_t> since(path.size());
    std::size_t next = 0;
    for (const Frame& frame : history.frames) {
        for (std::size_t i = 0; i < path.size(); ++i) {
            since[i] += frame.watched.met[i];
            path[i] += double(frame.watched.from_last[i]);
        }
        if (next == frames.size() || frames[next] != &frame) continue;
        ++next;
        met.insert(met.end(), since.begin(), since.end());
        for (double way : path) from_last.push_back(float(way));
        std::fill(since.begin(), since.end(), 0u);
        std::fill(path.begin(), path.end(), 0.0);
    }
    watched.set("met", packed(met)).set("from_last", packed(from_last));
    return watched;
}

Json parameters_data(const Film& film, const Frames& frames) {
    Json::Array rows;
    for (const Parameter& p : parameter_table(film.model)) {
        Json row;
        row.set("name", p.name)
            .set("block", p.block)
            .set("shape", p.shape.text())
            .set("size", p.shape.size());
        rows.push_back(std::move(row));
    }
    Json parameters;
    parameters.set("rows", std::move(rows));
    const auto numbers = [&](const char* name, std::vector<float> ParameterFrame::*part) {
        parameters.set(name,
                       over<float>(frames, [&](const Frame& f) { return f.parameters.*part; }));
    };
    numbers("norm", &ParameterFrame::norm);
    numbers("from_start", &ParameterFrame::from_start);
    numbers("ratio", &ParameterFrame::ratio);
    numbers("gradient", &ParameterFrame::gradient);
    return parameters;
}

// In as many of the frames that have them as fit; counted back from the last.
Json matrices_data(const Film& film, const Frames& frames, std::size_t most) {
    const History& history = film.history;
    const std::vector<Parameter> table = parameter_table(film.model);
    std::vector<Index> with;
    for (std::size_t f = 0; f < frames.size(); ++f)
        if (!frames[f]->matrices.empty()) with.push_back(Index(f));
    std::size_t weights = 0;
    for (const auto& matrix : history.start.matrices) weights += matrix.size();
    // One of those that fit is the start.
    const std::size_t fit = most * 3 / 4 / std::max<std::size_t>(weights, 1);
    const std::size_t every = fit < 2 ? with.size() + 1 : (with.size() + fit - 2) / (fit - 1);
    std::vector<Index> shown;
    for (std::size_t i = 0; i < with.size(); ++i)
        if (fit >= 2 && (with.size() - 1 - i) % std::max<std::size_t>(every, 1) == 0)
            shown.push_back(with[i]);

    Json matrices;
    matrices.set("block", history.start.block).set("frames", listed(shown));
    Json::Array list;
    std::size_t m = 0;
    for (const Parameter& p : table) {
        if (p.block != history.start.block || p.shape.rank() != 2 || shown.empty()) continue;
        std::vector<double> start;
        std::vector<float> scales;
        std::vector<std::int8_t> moved;
        for (std::size_t i = 0; i < history.start.matrices[m].size(); ++i)
            start.push_back(history.start.matrices[m][i]);
        for (Index f : shown) {
            const Scaled<std::int8_t>& grid = frames[std::size_t(f)]->matrices[m];
            scales.push_back(grid.scale);
            moved.insert(moved.end(), grid.levels.begin(), grid.levels.end());
        }
        const Scaled<std::int8_t> coarse = scaled<std::int8_t>(start);
        Json matrix;
        matrix.set("name", p.name).set("rows", p.shape[0]).set("columns", p.shape[1]);
        matrix.set("start", packed(coarse.levels, double(coarse.scale)));
        matrix.set("scales", packed(scales)).set("moved", packed(moved));
        list.push_back(std::move(matrix));
        ++m;
    }
    matrices.set("list", std::move(list));
    return matrices;
}

Json everything_else(const Film& film, const Film* other, const Frames& frames, bool fine) {
    Json data;
    data.set("film", 1).set("run", film.name);
    data.set("model", model_data(film)).set("training", training_data(film));
    data.set("guesses", guesses_data(*film.tokenizer));
    std::vector<Index> steps;
    Json::Array samples;
    for (const Frame* frame : frames) {
        steps.push_back(frame->step);
        samples.push_back(utf8::repaired(frame->sample));
    }
    data.set("steps", listed(steps)).set("samples", std::move(samples));
    data.set("recorded", std::ssize(film.history.frames));
    data.set("curve", curve_data(film)).set("names", names_data(film, frames));
    data.set("probes", probes_data(film, frames, fine));
    data.set("watched", watched_data(film, frames));
    data.set("parameters", parameters_data(film, frames));
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
    const std::vector<Frame>& all = film.history.frames;
    if (all.empty()) fail_english(film.name + ": the film has no frame yet");
    for (std::size_t every = 1;; every *= 2) {
        Frames frames;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i == 0 || (all.size() - 1 - i) % every == 0) frames.push_back(&all[i]);
        std::size_t levels = 0;
        for (const ProbeFrame& probe : all[0].probes)
            levels += probe.attention.size() * frames.size();
        Json data = everything_else(film, other, frames, levels <= 1'200'000);
        const std::size_t size = data.write().size();
        if (size > most && every < all.size()) continue;
        data.set("matrices", matrices_data(film, frames, size < most ? most - size : 0));
        return data;
    }
}

}  // namespace zhuyi
