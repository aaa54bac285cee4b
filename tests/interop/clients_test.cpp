// Compared with other programs. tests/golden/clients has two models and what transformers,
// tokenizers and llama.cpp compute with them (written by scripts/golden_clients.py, which says what
// is in a case). ZHUYI_CLIENT_CASES names a folder of further cases, which .ci/run makes with the
// programs themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "attention/maps.h"
#include "autograd/tape.h"
#include "formats/safetensors.h"
#include "interop/export.h"
#include "interop/hugging_face.h"
#include "support/scratch.h"

using namespace zhuyi;
namespace fs = std::filesystem;

namespace {

// In double nothing but the rounding of the clients' floats is left.
constexpr double kLogits = 1e-4, kAttention = 1e-5, kLlama = 1e-2, kMargin = 0.05;

std::vector<fs::path> cases() {
    std::vector<fs::path> found;
    const char* more = std::getenv("ZHUYI_CLIENT_CASES");
    for (const char* folder : {"tests/golden/clients", more})
        if (folder)
            for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

template <class T>
std::vector<T> numbers(const SafetensorsFile& file, const std::string& name) {
    std::vector<T> values(std::size_t(file.at(name).size()));
    file.read(name, std::span(values));
    return values;
}

double furthest(In ours, const std::vector<float>& theirs) {
    double worst = 0;
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double here = std::abs(double(ours[i]) - double(theirs[i]));
        if (!(here <= worst)) worst = here == here ? here : 1e300;
    }
    return worst;
}

struct Case {
    explicit Case(const fs::path& path)
        : name(path.filename().string()),
          run(read_hugging_face((path / "model").string())),
          expected((path / "expected.safetensors").string()) {}

    std::string text(const std::string& i) const {
        const auto bytes = numbers<std::uint8_t>(expected, "text." + i);
        return {bytes.begin(), bytes.end()};
    }
    std::vector<Real> logits(const std::vector<Token>& ids) const {
        Tape tape(false);
        const In values = run.model->logits(tape, ids, 1, {}).values();
        return {values.begin(), values.end()};
    }
    // body(i) for each text of the case that has something of the given name
    template <class Body>
    Index each(const std::string& what, const Body& body) const {
        Index count = 0;
        for (const SafetensorsEntry& entry : expected.entries())
            if (entry.name.starts_with(what + ".")) {
                body(entry.name.substr(what.size() + 1));
                ++count;
            }
        return count;
    }

    std::string name;
    LoadedModel run;
    SafetensorsFile expected;
};

}  // namespace

TEST_CASE("clients: tokenizers makes the same tokens of every text, and they spell it again") {
    for (const fs::path& path : cases()) {
        const Case here(path);
        CAPTURE(here.name);
        const Index texts = here.each("ids", [&](const std::string& i) {
            const std::string text = here.text(i);
            const std::vector<Token> ids = here.run.tokenizer->encode(text);
            CHECK_MESSAGE(ids == numbers<Token>(here.expected, "ids." + i), text.substr(0, 60));
            CHECK(here.run.tokenizer->decode(ids) == text);
        });
        CHECK(texts >= 2);
    }
}

TEST_CASE("clients: transformers gives the same scores and the same attention") {
    for (const fs::path& path : cases()) {
        const Case here(path);
        CAPTURE(here.name);
        double logits = 0, attention = 0;
        const Index prompts = here.each("logits", [&](const std::string& i) {
            const auto ids = numbers<Token>(here.expected, "ids." + i);
            logits = std::max(
                logits, furthest(here.logits(ids), numbers<float>(here.expected, "logits." + i)));
            const auto maps = numbers<float>(here.expected, "attention." + i);
            const AttentionMaps ours = attention_maps(*here.run.model, *here.run.tokenizer,
                                                      here.run.tokenizer->encode(here.text(i)));
            attention = std::max(attention, furthest(ours.weights, maps));
        });
        CHECK(prompts >= 2);
        CHECK(logits < kLogits);
        CHECK(attention < kAttention);
        MESSAGE(here.name << ": logits within " << logits << ", attention within " << attention);
    }
}

TEST_CASE("clients: llama.cpp makes the same tokens, near scores, and goes on with the same text") {
    Index models = 0;
    for (const fs::path& path : cases()) {
        const Case here(path);
        CAPTURE(here.name);
        models += here.each("llama_ids", [&](const std::string& i) {
            CHECK(here.run.tokenizer->encode(here.text(i)) ==
                  numbers<Token>(here.expected, "llama_ids." + i));
        }) > 0;
        double worst = 0;
        here.each("llama_logits", [&](const std::string& i) {
            std::vector<Token> ids = numbers<Token>(here.expected, "ids." + i);
            worst = std::max(worst, furthest(here.logits(ids),
                                             numbers<float>(here.expected, "llama_logits." + i)));
            for (const Token next : numbers<Token>(here.expected, "llama_greedy." + i)) {
                std::vector<Real> scores = here.logits(ids);
                scores.erase(scores.begin(), scores.end() - here.run.model->config().vocabulary);
                const auto best = std::max_element(scores.begin(), scores.end());
                const auto ours = Token(best - scores.begin());
                const Real highest = std::exchange(*best, Real(-1e30));
                const Real margin = highest - *std::max_element(scores.begin(), scores.end());
                if (margin > Real(kMargin)) CHECK(ours == next);
                ids.push_back(next);
            }
        });
        CHECK(worst < kLlama);
        if (worst > 0) MESSAGE(here.name << ": llama.cpp's logits within " << worst);
    }
    CHECK(models > 0);
}

TEST_CASE("clients: what they wrote comes out again as it went in") {
    for (const fs::path& path : cases()) {
        const Case here(path);
        if (here.run.model->config().vocabulary > 10000) continue;
        CAPTURE(here.name);
        const ScratchFolder scratch;
        AtomicFolder folder(scratch.path("out"));
        write_hugging_face(folder, here.run);
        CHECK_NOTHROW(check_hugging_face(folder.draft(), here.run, {"小猫 and a dog"}));
        const SafetensorsFile theirs((path / "model" / "model.safetensors").string());
        const SafetensorsFile ours(folder.file("model.safetensors"));
        CHECK(ours.entries().size() == theirs.entries().size());
        for (const SafetensorsEntry& entry : theirs.entries()) {
            CAPTURE(entry.name);
            const std::vector<float> values = numbers<float>(theirs, entry.name);
            std::vector<Real> same(values.size());
            CHECK(ours.at(entry.name).shape == entry.shape);
            ours.read_numbers(entry.name, same);
            CHECK(furthest(same, values) == 0);
        }
    }
}
