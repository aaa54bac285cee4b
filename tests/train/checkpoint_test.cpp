#include "train/checkpoint.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/check.h"
#include "formats/safetensors.h"
#include "model/parameters.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

// A model in training: what its checkpoints hold.
struct TinyTraining : TinyGpt {
    std::unique_ptr<Optimizer> optimizer = make_optimizer(parameters.table(), TrainConfig{});
    Trained trained{parameters, *optimizer};
    Out state(const Parameter& row, std::size_t which) {
        return optimizer->state_of(row)[which].values;
    }
};

}  // namespace

TEST_CASE("checkpoint: comes back as it was, and opens as plain safetensors") {
    const ScratchFolder folder;
    TinyTraining gpt;
    for (const Parameter& p : gpt.parameters.table()) gpt.state(p, 0)[0] = Real(0.25);
    const std::string path = folder.path("last.safetensors");
    write_checkpoint(path, gpt.trained, {12, 3.5, 0xabc, {{"history", "18:77"}}});

    TinyTraining again;
    for (Real& x : again.parameters.values()) x = 0;
    const Checkpoint checkpoint = read_checkpoint(path, again.trained);
    CHECK(checkpoint.step == 12);
    CHECK(checkpoint.best_loss == 3.5);
    CHECK(checkpoint.text_hash == 0xabc);
    CHECK(checkpoint.listeners.at("history") == "18:77");
    CHECK(again.parameters.fingerprint() == gpt.parameters.fingerprint());
    CHECK(again.state(again.parameters.table()[3], 0)[0] == Real(0.25));

    const SafetensorsFile file(path);
    CHECK(file.at("block.1.attention.W_O").shape == std::vector<Index>{12, 12});
    CHECK(file.at("adam.v.block.1.attention.W_O").size() == 144);
}

TEST_CASE("checkpoint: the same training state gives the same bytes") {
    const ScratchFolder folder;
    TinyTraining gpt;
    for (const char* name : {"a", "b"})
        write_checkpoint(folder.path(name), gpt.trained, {1, 2, 3, {}});
    CHECK(folder.read("a") == folder.read("b"));
}

TEST_CASE("checkpoint: another model's is refused with both shapes") {
    const ScratchFolder folder;
    TinyTraining gpt;
    const std::string path = folder.path("last.safetensors");
    write_checkpoint(path, gpt.trained, {});
    GptConfig wider = tiny_config();
    wider.ffn = 24;
    Parameters other(parameter_table(wider), false);
    CHECK_THROWS_WITH_AS(read_checkpoint(path, other),
                         doctest::Contains("[12, 20], this model needs [12, 24]"), Error);
}

TEST_CASE("checkpoint: cut off anywhere, or with a bit turned anywhere, it is refused") {
    const ScratchFolder folder;
    TinyTraining gpt;
    write_checkpoint(folder.path("whole"), gpt.trained, {3, 0.5, 7, {{"metrics", "12"}}});
    const std::string bytes = folder.read("whole");
    Parameters target(parameter_table(tiny_config()), false);
    for (std::size_t length :
         {std::size_t(0), std::size_t(7), std::size_t(100), bytes.size() / 2, bytes.size() - 1})
        CHECK_THROWS_AS(read_checkpoint(folder.write("cut", bytes.substr(0, length)), target),
                        Error);
    const SafetensorsFile file(folder.path("whole"));
    const std::size_t data = bytes.size() - std::size_t(file.entries().back().end);
    for (std::size_t at = 0; at < bytes.size(); at += at < data ? 13 : 997) {
        std::string turned = bytes;
        turned[at] ^= 4;
        CAPTURE(at);
        bool refused = false;
        try {
            read_checkpoint(folder.write("turned", turned), target);
        } catch (const Error&) {
            refused = true;
        }
        // moments are not read by who wants the values only
        const bool moment = at >= data && at < data + std::size_t(file.at("embedding.token").begin);
        if (!moment) CHECK(refused);
    }
}

TEST_CASE("checkpoint: the checksums find a turned bit and name the tensor") {
    const ScratchFolder folder;
    TinyTraining gpt;
    write_checkpoint(folder.path("whole"), gpt.trained, {});
    std::string bytes = folder.read("whole");
    const SafetensorsFile file(folder.path("whole"));
    const std::size_t data = bytes.size() - std::size_t(file.entries().back().end);
    bytes[data + std::size_t(file.at("block.1.ffn.W_1").begin) + 2] ^= 1;
    Parameters target(parameter_table(tiny_config()), false);
    CHECK_THROWS_WITH_AS(read_checkpoint(folder.write("turned", bytes), target),
                         doctest::Contains("tensor \"block.1.ffn.W_1\" have the checksum"), Error);
}

