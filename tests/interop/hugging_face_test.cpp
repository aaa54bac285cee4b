#include "interop/hugging_face.h"

#include <doctest/doctest.h>

#include "autograd/tape.h"
#include "base/check.h"
#include "formats/safetensors.h"
#include "interop/export.h"
#include "interop/foreign.h"
#include "interop/hugging_face.h"
#include "support/has.h"
#include "support/scratch.h"
#include "system/input_file.h"
#include "text/byte_pair.h"

using namespace zhuyi;
namespace fs = std::filesystem;

namespace {

const std::string kGolden = "tests/golden/clients/";

// A copy of a golden folder in which things can be broken.
struct Copy {
    explicit Copy(const std::string& name) {
        fs::copy(kGolden + name + "/model", folder.path(), fs::copy_options::recursive);
    }
    void replace(const char* file, const std::string& from, const std::string& to) const {
        std::string text = folder.read(file);
        const std::size_t at = text.find(from);
        REQUIRE_MESSAGE(at != text.npos, from);
        folder.write(file, text.replace(at, from.size(), to));
    }
    std::string complaint() const {
        try {
            read_hugging_face(folder.path());
        } catch (const Error& error) {
            return error.what();
        }
        return "no complaint";
    }
    ScratchFolder folder;
};

std::string complaint(const std::string& model, const char* file, const std::string& from,
                      const std::string& to) {
    const Copy copy(model);
    copy.replace(file, from, to);
    return copy.complaint();
}

// A model of ours with drawn weights, over a few characters.
LoadedModel small_run(GptConfig config) {
    LoadedModel run;
    const std::vector<std::string_view> texts{"小猫看雨，小狗看雪。\n"};
    run.tokenizer =
        std::make_unique<CharacterTokenizer>(CharacterTokenizer::from_texts(texts, 1, 1));
    config.vocabulary = run.tokenizer->size();
    config.context = 8, config.channels = 12, config.heads = 3, config.layers = 2;
    run.parameters = std::make_unique<Parameters>(parameter_table(config), false);
    run.parameters->initialise(3);
    run.model = std::make_unique<Gpt>(config, *run.parameters);
    return run;
}

}  // namespace

TEST_CASE("the byte alphabet: visible bytes are themselves, a space is Ġ") {
    CHECK(in_byte_alphabet("a b\n") == "aĠbĊ");
    CHECK(in_byte_alphabet("小") == "å°ı");
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += char(byte);
    CHECK(from_byte_alphabet(in_byte_alphabet(all)) == all);
    CHECK(!from_byte_alphabet("a b"));
    CHECK(!from_byte_alphabet("猫"));
}

TEST_CASE("models of every kind go out and come home bit for bit") {
    for (const bool tied : {true, false})
        for (const Position position : kPositions)
            for (const Index ffn : {0, 20}) {
                GptConfig config;
                config.tied = tied, config.position = position, config.ffn = ffn;
                config.dropout = 0.25, config.embedding_dropout = 0.125;
                const LoadedModel run = small_run(config);
                const ScratchFolder scratch;
                AtomicFolder folder(scratch.path("hf"));
                write_hugging_face(folder, run);
                check_hugging_face(folder.draft(), run, {"小猫和小狗"});
                folder.commit();
                const LoadedModel back = read_hugging_face(scratch.path("hf"));
                CHECK(back.model->config().dropout == 0.25);
                CHECK(back.model->config().embedding_dropout == 0.125);
                Tape tape(false), other(false);
                const std::vector<Token> ids = run.tokenizer->encode("小猫看雪");
                const In ours = run.model->logits(tape, ids, 1, {}).values();
                const In theirs = back.model->logits(other, ids, 1, {}).values();
                CHECK(std::equal(ours.begin(), ours.end(), theirs.begin()));

                write_llama_cpp(scratch.path("f32.gguf"), run, {}, GgufType::F32);
                write_llama_cpp(scratch.path("f16.gguf"), run, {}, GgufType::F16);
                check_llama_cpp(scratch.path("f32.gguf"), run, {"小猫和小狗"});
                check_llama_cpp(scratch.path("f16.gguf"), run, {"小猫和小狗"});
            }
}

