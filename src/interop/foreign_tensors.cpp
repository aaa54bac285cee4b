#include "interop/foreign.h"

#include <array>

namespace zhuyi {
namespace {

using Names = std::array<const char*, 3>;  // at GPT-2, at GPT-NeoX, in llama.cpp

class TensorList {
  public:
    TensorList(const GptConfig& config, Program program)
        : program_(program), neox_(config.position == Position::rotary), D_(config.head_size()) {}

    const char* choose(const Names& names) const {
        return names[program_ == Program::llama_cpp ? 2 : neox_ ? 1 : 0];
    }
    void block(Index number) {
        ours_ = "block." + std::to_string(number) + ".";
        theirs_ =
            choose({"transformer.h.", "gpt_neox.layers.", "blk."}) + std::to_string(number) + ".";
    }
    void no_block() { ours_ = theirs_ = ""; }

    // A matrix that is looked up in, or a vector: it lies there as it does here.
    void add(const Names& names, const char* source, Index rows, Index columns) {
        put(names, {source}, rows, columns, false);
    }
    // A matrix [in, out] and its bias. Only Hugging Face's GPT-2 keeps it as we do, in a Conv1D.
    void linear(const Names& names, const Names& biases, std::initializer_list<const char*> W,
                std::initializer_list<const char*> b, Index in, Index out) {
        put(names, W, in, out, program_ == Program::llama_cpp || neox_);
        put(biases, b, 0, out, false);
    }
    void head(const Names& names, Index C, Index V) { put(names, {"head.W"}, C, V, true); }

    std::vector<ForeignTensor> tensors;

  private:
    void put(const Names& names, std::initializer_list<const char*> sources, Index rows,
             Index columns, bool transposed) {
        const bool by_heads = neox_ && program_ == Program::hugging_face && sources.size() > 1;
        ForeignTensor tensor{theirs_ + choose(names),
                             {},
                             rows,
                             columns,
                             transposed,
                             by_heads ? D_ : columns / Index(sources.size())};
        for (const char* source : sources) tensor.sources.push_back(ours_ + source);
        tensors.push_back(std::move(tensor));
    }

    Program program_;
    bool neox_;
    Index D_;
    std::string ours_, theirs_;
};

void add_block(TensorList& list, Index C, Index F) {
    list.add({"ln_1.weight", "input_layernorm.weight", "attn_norm.weight"}, "norm_1.gamma", 0, C);
    list.add({"ln_1.bias", "input_layernorm.bias", "attn_norm.bias"}, "norm_1.beta", 0, C);
    list.linear({"attn.c_attn.weight", "attention.query_key_value.weight", "attn_qkv.weight"},
                {"attn.c_attn.bias", "attention.query_key_value.bias", "attn_qkv.bias"},
                {"attention.W_Q", "attention.W_K", "attention.W_V"},
                {"attention.b_Q", "attention.b_K", "attention.b_V"}, C, 3 * C);
    list.linear({"attn.c_proj.weight", "attention.dense.weight", "attn_output.weight"},
                {"attn.c_proj.bias", "attention.dense.bias", "attn_output.bias"}, {"attention.W_O"},
                {"attention.b_O"}, C, C);
    list.add({"ln_2.weight", "post_attention_layernorm.weight", "ffn_norm.weight"}, "norm_2.gamma",
             0, C);
    list.add({"ln_2.bias", "post_attention_layernorm.bias", "ffn_norm.bias"}, "norm_2.beta", 0, C);
    list.linear({"mlp.c_fc.weight", "mlp.dense_h_to_4h.weight", "ffn_up.weight"},
                {"mlp.c_fc.bias", "mlp.dense_h_to_4h.bias", "ffn_up.bias"}, {"ffn.W_1"},
                {"ffn.b_1"}, C, F);
    list.linear({"mlp.c_proj.weight", "mlp.dense_4h_to_h.weight", "ffn_down.weight"},
                {"mlp.c_proj.bias", "mlp.dense_4h_to_h.bias", "ffn_down.bias"}, {"ffn.W_2"},
                {"ffn.b_2"}, F, C);
}

constexpr Names kHead{"lm_head.weight", "embed_out.weight", "output.weight"};

}  // namespace

std::vector<Index> ForeignTensor::shape() const {
    if (rows == 0) return {columns};
    return transposed ? std::vector{columns, rows} : std::vector{rows, columns};
}

std::vector<ForeignTensor> foreign_tensors(const GptConfig& c, Program program) {
    const Index C = c.channels, V = c.vocabulary;
    const bool rotary = c.position == Position::rotary;
    TensorList list(c, program);
    list.add({"transformer.wte.weight", "gpt_neox.embed_in.weight", "token_embd.weight"},
             "embedding.token", V, C);
    if (!rotary)
        list.add({"transformer.wpe.weight", "", "position_embd.weight"}, "embedding.position",
                 c.context, C);
    if (c.position == Position::none) list.tensors.back().sources.clear();  // zeros
    for (Index number = 0; number < c.layers; ++number) {
        list.block(number);
        add_block(list, C, c.width());
    }
    list.no_block();
    list.add({"transformer.ln_f.weight", "gpt_neox.final_layer_norm.weight", "output_norm.weight"},
             "final_norm.gamma", 0, C);
    list.add({"transformer.ln_f.bias", "gpt_neox.final_layer_norm.bias", "output_norm.bias"},
             "final_norm.beta", 0, C);
    if (!c.tied)
        list.head(kHead, C, V);
    else if (rotary && program == Program::llama_cpp)  // whose GPT-NeoX always asks for it
        list.add(kHead, "embedding.token", V, C);
    return std::move(list.tensors);
}

const char* head_name(const GptConfig& config) {
    return TensorList(config, Program::hugging_face).choose(kHead);
}

Values values_of(const LoadedModel& run, const std::string& source) {
    return source == "embedding.position" ? run.model->positions().values()
                                          : run.parameters->tensor(source).values();
}

List<Values> source_values(const LoadedModel& run, const ForeignTensor& tensor) {
    List<Values> values;
    for (const std::string& source : tensor.sources) values.push_back(values_of(run, source));
    return values;
}

List<Real> foreign_values(const LoadedModel& run, const ForeignTensor& tensor) {
    const List<Values> ours = source_values(run, tensor);
    List<Real> theirs;
    theirs.resize(std::size_t(tensor.size()));
    tensor.for_each_number([&](Index part, Index i, Index at) { theirs[at] = ours[part][i]; });
    return theirs;
}

}  // namespace zhuyi