TEST_CASE("checkpoint: one of an older version, without checksums, is read") {
    const ScratchFolder folder;
    TinyTraining gpt;
    write_checkpoint(folder.path("now"), gpt.trained, {5, 2, 3, {}});
    const SafetensorsFile now(folder.path("now"));
    Metadata metadata = now.metadata();
    std::erase_if(metadata, [](const auto& entry) { return entry.first.starts_with("xxh64"); });
    std::vector<TensorBytes> tensors;
    for (const Parameter& p : gpt.parameters.table())
        tensors.push_back(
            tensor_bytes<Real>(p.name, now.at(p.name).shape, gpt.parameters.value(p)));
    write_safetensors(folder.path("older"), tensors, metadata);
    Parameters target(parameter_table(tiny_config()), false);
    CHECK(read_checkpoint(folder.path("older"), target).step == 5);
    CHECK(target.fingerprint() == gpt.parameters.fingerprint());
}

TEST_CASE("checkpoint: the one that was there goes on as the previous one") {
    const ScratchFolder folder;
    TinyTraining gpt;
    for (Index step : {1, 2, 3})
        write_checkpoint(folder.path("last"), gpt.trained, {step, 2, 3, {}},
                         folder.path("previous"));
    CHECK(read_checkpoint(folder.path("last"), gpt.parameters).step == 3);
    CHECK(read_checkpoint(folder.path("previous"), gpt.parameters).step == 2);
}

TEST_CASE("checkpoint: verified, every byte of it is looked at") {
    const ScratchFolder folder;
    TinyTraining gpt;
    const std::vector<Parameter>& table = gpt.parameters.table();
    const std::string path = folder.path("a");
    write_checkpoint(path, gpt.trained, {4, 2, 3, {}});
    const VerifiedCheckpoint whole = verify_checkpoint(path, table, make_rules(TrainConfig{}));
    CHECK(whole.step == 4);
    CHECK(whole.tensors == 3 * std::ssize(table));
    CHECK(whole.checksums);
    CHECK(whole.moments);
    CHECK(verify_tensors(path) == whole.tensors);

    std::string bytes = folder.read("a");
    // (A file that is still open as memory could not be replaced on Windows.)
    const std::size_t data = bytes.size() - std::size_t(SafetensorsFile(path).entries().back().end);
    bytes[data] ^= 1;  // the first moment comes first
    CHECK_THROWS_WITH_AS(
        verify_checkpoint(folder.write("b", bytes), table, make_rules(TrainConfig{})),
        doctest::Contains("adam.m.block.0.attention.W_K"), Error);

    gpt.state(table[2], 1)[5] = std::numeric_limits<Real>::quiet_NaN();
    write_checkpoint(path, gpt.trained, {});
    const std::string words = "number 5 of tensor \"adam.v." + table[2].name + "\" is nan";
    CHECK_THROWS_WITH_AS(verify_checkpoint(path, table, make_rules(TrainConfig{})),
                         doctest::Contains(words.c_str()), Error);
    CHECK_THROWS_WITH_AS(verify_tensors(path), doctest::Contains(words.c_str()), Error);
}

TEST_CASE("checkpoint: knows the vocabulary it was trained with; an older one does not say") {
    const ScratchFolder folder;
    TinyTraining gpt;
    const std::string path = folder.path("a");
    write_checkpoint(path, gpt.trained, {1, 2, 3, {}, 0xabc});
    const Checkpoint now = read_checkpoint(path, gpt.parameters);
    CHECK_NOTHROW(check_vocabulary(now, 0xabc, "vocabulary.txt"));
    CHECK_THROWS_WITH_AS(check_vocabulary(now, 0xabd, "vocabulary.txt"),
                         doctest::Contains("0000000000000abc"), Error);
    write_checkpoint(path, gpt.trained, {1, 2, 3, {}});
    const Checkpoint older = read_checkpoint(path, gpt.parameters);
    CHECK_FALSE(older.vocabulary_hash.has_value());
    CHECK_NOTHROW(check_vocabulary(older, 0xabd, "vocabulary.txt"));
}