TEST_CASE("an export that is not what it came from is found out") {
    const LoadedModel run = small_run({});
    const ScratchFolder scratch;
    AtomicFolder folder(scratch.path("hf"));
    write_hugging_face(folder, run);
    check_hugging_face(folder.draft(), run, {});
    Real& weight = run.parameters->tensor("block.1.attention.W_V").value[7];
    const Real kept = std::exchange(weight, Real(0.123));
    CHECK_THROWS_WITH_AS(check_hugging_face(folder.draft(), run, {}),
                         doctest::Contains("block.1.attention.W_V"), Error);
    weight = kept;
    write_llama_cpp(scratch.path("a.gguf"), run, {}, GgufType::F16);
    weight = Real(0.123);
    CHECK_THROWS_WITH_AS(check_llama_cpp(scratch.path("a.gguf"), run, {}),
                         doctest::Contains("blk.1.attn_qkv.weight"), Error);
}

TEST_CASE("llama.cpp: a space without a token of its own, and erf, which it does not compute") {
    LoadedModel run = small_run({});
    const GgufSettings settings = llama_cpp_tokenizer(*run.tokenizer);
    for (const auto& [key, value] : settings)
        if (key == "tokenizer.ggml.tokens")
            CHECK(std::get<std::vector<std::string>>(value)[1 + 0x20] == "▁");
    GptConfig erf = run.model->config();
    erf.activation = Activation::gelu;
    run.model = std::make_unique<Gpt>(erf, *run.parameters);
    const ScratchFolder scratch;
    CHECK_THROWS_AS(write_llama_cpp(scratch.path("a.gguf"), run, {}, GgufType::F32), Error);
    CHECK(!fs::exists(scratch.path("a.gguf")));
}

TEST_CASE(
    "GPT-2's own files: vocab.json and merges.txt, tensors without a prefix, masks among them") {
    const Copy copy("byte_pairs");
    const Json json = parse_json(copy.folder.read("tokenizer.json"), "tokenizer.json");
    std::string merges = "#version: 0.2\n";
    for (const Json& merge : json.at("model").at("merges").items())
        merges += (merge.is_text() ? merge.text()
                                   : merge.items()[0].text() + " " + merge.items()[1].text()) +
                  "\n";
    copy.folder.write("vocab.json", json.at("model").at("vocab").write());
    copy.folder.write("merges.txt", merges);
    const LoadedModel before = read_hugging_face(copy.folder.path());
    fs::remove(copy.folder.path("tokenizer.json"));

    const std::string path = copy.folder.path("model.safetensors");
    std::vector<std::vector<float>> values;
    std::vector<TensorBytes> tensors;
    const std::vector<std::uint8_t> mask(4, 1);
    {
        const SafetensorsFile file(path);
        for (const SafetensorsEntry& entry : file.entries())
            file.read<float>(entry.name, values.emplace_back(std::size_t(entry.size())));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const SafetensorsEntry& entry = file.entries()[i];
            const bool inside = entry.name.starts_with("transformer.");
            tensors.push_back(tensor_bytes<float>(entry.name.substr(inside ? 12 : 0), entry.shape,
                                                  std::span<const float>(values[i])));
        }
    }
    tensors.push_back(tensor_bytes<std::uint8_t>("h.0.attn.bias", {1, 1, 2, 2},
                                                 std::span<const std::uint8_t>(mask)));
    write_safetensors(path, tensors, {{"format", "pt"}});
    const LoadedModel after = read_hugging_face(copy.folder.path());
    CHECK(after.parameters->fingerprint() == before.parameters->fingerprint());
    CHECK(after.tokenizer->vocabulary_file() == before.tokenizer->vocabulary_file());
}

TEST_CASE("an embedding larger than its vocabulary: rows that no text spells") {
    const Copy copy("byte_pairs");
    std::string lost;
    const auto padded = read_hugging_face_tokenizer(copy.folder.path(), 400, lost);
    CHECK(padded->size() == 400);
    CHECK(padded->name(399) == "⟨unused⟩");
    CHECK(padded->decode(std::vector<Token>{399}) == "");
    CHECK(padded->encode("a cat 猫") ==
          read_hugging_face_tokenizer(copy.folder.path(), 0, lost)->encode("a cat 猫"));
}

