#include "film/history_recorder.h"

#include <doctest/doctest.h>

#include <csignal>

#include "attention/neighbors.h"
#include "base/check.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "system/input_file.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

CharacterTokenizer small_tokenizer() {
    const std::string_view texts[] = {"小猫吃鱼，小猫睡觉。小狗吃鱼"};
    return CharacterTokenizer::from_texts(texts, 1, 1);
}

GptConfig small_model(const Tokenizer& tokenizer) {
    GptConfig config = tiny_config();
    config.vocabulary = tokenizer.size();
    config.dropout = 0.1;
    return config;
}

TrainConfig small_training(Index steps) {
    TrainConfig config;
    config.batch = 2, config.accumulate = 2, config.steps = steps, config.warmup = 2;
    config.learning_rate = 1e-2, config.eval_every = 4, config.seed = 3;
    return config;
}

// A training with a film, from the beginning or from its last checkpoint.
struct Filming {
    CharacterTokenizer tokenizer = small_tokenizer();
    GptConfig config = small_model(tokenizer);
    TrainConfig training;
    std::vector<Token> text = tokenizer.encode("小猫吃鱼，小猫睡觉。小狗吃鱼，小猫小狗睡觉。");
    Parameters parameters;
    Gpt model;
    CheckpointFolder folder;
    Trainer trainer;
    HistoryRecorder recorder;
    InterruptListener interrupt;

    Filming(const ScratchFolder& scratch, Index steps, bool film = true,
            std::string_view frozen = "")
        : training(small_training(steps)),
          parameters(table(frozen), true),
          model(config, parameters),
          folder{scratch.path()},
          trainer(model, parameters, training, {text, text, 1}, folder),
          recorder({model, parameters, tokenizer, training, folder}, plan(steps)) {
        if (film) trainer.listen(recorder);
        parameters.initialise(1);
    }
    std::vector<Parameter> table(std::string_view frozen) const {
        std::vector<Parameter> rows = parameter_table(config);
        freeze(rows, frozen);
        return rows;
    }
    HistoryPlan plan(Index steps) const {
        HistoryConfig wish;
        wish.probes = "小猫吃鱼";
        wish.block = 1;
        return plan_history(wish, config, steps, tokenizer, text);
    }
    void run() { trainer.run(interrupt); }
    History film() const {
        return read_history((folder.path / kHistoryFile).string(), tokenizer.size());
    }
};

std::string file_of_version_1() { return read_file("tests/film/history_1.bin"); }

struct StopAt : Listener {
    Index step;
    explicit StopAt(Index s) : step(s) {}
    const char* name() const override { return "stop"; }
    void step_done(const StepReport& report) override {
        if (report.step == step) std::raise(SIGINT);
    }
};

double length(std::span<const double> x) {
    double sum = 0;
    for (double c : x) sum += c * c;
    return std::sqrt(sum);
}

}  // namespace

TEST_CASE("film: recorded or not, the weights are the same") {
    const ScratchFolder with, without;
    Filming filmed(with, 9), plain(without, 9, false);
    filmed.run();
    plain.run();
    CHECK(filmed.parameters.fingerprint() == plain.parameters.fingerprint());
}

TEST_CASE("film: a run that stopped and went on leaves the same bytes") {
    const ScratchFolder whole_folder, broken_folder;
    Filming whole(whole_folder, 9);
    whole.run();
    {
        Filming first(broken_folder, 9);
        StopAt stop(6);
        first.trainer.listen(stop);
        first.run();
        CHECK(first.trainer.progress().step == 6);
    }
    // Killed a little later: after the checkpoint more was recorded, the last of it torn.
    std::ofstream(broken_folder.path("history.bin"), std::ios::app | std::ios::binary) << "torn";
    Filming second(broken_folder, 9);
    second.trainer.resume();
    second.run();
    CHECK(broken_folder.read("history.bin") == whole_folder.read("history.bin"));
}

TEST_CASE("film: recording that is switched on at a resume begins there, and says so") {
    const ScratchFolder folder;
    {
        Filming plain(folder, 9, false);
        StopAt stop(5);
        plain.trainer.listen(stop);
        plain.run();
    }
    Filming filmed(folder, 9);
    filmed.trainer.resume();
    filmed.run();
    const History film = filmed.film();
    CHECK(film.start.step == 5);
    REQUIRE(film.frames.size() == 5);
    CHECK(film.frames[0].step == 5);
    // How far each weight is from step 0 is known all the same.
    CHECK(film.numbers(film.frames[0], "parameter.from_start")[0] > 0);
    CHECK(film.numbers(film.frames[0], "watched.from_start")[0] > 0);
    CHECK(film.numbers(film.frames[0], "parameter.ratio")[0] == 0);
    CHECK(film.numbers(film.frames[1], "parameter.ratio")[0] > 0);
}

TEST_CASE(
    "film: a training that is longer than planned goes on with the streams of its beginning") {
    const ScratchFolder folder;
    Filming(folder, 5).run();
    Filming longer(folder, 8);
    longer.trainer.resume();
    longer.run();
    const History film = longer.film();
    CHECK(film.frames.back().step == 8);
    CHECK(film.carries(film.frames.back(), "matrix.block.1.attention.W_Q.moved"));
    CHECK(film.stream("matrix.block.1.attention.W_Q.moved")->steps.back() == 5);
}

