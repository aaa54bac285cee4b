#include "film/history_recorder.h"

#include <doctest/doctest.h>

#include "attention/neighbors.h"
#include "autograd/tape.h"
#include "base/check.h"
#include "base/grid.h"
#include "film/stream_list.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/recorded_training.h"
#include "system/machine.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/trainer.h"
#include "train/update.h"

using namespace zhuyi;

TEST_CASE("film: recorded or not, the weights are the same") {
    const ScratchFolder with, without;
    RecordedTraining recorded(with, 9), plain(without, 9, false);
    recorded.run();
    plain.run();
    CHECK(recorded.parameters.fingerprint() == plain.parameters.fingerprint());
}

TEST_CASE("film: a frame is the model of its step") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const History film = recorded.film();
    REQUIRE(film.frames.size() == 10);
    CHECK(film.curve.size() == 9);
    CHECK(film.evaluations.size() == 6);  // 0, 1, 3, 4, 8 and the end
    const Frame& last = film.frames.back();
    CHECK(last.step == 9);

    // The embedding, where it moved, and how far.
    const Token cat = recorded.tokenizer.token_of(U'猫');
    const Index place = film.place_of(cat), C = recorded.config.channels;
    REQUIRE(place >= 0);
    const Tensor E = recorded.parameters.tensor("embedding.token");
    std::vector<double> moved;
    for (Index c = 0; c < C; ++c) {
        const double now = film.embedding(last, place)[std::size_t(c)];
        CHECK(close(now, double(E.value[cat * C + c]), 2e-6));
        moved.push_back(now -
                        film.numbers(film.start, "watched.start")[std::size_t(place * C + c)]);
    }
    CHECK(close(film.numbers(last, "watched.from_start")[std::size_t(place)], length(moved), 0,
                1e-3));

    // Its neighbours.
    Workspace workspace;
    const std::vector<Token> candidates = possible_neighbours(recorded.tokenizer);
    const std::vector<Token> of{cat};
    const Neighbour best = nearest(E, of, candidates, 1, workspace)[0][0];
    const std::size_t first = std::size_t(place * kNeighbours);
    CHECK(film.numbers(last, "watched.neighbours")[first] == best.token);
    CHECK(close(film.numbers(last, "watched.cosine")[first], best.cosine, 1e-6));

    // Attention's rows sum to 1; probabilities fall.
    const std::vector<float> map = film.map(last, 0, 1, 1);
    CHECK(close(double(map[12] + map[13] + map[14] + map[15]), 1, 1e-4));
    const HistoryNumbers probability = film.numbers(last, "sentence.0.probability");
    CHECK(probability[0] >= probability[1]);

    // Snapshots: every weight as bf16, and what the weights themselves make of a sentence.
    Parameters rounded(recorded.parameters.table(), false);
    const HistoryNumbers snapshot = film.numbers(last, "snapshot");
    std::size_t next = 0;
    for (const Parameter& p : rounded.table())
        for (std::size_t i = 0; i < rounded.value(p).size(); ++i) {
            const double exact = double(recorded.parameters.value(p)[i]);
            CHECK(close(snapshot[next], exact, 0, 1 / 256.0));
            rounded.value(p)[i] = Real(snapshot[next++]);
        }
    CHECK(next == snapshot.size());
    Gpt model(recorded.config, rounded);
    Tape tape(false);
    const Tensor logits = model.logits(tape, film.sentences[0], 1, {.last_only = true});
    const HistoryNumbers exact = film.numbers(last, "sentence.0.logits");
    REQUIRE(std::ssize(logits.values()) == std::ssize(exact.as<double>()));
    for (std::size_t v = 0; v < exact.size(); ++v)
        CHECK(close(double(logits.values()[v]), exact[v], 0.05));

    // The start names the rows of the parameter table.
    const std::vector<Parameter>& table = recorded.parameters.table();
    REQUIRE(film.parameters.size() == table.size());
    CHECK(film.parameters[0].name == "embedding.token");
    CHECK(film.parameters[0].shape == std::vector<Index>{recorded.tokenizer.size(), C});
    CHECK(film.parameters.back().name == table.back().name);
    CHECK(film.absent.empty());
}