TEST_CASE("what cannot be imported says so in a line") {
    const char *config = "config.json", *tokenizer = "tokenizer.json";
    const std::string a = "characters", b = "byte_pairs";
    CHECK(has(complaint(a, config, "\"gpt2\"", "\"llama\""), "expected model_type \"gpt2\""));
    CHECK(has(complaint(a, config, "gelu_new", "relu"), "activation_function \"relu\""));
    CHECK(has(complaint(a, config, "1e-05", "1e-06"), "layer_norm_epsilon"));
    CHECK(has(complaint(a, config, "\"n_embd\": 16", "\"n_embd\": 32"), "has shape"));
    CHECK(has(complaint(a, config, "\"n_embd\": 16", "\"n_embd\": -1"), "n_embd: expected 1"));
    CHECK(has(complaint(a, config, "\"n_head\": 2", "\"n_head\": 3"), "does not divide"));
    CHECK(has(complaint(a, config, "\"n_layer\": 2", "\"n_layer\": 3"), "h.2.ln_1.weight"));
    CHECK(has(complaint(a, config, "\"n_layer\": 2", "\"n_layer\": 1"), "does not belong to"));
    CHECK(has(complaint(a, config, "\"n_layer\": 2", "\"n_layer\": 60000"), "too short"));
    CHECK(has(complaint(a, config, "{", "["), "config.json"));
    CHECK(
        has(complaint(b, config, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"),
            "lm_head.weight is not the token embedding"));
    const std::string c = "rotary";  // a GPT-NeoX
    CHECK(has(complaint(c, config, "residual\": false", "residual\": true"),
              "use_parallel_residual: expected false"));
    CHECK(has(complaint(c, config, "bias\": true", "bias\": false"), "attention_bias: expected"));
    CHECK(has(complaint(c, config, "factor\": 1", "factor\": 0.25"), "rotary_pct: expected 1"));
    CHECK(has(complaint(c, config, "theta\": 10000", "theta\": 500000"), "rope_theta: expected"));
    CHECK(has(complaint(c, config, "\"default\"", "\"yarn\""), "rope_type: expected \"default\""));
    CHECK(has(complaint(c, config, "\"num_attention_heads\": 2", "\"num_attention_heads\": 16"),
              "is odd"));
    CHECK(has(complaint(c, config, "\"rope_parameters\"", "\"older\""), "no complaint"));
    CHECK(has(complaint(a, tokenizer, "\"<0x00>\"", "\"<0x0>\""), "token 1 is"));
    CHECK(has(complaint(a, tokenizer, "\"byte_fallback\": true", "\"byte_fallback\": false"),
              "no byte fallback"));
    CHECK(has(complaint(a, tokenizer, "\"BPE\"", "\"WordLevel\""), "of the kind \"WordLevel\""));
    CHECK(
        has(complaint(b, tokenizer, "\"normalizer\": null", "\"normalizer\": {\"type\": \"NFC\"}"),
            "the normalizer \"NFC\""));
    CHECK(has(complaint(b, tokenizer, "\"add_prefix_space\": false", "\"add_prefix_space\": true"),
              "add_prefix_space"));
    CHECK(has(
        complaint(b, tokenizer, "\"end_of_word_suffix\": \"\"", "\"end_of_word_suffix\": \"</w>\""),
        "end_of_word_suffix changes"));
    CHECK(complaint(b, tokenizer, "\"type\": \"BPE\",", "") == "no complaint");

    const Copy copy(a);
    const std::string weights = copy.folder.read("model.safetensors");
    copy.folder.write("model.safetensors", weights.substr(0, weights.size() - 4));
    CHECK(has(copy.complaint(), "model.safetensors"));
    copy.folder.write("model.safetensors", weights + "pad ");
    CHECK(has(copy.complaint(), "model.safetensors"));
    fs::rename(copy.folder.path("model.safetensors"), copy.folder.path("pytorch_model.bin"));
    CHECK(has(copy.complaint(), "pytorch_model.bin is a program"));
    fs::remove(copy.folder.path("tokenizer.json"));
    CHECK(has(copy.complaint(), "vocab.json and merges.txt"));
    fs::remove(copy.folder.path("config.json"));
    CHECK(has(copy.complaint(), "config.json"));
}