TEST_CASE("film: one that an earlier version began can be seen, but not be continued") {
    const ScratchFolder folder;
    std::string old = file_of_version_1();
    const std::string path = folder.write("history.bin", old);
    AppendFile file(path);
    Filming filmed(folder, 9);
    const std::string state = std::to_string(old.size()) + " " + hash_text(hash_of(old));
    std::string words = state + " 0 0 0 0";
    for (std::size_t i = 0; i < filmed.plan(9).watched.size(); ++i) words += " 0";
    CHECK(verify_film(path, state).frames.size() == 4);
    CHECK_THROWS_WITH_AS(filmed.recorder.resume(words), doctest::Contains("earlier version"),
                         Error);
}

TEST_CASE("film: resume refuses another film, and one that is gone") {
    const ScratchFolder folder;
    {
        Filming first(folder, 9);
        StopAt stop(6);
        first.trainer.listen(stop);
        first.run();
    }
    std::string film = folder.read("history.bin");
    film[film.size() / 2] = char(film[film.size() / 2] ^ 1);
    folder.write("history.bin", film);
    Filming changed(folder, 9);
    CHECK_THROWS_AS(changed.trainer.resume(), Error);
    folder.write("history.bin", "");
    Filming gone(folder, 9);
    CHECK_THROWS_AS(gone.trainer.resume(), Error);
}

TEST_CASE("film: a frame is the model of its step") {
    const ScratchFolder folder;
    Filming filmed(folder, 9);
    filmed.run();
    const History film = filmed.film();
    REQUIRE(film.frames.size() == 10);
    CHECK(film.curve.size() == 9);
    CHECK(film.evaluations.size() == 4);  // 0, 4, 8 and the end
    const Frame& last = film.frames.back();
    CHECK(last.step == 9);

    // The embedding, where it moved, and how far.
    const Token cat = filmed.tokenizer.token_of(U'猫');
    const Index place = film.place_of(cat), C = filmed.config.channels;
    REQUIRE(place >= 0);
    const Tensor E = filmed.parameters.tensor("embedding.token");
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
    const std::vector<Token> candidates = possible_neighbours(filmed.tokenizer);
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

    // A matrix of the chosen block.
    const Tensor W_K = filmed.parameters.tensor("block.1.attention.W_K");
    const std::string matrix = "matrix.block.1.attention.W_K.";
    CHECK(close(
        film.numbers(film.start, matrix + "start")[5] + film.numbers(last, matrix + "moved")[5],
        double(W_K.value[5]), 1e-3));

    // The start names the rows of the parameter table.
    const std::vector<Parameter>& table = filmed.parameters.table();
    REQUIRE(film.parameters.size() == table.size());
    CHECK(film.parameters[0].name == "embedding.token");
    CHECK(film.parameters[0].shape == std::vector<Index>{filmed.tokenizer.size(), C});
    CHECK(film.parameters.back().name == table.back().name);
    CHECK(film.absent.empty());
}

TEST_CASE("film: every token read is counted once") {
    const ScratchFolder folder;
    Filming filmed(folder, 9);
    filmed.run();
    const History film = filmed.film();
    Index met = 0;
    for (const Frame& frame : film.frames)
        for (const Index times : film.numbers(frame, "watched.met").as<Index>()) met += times;
    // Everything in this text is watched: 9 steps of 2 passes of 2 windows of 8 tokens.
    CHECK(met == 9 * 2 * 2 * 8);
}

TEST_CASE("film: the gradient's two parts") {
    const ScratchFolder folder;
    Filming filmed(folder, 9);
    filmed.run();
    const History film = filmed.film();
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
    const Parameter& p = filmed.parameters.table().front();
    const Out whole = filmed.parameters.grad(p);
    const Index C = filmed.config.channels;
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

TEST_CASE("film: the size of an update, computed after it without a copy") {
    TinyGpt tiny;
    TrainConfig config;
    config.weight_decay = 0.2;
    const std::vector<Real> first(tiny.parameters.values().begin(), tiny.parameters.values().end());
    std::vector<Real> before;
    for (Index step = 1; step <= 3; ++step) {
        const Random random(9, Stream::batches, std::uint64_t(step));
        const Out grads = tiny.parameters.grads();
        for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = Real(random.normal(Index(i)));
        before.assign(tiny.parameters.values().begin(), tiny.parameters.values().end());
        adamw(tiny.parameters, config, 1e-2, 0.5, step);
    }
    Measured frame;
    measure_parameters(frame, tiny.parameters, first, config, {3, 1e-2});
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
    Filming filmed(folder, 5, true, "attention");
    filmed.run();
    const History film = filmed.film();
    const Frame& last = film.frames.back();
    const std::vector<Parameter>& table = filmed.parameters.table();
    for (std::size_t row = 0; row < table.size(); ++row) {
        CAPTURE(table[row].name);
        CHECK((film.numbers(last, "parameter.from_start")[row] == 0) == table[row].frozen);
        CHECK((film.numbers(last, "parameter.ratio")[row] == 0) == table[row].frozen);
    }
}