TEST_CASE("film: paths, roles of heads, and the continuations that are followed") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const History film = recorded.film();
    const Frame& last = film.frames.back();
    CHECK(film.numbers(film.start, "sentences.met")[0] == 1);

    // Paths are at least as long as the way from the start; roles are shares.
    const HistoryNumbers path = film.numbers(last, "parameter.path");
    const HistoryNumbers way = film.numbers(last, "parameter.from_start");
    for (std::size_t row = 0; row < path.size(); ++row) CHECK(path[row] >= way[row] - 1e-6);
    const HistoryNumbers roles = film.numbers(last, "heads.roles");
    CHECK(roles[0] > 0);
    for (std::size_t i = 0; i < roles.size(); ++i) CHECK((roles[i] >= 0 && roles[i] <= 1));

    // Of the token that really follows: its rank and probability agree with the five likeliest, and
    // what was once likeliest is followed to the end.
    const HistoryNumbers next = film.numbers(last, "sentence.0.next");
    const HistoryNumbers rank = film.numbers(last, "sentence.0.rank");
    const HistoryNumbers top = film.numbers(last, "sentence.0.top");
    const HistoryNumbers likely = film.numbers(last, "sentence.0.probability");
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t k = 0; k < 5; ++k)
            if (top[5 * t + k] == double(film.sentences[0][t + 1])) {
                CHECK(rank[t] == double(k + 1));
                CHECK(next[t] == likely[5 * t + k]);
            }
    CHECK(rank[3] == 0);
    const double first = film.numbers(film.frames[0], "sentence.0.top")[0];
    const std::vector<double> followed = film.numbers(last, "sentence.0.followed").as<double>();
    CHECK(std::count(followed.begin(), followed.begin() + 16, first) == 1);
}

TEST_CASE("film: every token read is counted once") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const History film = recorded.film();
    Index met = 0;
    for (const Frame& frame : film.frames)
        for (const Index times : film.numbers(frame, "watched.met").as<Index>()) met += times;
    // Everything in this text is watched: 9 steps of 2 passes of 2 windows of 8 tokens.
    CHECK(met == 9 * 2 * 2 * 8);
}

TEST_CASE("film: the gradient's two parts") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 9);
    recorded.run();
    const History film = recorded.film();
    const Frame& frame = film.frames[1];
    const HistoryNumbers lookup = film.numbers(frame, "watched.lookup");
    const HistoryNumbers head = film.numbers(frame, "watched.head");
    const HistoryNumbers met = film.numbers(frame, "watched.met");
    for (std::size_t i = 0; i < film.watched.size(); ++i) {
        CAPTURE(i);
        // A token that was not read has no part from being looked up; from the head everyone has
        // one.
        CHECK((lookup[i] > 0) == (met[i] > 0));
        CHECK(head[i] > 0);
    }
    // Together they are the whole: its length lies between their difference and their sum.
    const Frame& last = film.frames.back();
    const Parameter& p = recorded.parameters.table().front();
    const Out whole = recorded.parameters.grad(p);
    const Index C = recorded.config.channels;
    for (std::size_t i = 0; i < film.watched.size(); ++i) {
        double sum = 0;
        for (Index c = 0; c < C; ++c) {
            const double g = double(whole[std::size_t(film.watched[i] * C + c)]);
            sum += g * g;
        }
        const double a = film.numbers(last, "watched.lookup")[i];
        const double b = film.numbers(last, "watched.head")[i];
        CHECK(std::sqrt(sum) <= a + b + 1e-6);
        CHECK(std::sqrt(sum) >= std::abs(a - b) - 1e-6);
    }
}

TEST_CASE("film: the size of an update") {
    TinyGpt tiny;
    TrainConfig config;
    config.weight_decay = 0.2;
    const std::vector<Real> first(tiny.parameters.values().begin(), tiny.parameters.values().end());
    std::vector<Real> before;
    const auto optimizer = make_optimizer(tiny.parameters.table(), config);
    for (Index step = 1; step <= 3; ++step) {
        const Random random(9, Stream::batches, std::uint64_t(step));
        const Out grads = tiny.parameters.grads();
        for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = Real(random.normal(Index(i)));
        before.assign(tiny.parameters.values().begin(), tiny.parameters.values().end());
        if (step == 3) optimizer->measure_next_update();
        optimizer->update(tiny.parameters, {step, 1e-2, 0.5});
    }
    Measured frame;
    measure_parameters(frame, tiny.parameters, first, optimizer->measured_update());
    for (std::size_t row = 0; row < tiny.parameters.table().size(); ++row) {
        const Parameter& p = tiny.parameters.table()[row];
        CAPTURE(p.name);
        const Out now = tiny.parameters.value(p);
        double update = 0, whole = 0, way = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            const double w = double(before[std::size_t(p.offset) + i]);
            update += (double(now[i]) - w) * (double(now[i]) - w);
            whole += w * w;
            const double moved = double(now[i]) - double(first[std::size_t(p.offset) + i]);
            way += moved * moved;
        }
        CHECK(close(frame["parameter.ratio"][row], std::sqrt(update / whole), 0, 1e-4));
        CHECK(close(frame["parameter.from_start"][row], std::sqrt(way), 0, 1e-5));
    }
}

TEST_CASE("film: what is frozen does not move") {
    const ScratchFolder folder;
    RecordedTraining recorded(folder, 5, true, "attention");
    recorded.run();
    const History film = recorded.film();
    const Frame& last = film.frames.back();
    const std::vector<Parameter>& table = recorded.parameters.table();
    for (std::size_t row = 0; row < table.size(); ++row) {
        CAPTURE(table[row].name);
        CHECK((film.numbers(last, "parameter.from_start")[row] == 0) == table[row].frozen);
        CHECK((film.numbers(last, "parameter.ratio")[row] == 0) == table[row].frozen);
    }
}
