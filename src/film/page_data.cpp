#include "film/page_data.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/math.h"
#include "base/utf8.h"
#include "film/stream_list.h"
#include "model/parameters.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {
static Json model_data(const GptConfig& m) {
    Json model;
    model.set("context", m.context).set("channels", m.channels).set("heads", m.heads);
    model.set("layers", m.layers).set("ffn", m.width()).set("vocabulary", m.vocabulary);
    const PositionEncoding& encoding = encoding_of(m.position);
    model.set("position", encoding.name).set("added", encoding.added);
    return model.set("tied", m.tied).set("parameters", count(parameter_table(m)));
}

static Json training_data(const Film& film) {
    const TrainConfig& t = film.training;
    Json training, frozen(Json::Array{});
    for (const Parameter& row : parameter_table(film.model, t.freeze))
        if (row.frozen) frozen.push(row.name);
    training.set("text", std::filesystem::path(film.text).filename().string());
    training.set("steps", t.steps).set("batch", t.batch).set("accumulate", t.accumulate);
    training.set("order", name_of(t.order));
    training.set("optimizer", name_of(t.optimizer)).set("schedule", name_of(t.schedule));
    training.set("peak", t.learning_rate).set("last", t.final_learning_rate());
    training.set("warmup", t.warmup).set("decay", t.weight_decay).set("clip", t.clip);
    training.set("momentum", t.momentum).set("beta1", t.beta1).set("beta2", t.beta2);
    training.set("epsilon", t.epsilon).set("seed", t.seed).set("prompt", t.prompt);
    training.set("dropout", std::max(film.model.dropout, film.model.embedding_dropout));
    return training.set("freeze", t.freeze).set("frozen", std::move(frozen));
}

// Returns how many tokens and characters the training part holds, as the vocabulary has counted
// them; zeros for a vocabulary from elsewhere, which has no counts.
static std::pair<Index, Index> counted(const Tokenizer& tokenizer) {
    Index tokens = 0, characters = 0;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        const Index n = tokenizer.count(token);
        tokens += n, characters += n * tokenizer.characters({&token, 1});
    }
    return {tokens, characters};
}

// What a loss per token is to be multiplied with. A film that has not recorded it gets what the
// vocabulary has counted.
static std::optional<TokensPerCharacter> tokens_per_character(const Film& film) {
    const History& history = film.history;
    if (history.carries(history.start, "tokens_per_character")) {
        const HistoryNumbers both = history.numbers(history.start, "tokens_per_character");
        return TokensPerCharacter{both[0], both[1]};
    }
    const auto [tokens, characters] = counted(*film.tokenizer);
    if (characters == 0) return {};
    const double each = double(tokens) / double(characters);
    return TokensPerCharacter{each, each};
}

// What a loss is held against: all tokens are as likely; counting alone (unigram, bigram, trigram
// model) and the floor, which are known per character, and 0 where they are not known.
static Json guesses_data(const Film& film, const TokensPerCharacter* per_character) {
    const History& history = film.history;
    std::vector<double> levels(4);
    if (per_character && history.carries(history.start, "levels"))
        levels = history.numbers(history.start, "levels").as<double>();
    const double uniform = math::log(double(film.tokenizer->size()));
    return Json()
        .set("uniform", (per_character ? per_character->train : 1) * uniform)
        .set("unigram", levels[0])
        .set("bigram", levels[1])
        .set("trigram", levels[2])
        .set("floor", levels[3]);
}

static Json curve_data(const History& history, const TokensPerCharacter& per_character) {
    const auto column = [](const auto& points, auto member, double scale = 1) {
        std::vector<double> all;
        for (const auto& point : points) all.push_back(scale * double(point.*member));
        return packed(all);
    };
    const std::vector<CurvePoint>& points = history.curve;
    Json curve;
    curve.set("step", column(points, &CurvePoint::step));
    curve.set("loss", column(points, &CurvePoint::loss, per_character.train));
    curve.set("rate", column(points, &CurvePoint::learning_rate));
    curve.set("gradient", column(points, &CurvePoint::gradient_norm));
    curve.set("evaluated", column(history.evaluations, &EvaluationPoint::step));
    curve.set("validation",
              column(history.evaluations, &EvaluationPoint::loss, per_character.validation));
    curve.set("documents_step", column(history.documents, &EvaluationPoint::step));
    return curve.set("documents",
                     column(history.documents, &EvaluationPoint::loss, per_character.validation));
}

static Json corpus_data(const Tokenizer& tokenizer) {
    const auto [tokens, characters] = counted(tokenizer);
    Json corpus;
    corpus.set("tokens", tokens).set("characters", characters);
    return corpus.set("documents", tokenizer.count(tokenizer.end_of_text()));
}

