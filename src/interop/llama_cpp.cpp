#include "interop/llama_cpp.h"

#include "base/check.h"
#include "base/format.h"
#include "interop/byte_alphabet.h"
#include "interop/foreign_tensors.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

// tokenizer.ggml.token_type
constexpr std::int32_t kNormal = 1, kControl = 3, kUnused = 5, kByte = 6;

void add_text(GgufSettings& to, const char* key, const char* text) {
    to.emplace_back(key, std::string(text));
}

std::uint32_t u32(Index number) { return std::uint32_t(number); }

struct Vocabulary {
    std::vector<std::string> tokens;
    std::vector<std::int32_t> types;
    void add(std::string token, std::int32_t type) {
        tokens.push_back(std::move(token));
        types.push_back(type);
    }
};

// Its "llama" tokenizer cuts a text into characters, joins two whose pair is a token (there is no
// such token here) and spells what it does not know in bytes: as ours does. But it turns each space
// into ▁ first. Where the space has no token of its own, the token of its byte must therefore be
// written ▁ too; else the space would become the three bytes of ▁.
Vocabulary character_tokens(const Tokenizer& tokenizer) {
    const std::vector<Token> space = tokenizer.encode(" ");
    Vocabulary list;
    list.add(std::string(kEndOfTextName), kControl);
    for (int byte = 0; byte < 256; ++byte)
        list.add(byte_fallback_name(static_cast<unsigned char>(byte)), kByte);
    for (Token token = CharacterTokenizer::kFirstCharacter; token < tokenizer.size(); ++token)
        list.add(std::string(tokenizer.bytes(token)), kNormal);
    list.tokens[std::size_t(space[0])] = "▁";
    list.types[std::size_t(space[0])] = kNormal;
    return list;
}

Vocabulary byte_pair_tokens(const BytePairTokenizer& tokenizer) {
    Vocabulary list;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (token == tokenizer.end_of_text())
            list.add(std::string(kEndOfTextName), kControl);
        else if (tokenizer.bytes(token).empty())
            list.add(format("[UNUSED_%d]", token), kUnused);
        else
            list.add(in_byte_alphabet(tokenizer.bytes(token)), kNormal);
    return list;
}

GgufSettings model_settings(const GptConfig& c, GgufType type) {
    GgufSettings settings;
    add_text(settings, "general.architecture", "gpt2");
    add_text(settings, "general.name", "zhuyi");
    settings.emplace_back("general.file_type", u32(type == GgufType::F16));
    settings.emplace_back("gpt2.context_length", u32(c.context));
    settings.emplace_back("gpt2.embedding_length", u32(c.channels));
    settings.emplace_back("gpt2.block_count", u32(c.layers));
    settings.emplace_back("gpt2.feed_forward_length", u32(c.width()));
    settings.emplace_back("gpt2.attention.head_count", u32(c.heads));
    settings.emplace_back("gpt2.attention.layer_norm_epsilon", 1e-5f);
    return settings;
}

}  // namespace

GgufSettings llama_cpp_tokenizer(const Tokenizer& tokenizer) {
    const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer);
    Vocabulary list = byte_pairs ? byte_pair_tokens(*byte_pairs) : character_tokens(tokenizer);
    GgufSettings settings;
    add_text(settings, "tokenizer.ggml.model", byte_pairs ? "gpt2" : "llama");
    if (byte_pairs) {
        add_text(settings, "tokenizer.ggml.pre", "gpt-2");
        std::vector<std::string> merges;
        for (const auto& [left, right] : byte_pairs->merges())
            merges.push_back(in_byte_alphabet(tokenizer.bytes(left)) + " " +
                             in_byte_alphabet(tokenizer.bytes(right)));
        settings.emplace_back("tokenizer.ggml.merges", std::move(merges));
    } else {
        settings.emplace_back("tokenizer.ggml.scores",
                              std::vector<float>(list.tokens.size(), 0.0f));
    }
    settings.emplace_back("tokenizer.ggml.tokens", std::move(list.tokens));
    settings.emplace_back("tokenizer.ggml.token_type", std::move(list.types));
    // Without these, llama.cpp takes some ordinary tokens to end a text.
    const std::uint32_t end = u32(tokenizer.end_of_text());
    for (const char* name : {"bos", "eos", "unknown"})
        settings.emplace_back(format("tokenizer.ggml.%s_token_id", name), end);
    for (const char* name : {"add_bos_token", "add_eos_token", "add_space_prefix"})
        settings.emplace_back(format("tokenizer.ggml.%s", name), false);
    return settings;
}

void write_llama_cpp(const std::string& path, const LoadedModel& run, GgufType type) {
    const GptConfig& config = run.model->config();
    if (config.activation != Activation::gelu_new)
        fail(
            {"activation = gelu: llama.cpp always computes gelu_new for this architecture, and "
             "would "
             "give other scores; export --to hf instead",
             "activation = gelu：llama.cpp 对这种结构总是用 gelu_new，分数会不同；请改用 --to hf"});
    GgufSettings settings = model_settings(config, type);
    for (auto& setting : llama_cpp_tokenizer(*run.tokenizer))
        settings.push_back(std::move(setting));

    std::vector<GgufTensor> tensors;
    for (const ForeignTensor& tensor : foreign_tensors(config)) {
        const auto values = [&run, tensor] {
            std::vector<Real> ours = joined(run, tensor);
            if (tensor.linear) ours = transposed(ours, tensor.rows, tensor.columns);
            return std::vector<float>(ours.begin(), ours.end());
        };
        const bool matrix = tensor.rows > 0;
        std::vector<Index> extents{tensor.columns};
        if (matrix)
            extents = {tensor.linear ? tensor.rows : tensor.columns,
                       tensor.linear ? tensor.columns : tensor.rows};
        tensors.push_back({tensor.llama_cpp, extents, matrix ? type : GgufType::F32, values});
    }
    write_gguf(path, settings, tensors);
}

}  // namespace zhuyi
