// A file that llama.cpp opens: architecture gpt2, or with rotary positions gptneox, and the
// tokenizer inside.
//
// Keys, names and what its loader requires were read in llama.cpp (src/models/gpt2.cpp,
// src/llama-vocab.cpp), 2026. It computes GELU by a table of 16-bit floats, so its scores agree to
// about 1e-3, not to the bit.
#include "interop/export.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "interop/foreign.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

// tokenizer.ggml.token_type
constexpr std::int32_t kNormal = 1, kControl = 3, kUnused = 5, kByte = 6;

std::uint32_t u32(Index number) { return std::uint32_t(number); }

// Return how a token is written, and its type.
using Entry = std::pair<std::string, std::int32_t>;

// Its "llama" tokenizer cuts a text into characters, joins two whose pair is a token (there is no
// such token here) and spells what it does not know in bytes: as ours does. But it makes each space
// a ▁ first. Where the space has no token of its own, the token of its byte must therefore be
// written ▁ too; else the space would become the three bytes of ▁.
Entry character_entry(const Tokenizer& tokenizer, Token token) {
    if (token == tokenizer.encode(" ")[0]) return {"▁", kNormal};
    return {character_spelling(tokenizer, token), token == tokenizer.end_of_text() ? kControl
                                                  : token < CharacterTokenizer::kFirstCharacter
                                                      ? kByte
                                                      : kNormal};
}

Entry byte_pair_entry(const BytePairTokenizer& tokenizer, Token token) {
    if (token == tokenizer.end_of_text()) return {std::string(kEndOfTextName), kControl};
    if (tokenizer.bytes(token).empty()) return {format("[UNUSED_%d]", token), kUnused};
    return {in_byte_alphabet(tokenizer.bytes(token)), kNormal};
}

GgufSettings model_settings(const GptConfig& c, const ModelCard& card, GgufType type) {
    const bool rotary = c.position == Position::rotary;
    const std::string architecture = rotary ? "gptneox" : "gpt2";
    GgufSettings settings;
    settings.emplace_back("general.architecture", architecture);
    settings.emplace_back("general.name", card.name.empty() ? "zhuyi" : card.name);
    settings.emplace_back("general.description", description_of(card));
    if (!card.license.empty()) settings.emplace_back("general.license", card.license);
    settings.emplace_back("general.file_type", u32(type == GgufType::F16));
    const auto add = [&](const char* name, auto value) {
        settings.emplace_back(architecture + "." + name, value);
    };
    add("context_length", u32(c.context));
    add("embedding_length", u32(c.channels));
    add("block_count", u32(c.layers));
    add("feed_forward_length", u32(c.width()));
    add("attention.head_count", u32(c.heads));
    add("attention.layer_norm_epsilon", 1e-5f);
    if (rotary) {
        add("rope.dimension_count", u32(c.head_size()));
        add("rope.freq_base", 10000.0f);
        add("use_parallel_residual", false);
    }
    return settings;
}

}  // namespace

GgufSettings llama_cpp_tokenizer(const Tokenizer& tokenizer) {
    const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer);
    std::vector<std::string> tokens;
    std::vector<std::int32_t> types;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        auto [spelling, type] =
            byte_pairs ? byte_pair_entry(*byte_pairs, token) : character_entry(tokenizer, token);
        tokens.push_back(std::move(spelling));
        types.push_back(type);
    }
    GgufSettings settings;
    settings.emplace_back("tokenizer.ggml.model", std::string(byte_pairs ? "gpt2" : "llama"));
    if (byte_pairs) {
        settings.emplace_back("tokenizer.ggml.pre", std::string("gpt-2"));
        settings.emplace_back("tokenizer.ggml.merges", merge_spellings(*byte_pairs));
    } else {
        settings.emplace_back("tokenizer.ggml.scores", std::vector<float>(tokens.size(), 0.0f));
    }
    settings.emplace_back("tokenizer.ggml.tokens", std::move(tokens));
    settings.emplace_back("tokenizer.ggml.token_type", std::move(types));
    // Without these, llama.cpp takes some ordinary tokens to end a text.
    const std::uint32_t end = u32(tokenizer.end_of_text());
    for (const char* name : {"bos", "eos", "unknown", "padding"})
        settings.emplace_back(format("tokenizer.ggml.%s_token_id", name), end);
    for (const char* name : {"add_bos_token", "add_eos_token", "add_space_prefix"})
        settings.emplace_back(format("tokenizer.ggml.%s", name), false);
    return settings;
}

void write_llama_cpp(const std::string& path, const LoadedModel& run, const ModelCard& card,
                     GgufType type, const std::function<void(const std::string&)>& check) {
    const GptConfig& config = run.model->config();
    if (config.activation != Activation::gelu_new)
        fail(
            {"activation = gelu: llama.cpp always computes gelu_new for this architecture, and "
             "would give other scores; export --to hf instead",
             "activation = gelu：llama.cpp 对这种结构总是用 gelu_new，分数会不同；请改用 --to hf"});
    GgufSettings settings = model_settings(config, card, type);
    for (auto& setting : llama_cpp_tokenizer(*run.tokenizer))
        settings.push_back(std::move(setting));

    std::vector<GgufTensor> tensors;
    for (const ForeignTensor& tensor : foreign_tensors(config, Program::llama_cpp)) {
        const auto values = [&run, tensor] {
            const List<Real> theirs = foreign_values(run, tensor);
            return std::vector<float>(theirs.begin(), theirs.end());
        };
        std::vector<Index> extents = tensor.shape();
        std::reverse(extents.begin(), extents.end());  // GGUF lists the last extent first
        tensors.push_back({tensor.name, extents, tensor.rows ? type : GgufType::F32, values});
    }
    write_gguf(path, settings, tensors, check);
}

}  // namespace zhuyi