// All losses: per character, or per token where a film does not know how many make a character.
static void set_losses(Json& data, const Film& film, std::span<const Film> others) {
    auto ours = tokens_per_character(film);
    const bool known = ours && std::ranges::all_of(others, [](const Film& other) {
                           return tokens_per_character(other).has_value();
                       });
    if (!known) ours = TokensPerCharacter{};
    data.set("per_character", known);  // and how many tokens that is, so that both can be named
    data.set("tokens_per_character", Json::Array{Json(ours->train), Json(ours->validation)});
    data.set("guesses", guesses_data(film, known ? &*ours : nullptr));
    data.set("curve", curve_data(film.history, *ours));
    Json beside(Json::Array{});
    for (const Film& other : others) {
        const auto theirs = known ? *tokens_per_character(other) : TokensPerCharacter{};
        beside.push(other_data(other).set("curve", curve_data(other.history, theirs)));
    }
    data.set("others", std::move(beside));
}

// Of every token that the page speaks of.
static Json names_data(const Film& film, const Frames& frames) {
    const History& history = film.history;
    std::set<Token> tokens;
    const auto add = [&](const std::vector<Token>& more) {
        tokens.insert(more.begin(), more.end());
    };
    add(history.watched);
    for (const auto& sentence : history.sentences) add(sentence);
    for (const HistoryStream& stream : history.streams)
        if (stream.name == "watched.neighbours" || stream.name.ends_with(".top") ||
            stream.name.ends_with(".followed"))
            for (const Frame* frame : frames)
                if (history.carries(*frame, stream.name))
                    add(history.numbers(*frame, stream.name).as<Token>());
    Json names{Json::Object{}};
    for (Token token : tokens)
        if (token >= 0 && token < film.tokenizer->size())
            names.set(std::to_string(token), film.tokenizer->name(token));
    return names;
}

static Json parameters_data(const History& history) {
    Json::Array rows;
    for (const History::Row& row : history.parameters)
        rows.push_back(Json().set("name", row.name).set("shape", listed(row.shape)));
    return rows;
}

// The recorded roles of heads, by their places in "heads.roles".
static Json roles_data(const History& history) {
    Json roles(Json::Array{});
    const HistoryStream* stream = history.stream("heads.roles");
    for (const HeadRole& role :
         std::span(kHeadRoles).first(std::size_t(stream ? stream->shape[0] : 0)))
        roles.push(Json().set("en", role.name.english).set("zh", role.name.chinese));
    return roles;
}

// Of each head at each frame its habit, (frames, L, H).
static Json habits_data(const History& history, const Frames& frames) {
    List<double> all;
    for (const Frame* frame : frames)
        for (const Index habit : habits(history, *frame)) all.push_back(double(habit));
    return packed(all, "i8");
}

// Tokens of the page's documents.
static Json texts_data(const Film& film) {
    const char* element = film.tokenizer->size() <= 65536 ? "u16" : "i32";
    const auto packed_tokens = [&](const std::vector<Token>& tokens) {
        return packed({tokens.begin(), tokens.end()}, element);
    };
    return Json()
        .set("train", packed_tokens(film.learned))
        .set("held_out", packed_tokens(film.held_out));
}

static Json everything_else(const Film& film, std::span<const Film> others, const Frames& frames,
                            bool fine) {
    Json data;
    data.set("run", film.name);
    data.set("model", model_data(film.model)).set("training", training_data(film));
    data.set("corpus", corpus_data(*film.tokenizer));
    if (film.asked) data.set("rules", rules_data(*film.asked));
    if (!film.learned.empty()) data.set("texts", texts_data(film));
    set_losses(data, film, others);
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
    data.set("names", names_data(film, frames));
    if (history.carries(history.start, "sentences.met"))
        data.set("sentences_met",
                 listed(history.numbers(history.start, "sentences.met").as<Index>()));
    data.set("sentences", std::move(sentences))
        .set("watched", listed(follows(history) ? history.watched : List<Token>{}));
    data.set("roles", roles_data(history)).set("habits", habits_data(history, frames));
    data.set("streams", streams_data(history, frames, fine));
    data.set("plane", plane_data(history, frames));
    return data.set("parameters", parameters_data(history));
}

Json film_data(const Film& film, std::span<const Film> others, std::size_t most,
               std::string& bytes) {
    const std::size_t before = bytes.size();
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
        bytes.resize(before);
        Json data = gathered(everything_else(film, others, frames, fine), bytes);
        const std::size_t size = data.write().size() + dense_size(bytes.size() - before);
        if (size <= most || every >= all.size()) return data;
    }
}

}  // namespace zhuyi
