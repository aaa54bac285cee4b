// What a Hugging Face folder may hold besides weights and a tokenizer that zhuyi has a notion of:
// each thing is read, named as lost, or refused by name.
#include <doctest/doctest.h>

#include <filesystem>
#include <limits>

#include "base/check.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "interop/hugging_face.h"
#include "model/gpt.h"
#include "support/has.h"
#include "support/scratch.h"

using namespace zhuyi;
namespace fs = std::filesystem;

namespace {

// A copy of a small model as another program has it, to be changed.
struct Foreign {
    explicit Foreign(const std::string& name = "byte_pairs") {
        fs::copy("tests/golden/clients/" + name + "/model", folder.path("model"));
    }
    std::string path() const { return folder.path("model"); }
    std::string read(const std::string& file) const { return folder.read("model/" + file); }
    void write(const std::string& file, const std::string& text) const {
        folder.write("model/" + file, text);
    }
    void change(const std::string& file, const std::string& old, const std::string& now) const {
        std::string text = read(file);
        const std::size_t at = text.find(old);
        REQUIRE(at != text.npos);
        write(file, text.replace(at, old.size(), now));
    }
    // One more entry of added_tokens.
    void add_token(const char* flags) const {
        Json json = parse_json(read("tokenizer.json"), "tokenizer.json"), changed;
        for (const auto& [name, value] : json.members()) {
            Json list = value;
            if (name == "added_tokens")
                list.push(parse_json(
                    std::string("{\"id\": 300, \"content\": \"[角色]\", ") + flags + "}", "token"));
            changed.set(name, list);
        }
        write("tokenizer.json", changed.write());
    }
    std::string refusal() const {
        try {
            read_hugging_face(path());
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }
    std::string lost() const {
        std::string said;
        read_hugging_face(path(), "", &said);
        return said;
    }
    ScratchFolder folder;
};

// The weights in two files, as large models are saved.
void shard(const Foreign& foreign, const std::string& second) {
    const SafetensorsFile whole(foreign.path() + "/model.safetensors");
    std::vector<std::vector<Real>> values;
    std::vector<TensorBytes> parts[2];
    Json map;
    values.reserve(whole.entries().size());
    for (const SafetensorsEntry& entry : whole.entries()) {
        values.emplace_back(std::size_t(entry.size()));
        whole.read_numbers(entry.name, values.back());
        const std::size_t part = values.size() % 2;
        parts[part].push_back(
            tensor_bytes<Real>(entry.name, entry.shape, std::span<const Real>(values.back())));
        map.set(entry.name, part ? second : std::string("model-1.safetensors"));
    }
    write_safetensors(foreign.path() + "/model-1.safetensors", parts[0], {{"format", "pt"}});
    write_safetensors(foreign.path() + "/model-2.safetensors", parts[1], {{"format", "pt"}});
    foreign.write("model.safetensors.index.json", Json().set("weight_map", map).write());
    fs::remove(foreign.path() + "/model.safetensors");
}

}  // namespace

TEST_CASE("import: nothing is said of a model without anything to lose") {
    CHECK(Foreign().lost().empty());
}

TEST_CASE(
    "import: added tokens that a text may spell are refused by name, special ones are named") {
    const Foreign plain, special;
    std::string lost;
    plain.add_token("\"special\": false");
    CHECK_THROWS_WITH_AS(
        read_hugging_face_tokenizer(plain.path(), 301, lost),
        doctest::Contains("added tokens that a text may spell are not supported: \"[角色]\""),
        Error);
    special.add_token("\"special\": true");
    CHECK(read_hugging_face_tokenizer(special.path(), 301, lost)->size() == 301);
    CHECK(has(lost, "special tokens that no text spells here: \"[角色]\""));
    const auto again = [&] { read_hugging_face_tokenizer(special.path(), 301, lost); };
    in_chinese(again);
    CHECK(has(lost, "特殊 token"));
}

TEST_CASE("import: a post-processor, another begin of a text and a chat template are named") {
    const Foreign foreign;
    Json json = parse_json(foreign.read("tokenizer.json"), "t"), changed;
    for (const auto& [name, value] : json.members())
        changed.set(name,
                    name == "post_processor"
                        ? Json().set("type", "TemplateProcessing").set("single", Json::Array())
                        : value);
    foreign.write("tokenizer.json", changed.write());
    foreign.write("tokenizer_config.json",
                  "{\"bos_token\": {\"content\": \"<s>\"}, \"eos_token\": \"<|endoftext|>\", "
                  "\"chat_template\": \"…\"}");
    const std::string lost = foreign.lost();
    CHECK(has(lost, "the post-processor \"TemplateProcessing\" is left out"));
    CHECK(has(lost, "the begin of a text is \"<s>\" there"));
    CHECK(has(lost, "the chat template is left out"));
}

TEST_CASE("import: a number that is none is refused, with tensor and index") {
    const Foreign foreign;
    const std::string path = foreign.path() + "/model.safetensors";
    std::string bytes = foreign.read("model.safetensors");
    const SafetensorsFile file(path);
    const SafetensorsEntry& entry = file.entries().back();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    bytes.replace(bytes.size() - 4 * 3, 4, reinterpret_cast<const char*>(&nan), 4);
    foreign.write("model.safetensors", bytes);
    CHECK(has(foreign.refusal(), "number " + std::to_string(entry.size() - 3) + " of tensor \"" +
                                     entry.name + "\" is nan"));
}

TEST_CASE("import: --tokenizer names a folder, or tokenizer.json in it") {
    const Foreign foreign;
    CHECK_NOTHROW(read_hugging_face(foreign.path(), foreign.path() + "/tokenizer.json"));
}

TEST_CASE("import: a sequence of one pre-tokenizer is that one") {
    const Foreign foreign;
    Json json = parse_json(foreign.read("tokenizer.json"), "t"), changed;
    for (const auto& [name, value] : json.members())
        changed.set(name,
                    name == "pre_tokenizer"
                        ? Json().set("type", "Sequence").set("pretokenizers", Json().push(value))
                        : value);
    const auto before = read_hugging_face(foreign.path()).tokenizer->encode("a cat, it's 猫");
    foreign.write("tokenizer.json", changed.write());
    CHECK(read_hugging_face(foreign.path()).tokenizer->encode("a cat, it's 猫") == before);
}

TEST_CASE("import: the vocabulary of a BERT is refused in a plain sentence") {
    const Foreign foreign;
    fs::remove(foreign.path() + "/tokenizer.json");
    foreign.write("vocab.txt", "[PAD]\n[UNK]\n小\n");
    CHECK(has(foreign.refusal(), "vocabulary of BERT (WordPiece)"));
    CHECK(has(foreign.refusal(), "zhuyi reads GPT-2's byte-level BPE"));
}

TEST_CASE("import: sharded weights are read, and no path of an index leaves the folder") {
    const Foreign foreign, hostile;
    const std::uint64_t before = read_hugging_face(foreign.path()).parameters->fingerprint();
    shard(foreign, "model-2.safetensors");
    CHECK(read_hugging_face(foreign.path()).parameters->fingerprint() == before);
    shard(hostile, "../model-2.safetensors");
    CHECK(has(hostile.refusal(), "expected names of files in this folder, found \"../model-2"));
}

TEST_CASE("import: rows that were added to a vocabulary of characters are dropped, and named") {
    const Foreign foreign("characters");
    const LoadedModel before = read_hugging_face(foreign.path());
    const Index V = before.model->config().vocabulary, C = before.model->config().channels;
    const SafetensorsFile file(foreign.path() + "/model.safetensors");
    std::vector<std::vector<Real>> values;
    std::vector<TensorBytes> tensors;
    for (const SafetensorsEntry& entry : file.entries()) {
        values.emplace_back(std::size_t(entry.size()));
        file.read_numbers(entry.name, values.back());
        std::vector<Index> shape = entry.shape;
        if (entry.name == "transformer.wte.weight")
            values.back().resize(std::size_t((V + 3) * C), Real(1)), shape[0] = V + 3;
        tensors.push_back(
            tensor_bytes<Real>(entry.name, shape, std::span<const Real>(values.back())));
    }
    write_safetensors(foreign.folder.path("new"), tensors, {{"format", "pt"}});
    fs::rename(foreign.folder.path("new"), foreign.path() + "/model.safetensors");
    foreign.change("config.json", "\"vocab_size\": " + std::to_string(V),
                   "\"vocab_size\": " + std::to_string(V + 3));
    std::string lost;
    const LoadedModel after = read_hugging_face(foreign.path(), "", &lost);
    CHECK(after.parameters->fingerprint() == before.parameters->fingerprint());
    CHECK(has(lost, "rows " + std::to_string(V) + " to " + std::to_string(V + 2)));
}

TEST_CASE("import: an index without its map is refused with its name, a name is taken whole") {
    const Foreign foreign;
    shard(foreign, std::string("model-2.safetensors\0cut", 23));
    CHECK(has(foreign.refusal(), "names of files in this folder"));
    foreign.write("model.safetensors.index.json", "{\"weight_map\": {\"a\": 5}}");
    CHECK(has(foreign.refusal(), "model.safetensors.index.json: table weight_map: "));
    foreign.write("model.safetensors.index.json", "{}");
    CHECK(has(foreign.refusal(), "model.safetensors.index.json: table weight_map: "));
}

TEST_CASE("import: quantized weights are refused") {
    const Foreign foreign;
    Json config = parse_json(read_file(foreign.path() + "/config.json"), "config.json");
    config.set("quantization_config", Json().set("bits", Index(4)));
    foreign.write("config.json", config.write());
    CHECK(has(foreign.refusal(), "quantization_config"));
}
