// The whole model and its optimizer against PyTorch: tests/golden/torch_gpt.safetensors, written by
// scripts/golden_torch.py, which says the sizes and settings repeated here.
#include <doctest/doctest.h>

#include <algorithm>

#include "formats/safetensors.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "support/close.h"
#include "support/gradcheck.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

std::vector<double> numbers(const SafetensorsFile& file, const std::string& name) {
    std::vector<double> values(std::size_t(file.at(name).size()));
    file.read(name, std::span(values));
    return values;
}

// Largest difference over the size of what is compared.
double distance(In ours, const std::vector<double>& theirs) {
    double worst = 0, scale = 1e-3;
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        worst = std::max(worst, std::abs(double(ours[i]) - theirs[i]));
        scale = std::max(scale, std::abs(theirs[i]));
        if (!(ours[i] == ours[i])) return 1e300;
    }
    return worst / scale;
}

}  // namespace

TEST_CASE("golden: scores, losses, every gradient and three steps of training agree with PyTorch") {
    const SafetensorsFile file("tests/golden/torch_gpt.safetensors");
    const double limit = kDouble ? 1e-11 : 2e-5;
    GptConfig config;
    config.context = 8, config.channels = 12, config.heads = 3, config.layers = 2, config.ffn = 20;
    config.vocabulary = 17;
    TrainConfig train;
    train.beta1 = 0.9, train.beta2 = 0.95, train.epsilon = 1e-8, train.weight_decay = 0.1;

    for (const std::string prefix : {"tied.", "untied.", "rotary.", "muon."}) {
        CAPTURE(prefix);
        config.tied = prefix != "untied.";
        const bool learned = prefix == "tied." || prefix == "untied.";
        config.position = learned ? Position::learned : Position::rotary;
        train.optimizer = prefix == "muon." ? UpdateRule::muon : UpdateRule::adamw;
        Parameters parameters(parameter_table(config), true);
        for (const Parameter& p : parameters.table())
            file.read_numbers(prefix + "weights." + p.name, parameters.value(p));
        Gpt model(config, parameters);
        std::vector<Token> ids(3 * 16), targets(3 * 16);
        file.read(prefix + "ids", std::span(ids));
        file.read(prefix + "targets", std::span(targets));
        const std::vector<double> losses = numbers(file, prefix + "losses");

        const auto optimizer = make_optimizer(parameters.table(), train);
        Tape tape(true);
        for (std::size_t step = 0; step < 3; ++step) {
            tape.reset();
            parameters.forget_gradients();
            const auto here = std::span(ids).subspan(16 * step, 16);
            const Tensor logits = model.logits(tape, here, 2, {});
            const CrossEntropy loss =
                cross_entropy(logits, std::span(targets).subspan(16 * step, 16));
            tape.backward(loss.mean);
            // Behind a clipped step: PyTorch clips to limit / (norm + 1e-6), we to limit / norm.
            CHECK(close(loss.mean.value[0], losses[step], 0, step ? std::max(limit, 1e-8) : limit));
            if (step == 0) {
                CHECK(distance(logits.values(), numbers(file, prefix + "logits")) < limit);
                for (const Parameter& p : parameters.table()) {
                    INFO(p.name);
                    CHECK(distance(parameters.grad(p),
                                   numbers(file, prefix + "gradient." + p.name)) < limit);
                }
            }
            const double norm = gradient_norm(parameters, tape.workspace());
            REQUIRE(norm > 0.5);  // clipping is part of what is compared
            optimizer->update(parameters, {Index(step) + 1, 1e-2, clip_scale(norm, 0.5)});
        }
        for (const Parameter& p : parameters.table()) {
            INFO(p.name);
            // The same number added to every score of a row leaves its softmax alone, so the
            // gradient of b_K is zero but for rounding, and AdamW's first step follows the sign of
            // rounding. (Turned by its position, b_K is another vector at every key.)
            const bool turned = config.position == Position::rotary;
            if (!kDouble && !turned && p.name.ends_with("b_K")) continue;
            // 1e-7 of difference is the clipping's.
            CHECK(distance(parameters.value(p), numbers(file, prefix + "after." + p.name)) <
                  (kDouble ? 1e-7 : 1e-4));
        }
    }
}
