#include "interop/foreign_tensors.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

std::vector<ForeignTensor> foreign_tensors(const GptConfig& c) {
    if (!encoding_of(c.position).added)
        fail_usage({"a model with rotary positions cannot be exported yet",
                    "暂时还不能导出位置编码为 rotary 的模型"});
    const Index C = c.channels, F = c.width(), V = c.vocabulary;
    std::vector<ForeignTensor> tensors;
    tensors.push_back({"wte.weight", "token_embd.weight", {"embedding.token"}, V, C});
    tensors.push_back({"wpe.weight", "position_embd.weight", {"embedding.position"}, c.context, C});
    for (Index layer = 0; layer < c.layers; ++layer) {
        const std::string number = std::to_string(layer) + ".";
        const auto add = [&](const char* hugging_face, const char* llama_cpp,
                             std::initializer_list<const char*> sources, Index rows,
                             Index columns) {
            ForeignTensor tensor{"h." + number + hugging_face,
                                 "blk." + number + llama_cpp,
                                 {},
                                 rows,
                                 columns,
                                 rows > 0};
            for (const char* source : sources) tensor.sources.push_back("block." + number + source);
            tensors.push_back(std::move(tensor));
        };
        add("ln_1.weight", "attn_norm.weight", {"norm_1.gamma"}, 0, C);
        add("ln_1.bias", "attn_norm.bias", {"norm_1.beta"}, 0, C);
        add("attn.c_attn.weight", "attn_qkv.weight",
            {"attention.W_Q", "attention.W_K", "attention.W_V"}, C, 3 * C);
        add("attn.c_attn.bias", "attn_qkv.bias",
            {"attention.b_Q", "attention.b_K", "attention.b_V"}, 0, 3 * C);
        add("attn.c_proj.weight", "attn_output.weight", {"attention.W_O"}, C, C);
        add("attn.c_proj.bias", "attn_output.bias", {"attention.b_O"}, 0, C);
        add("ln_2.weight", "ffn_norm.weight", {"norm_2.gamma"}, 0, C);
        add("ln_2.bias", "ffn_norm.bias", {"norm_2.beta"}, 0, C);
        add("mlp.c_fc.weight", "ffn_up.weight", {"ffn.W_1"}, C, F);
        add("mlp.c_fc.bias", "ffn_up.bias", {"ffn.b_1"}, 0, F);
        add("mlp.c_proj.weight", "ffn_down.weight", {"ffn.W_2"}, F, C);
        add("mlp.c_proj.bias", "ffn_down.bias", {"ffn.b_2"}, 0, C);
    }
    tensors.push_back({"ln_f.weight", "output_norm.weight", {"final_norm.gamma"}, 0, C});
    tensors.push_back({"ln_f.bias", "output_norm.bias", {"final_norm.beta"}, 0, C});
    if (!c.tied) tensors.push_back({"lm_head.weight", "output.weight", {"head.W"}, C, V, true});
    return tensors;
}

In values_of(const LoadedModel& run, const std::string& source) {
    return source == "embedding.position" ? run.model->positions().values()
                                          : run.parameters->tensor(source).values();
}

std::vector<Real> joined(const LoadedModel& run, const ForeignTensor& tensor) {
    const Index rows = std::max<Index>(tensor.rows, 1), parts = std::ssize(tensor.sources);
    const Index width = tensor.columns / parts;
    std::vector<Real> values(std::size_t(rows * tensor.columns));
    for (Index part = 0; part < parts; ++part) {
        const In source = values_of(run, tensor.sources[std::size_t(part)]);
        for (Index r = 0; r < rows; ++r)
            std::copy_n(source.begin() + r * width, width,
                        values.begin() + r * tensor.columns + part * width);
    }
    return values;
}

}  // namespace zhuyi
