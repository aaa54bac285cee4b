#include "cost/model_size.h"

#include <doctest/doctest.h>

#include "autograd/tape.h"
#include "autograd/watching.h"
#include "explain/examples.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/tiny_gpt.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

// A row of a table of the sheet, as a program reads it.
Json row(const GptConfig& config, const char* table, const char* key, const std::string& name) {
    TrainConfig training;
    training.batch = 4;
    const Sheet sizes = size_sheet(config, training, {.compare = true});
    const Json sheet = parse_json(sheet_as_json(sizes), "sizes");
    for (const Json& one : sheet.at(table).items())
        if (one.at(key).text() == name) return one;
    return {};
}

Json known(const char* name) { return row({}, "known_models", "name", name); }

Index weights(const GptConfig& config, Kind kind) {
    return count(rows_by_kind(parameter_table(config))[kind]);
}

}  // namespace

TEST_CASE("model size: the published numbers of weights") {
    CHECK(known("GPT-2 small").at("all").integer() == 124'439'808);
    CHECK(known("GPT-2 medium").at("all").integer() == 354'823'168);
    CHECK(known("GPT-2 large").at("all").integer() == 774'030'080);
    CHECK(known("GPT-2 XL").at("all").integer() == 1'557'611'200);
    GptConfig gpt3 = gpt2_config(12288, 96, 96);
    CHECK(weights(gpt3, Kind::token_embedding) == 617'558'016);
    for (Kind kind : {Kind::W_Q, Kind::W_K, Kind::W_V, Kind::W_O})
        CHECK(weights(gpt3, kind) == 14'495'514'624);
    CHECK(known("GPT-3").at("attention").integer() == 4ll * 14'495'514'624);
    CHECK(known("LLaMA-7B").at("attention").integer() == 4ll * 4096 * 4096 * 32);
    CHECK(known("LLaMA-7B").at("all").integer() == 6'738'415'616);
    CHECK(known("LLaMA-13B").at("all").integer() == 13'015'864'320);
    CHECK(known("LLaMA-65B").at("all").integer() == 65'285'660'672);
    CHECK(known("Llama 2 70B").at("attention").integer() ==
          80ll * (2 * 8192 * 8192 + 2 * 8192 * 1024));
    CHECK(known("Llama 2 70B").at("all").integer() == 68'976'648'192);
}

TEST_CASE("model size: the kinds are all there is") {
    for (const bool tied : {true, false}) {
        GptConfig config = tiny_config();
        config.tied = tied;
        const std::vector<Parameter> table = parameter_table(config);
        Index sum = 0;
        for (const auto& [kind, rows] : rows_by_kind(table)) sum += count(rows);
        CHECK(sum == count(table));
    }
}

// tiny: C = 12, F = 20, L = 2, V = 17, T = 8
TEST_CASE("model size: work per token by hand") {
    const Work work = work_per_token(tiny_config());
    const double block = 4 * 12 * 12 + 12 * 20 + 20 * 12;
    CHECK(work.matrices == 2 * block + 12 * 17);
    // A token sees (8 + 1) / 2 positions; each costs 2 · 12 for its score and 2 · 12 for the mix.
    CHECK(work.attention == 2 * (4.5 * (24 + 24)));
    CHECK(work.training() == 3 * work.forward());
}

TEST_CASE("model size: twice the text, four times the attention weights") {
    const GptConfig config = tiny_config();
    CHECK(attention_pattern(config, 8) == 2 * 2 * 64);
    CHECK(attention_pattern(config, 16) == 4 * attention_pattern(config, 8));
}

namespace {

// As whoever asks probes looks at every head.
struct AttentionLooker : Watcher {
    bool wants(std::string_view name) const override { return name.ends_with("attention.weights"); }
};

}  // namespace

TEST_CASE("model size: memory of weights is exact, that of activations what a tape hands out") {
    GptConfig config = tiny_config();
    config.channels = 32, config.ffn = 128, config.heads = 4;
    TrainConfig training;
    training.batch = 4;
    std::size_t tried = 0;
    for (const Index context : {128, 512})  // so long that T² would show
        for (const Activation activation : {Activation::gelu_new, Activation::gelu})
            for (const double dropout : {0.0, 0.1}) {
                config.position = kPositions[tried++ % kPositions.size()];
                CAPTURE(encoding_of(config.position).name);
                CAPTURE(context);
                CAPTURE(int(activation));
                CAPTURE(dropout);
                config.context = context, config.activation = activation, config.dropout = dropout;
                TinyGpt gpt(config);
                const std::vector<Token> tokens = some_tokens(training.batch * context, 17);
                const auto loss = [&](Tape& tape, bool dropping) {
                    return gpt.model.loss(tape, tokens, tokens, training.batch, {dropping}).mean;
                };
                Tape recording(true), looking(false);
                recording.backward(loss(recording, true));
                loss(looking, false);

                const Memory memory = training_memory(config, training);
                CHECK(memory.weights == double(gpt.parameters.values().size_bytes()));
                CHECK(memory.moments == 2 * memory.weights);
                CHECK(close(memory.activations, double(recording.used_bytes()), 0, 0.01));
                const double evaluation = evaluation_memory(config, training);
                CHECK(close(evaluation, double(looking.used_bytes()), 0, 0.01));
                AttentionLooker looker;
                const Watching watching(looking, looker);
                looking.reset();
                gpt.model.logits(looking, tokens, training.batch, {});
                const double asking = asking_memory(config, training.batch * context);
                CHECK(close(asking, double(looking.used_bytes()), 0, 0.01));
            }
}

TEST_CASE("model size: the course's shapes") {
    GptConfig course;
    course.context = 16, course.channels = 512, course.heads = 4, course.layers = 12;
    CHECK(attention_matrices(parameter_table(course)) == 12'582'912);
    const auto shapes = [&](const char* step) {
        return row(course, "shapes", "step", step).at("shapes").text();
    };
    CHECK(shapes("heads side by side again") == "[4, 4, 16, 128] → [4, 16, 512]");
    CHECK(shapes("scores Q·Kᵀ/√D") == "[4, 4, 16, 128] · [4, 4, 128, 16] → [4, 4, 16, 16]");
    CHECK(shapes("logits: a score for each token") ==
          "[4, 16, 512] · [512, V] → [4, 16, V]");  // not known yet
}
