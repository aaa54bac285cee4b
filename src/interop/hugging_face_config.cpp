// config.json of a Hugging Face folder, written and read.
#include "base/check.h"
#include "interop/hugging_face.h"
#include "system/printable.h"

namespace zhuyi {
static const char* name_of(Activation activation) {
    return activation == Activation::gelu ? "gelu" : "gelu_new";
}

// Dropout acts on the embeddings and on the branches; no attention weights are dropped.
static void add_gpt2(Json& json, const GptConfig& c) {
    json.set("n_positions", c.context).set("n_ctx", c.context);
    json.set("n_embd", c.channels).set("n_layer", c.layers).set("n_head", c.heads);
    json.set("n_inner", c.width() == 4 * c.channels ? Json() : Json(c.width()));
    json.set("activation_function", name_of(c.activation));
    json.set("layer_norm_epsilon", 1e-5);
    json.set("resid_pdrop", c.dropout);
    json.set("embd_pdrop", c.embedding_dropout).set("attn_pdrop", 0.0);
    json.set("scale_attn_weights", true);
}

// The angles stand there twice: rope_parameters since transformers 5, the other two before.
static void add_gpt_neox(Json& json, const GptConfig& c) {
    json.set("max_position_embeddings", c.context);
    json.set("hidden_size", c.channels).set("num_hidden_layers", c.layers);
    json.set("num_attention_heads", c.heads).set("intermediate_size", c.width());
    json.set("hidden_act", name_of(c.activation));
    json.set("layer_norm_eps", 1e-5);
    json.set("use_parallel_residual", false).set("attention_bias", true);
    json.set("hidden_dropout", c.dropout).set("attention_dropout", 0.0);
    json.set("embedding_dropout", c.embedding_dropout);  // ours: there hidden_dropout is for both
    Json rope;
    rope.set("rope_type", "default").set("rope_theta", 10000.0).set("partial_rotary_factor", 1.0);
    json.set("rope_parameters", rope);
    json.set("rotary_pct", 1.0).set("rotary_emb_base", 10000);
}

Json hugging_face_config(const GptConfig& c, const Tokenizer& tokenizer) {
    const bool rotary = c.position == Position::rotary;
    Json json;
    json.set("architectures", Json().push(rotary ? "GPTNeoXForCausalLM" : "GPT2LMHeadModel"));
    json.set("model_type", rotary ? "gpt_neox" : "gpt2");
    json.set("vocab_size", c.vocabulary);
    rotary ? add_gpt_neox(json, c) : add_gpt2(json, c);
    json.set("initializer_range", 0.02);
    json.set("bos_token_id", Index(tokenizer.end_of_text()));
    json.set("eos_token_id", Index(tokenizer.end_of_text()));
    json.set("tie_word_embeddings", c.tied);
    json.set("torch_dtype", "float32");
    json.set("use_cache", true);
    return json;
}

namespace {

class Settings {
  public:
    explicit Settings(const Json& json) : json_(json) {}

    // Absent and null mean the same: GPT2Config's default.
    const Json* find(const char* name) const {
        const Json* value = json_.find(name);
        return value && !value->is_null() ? value : nullptr;
    }
    Json get(const char* name, Json otherwise) const {
        const Json* value = find(name);
        return value ? *value : otherwise;
    }
    bool boolean(const char* name, bool otherwise) const { return get(name, otherwise).boolean(); }
    std::string text(const char* name, const char* otherwise) const {
        return get(name, otherwise).text();
    }
    double number(const char* name, double otherwise) const {
        return get(name, otherwise).number();
    }
    Index integer(const char* name, Index otherwise, Index most) const {
        const Index number = get(name, otherwise).integer();
        if (number < 1 || number > most)
            fail({"%s: expected 1 to %td, found %td", "%s：应在 1 到 %td 之间，实际是 %td"}, name,
                 most, number);
        return number;
    }
    double dropout(const char* name, double otherwise) const {
        const double dropout = number(name, otherwise);
        if (!(dropout >= 0 && dropout <= 0.99))
            fail({"%s: expected 0 to 0.99, found %g", "%s：应在 0 到 0.99 之间，实际是 %g"}, name,
                 dropout);
        return dropout;
    }
    Activation activation(const char* option, const char* otherwise) const {
        const std::string name = text(option, otherwise);
        if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
            return Activation::gelu_new;
        if (name == "gelu") return Activation::gelu;
        fail({"%s %s is not supported; zhuyi has gelu_new and gelu",
              "不支持 %s %s；zhuyi 有 gelu_new 和 gelu"},
             option, in_quotes(name));
    }
    void expect(const char* name, bool otherwise, bool wanted, const Words& why) const {
        if (boolean(name, otherwise) != wanted)
            fail({"%s: expected %s; %s", "%s：应为 %s；%s"}, name, wanted ? "true" : "false", why);
    }

  private:
    const Json& json_;
};

void expect(const char* name, double wanted, double found) {
    if (found != wanted)
        fail({"%s: expected %g, found %g", "%s：应为 %g，实际是 %g"}, name, wanted, found);
}

void expect_divides(const char* heads_name, Index heads, const char* channels_name,
                    Index channels) {
    if (channels % heads)
        fail({"%s = %td does not divide %s = %td", "%s = %td 不能整除 %s = %td"}, heads_name, heads,
             channels_name, channels);
}

GptConfig gpt2_from(const Settings& from) {
    expect("layer_norm_epsilon", 1e-5, from.number("layer_norm_epsilon", 1e-5));
    from.expect("scale_attn_weights", true, true,
                {"attention here is scaled by 1/√d_k", "这里的注意力分数总要除以 √d_k"});
    for (const char* option : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
        from.expect(option, false, false, {"zhuyi has nothing like it", "zhuyi 没有这种做法"});

    GptConfig c;
    c.vocabulary = from.integer("vocab_size", 50257, 1 << 30);
    c.context = from.integer("n_positions", 1024, 1 << 20);
    c.channels = from.integer("n_embd", 768, 1 << 20);
    c.layers = from.integer("n_layer", 12, 1 << 16);
    c.heads = from.integer("n_head", 12, 1 << 16);
    c.ffn = from.integer("n_inner", 4 * c.channels, 1 << 24);
    c.activation = from.activation("activation_function", "gelu_new");
    c.tied = from.boolean("tie_word_embeddings", true);
    c.dropout = from.dropout("resid_pdrop", 0.1);
    c.embedding_dropout = from.dropout("embd_pdrop", 0.1);
    expect_divides("n_head", c.heads, "n_embd", c.channels);
    return c;
}

// Every channel must be rotary, with angles t · 10000^(-2i/D). (transformers 5 says so in
// rope_parameters, older versions say it outside.)
void expect_our_angles(const Settings& from) {
    const Json none{Json::Object{}}, *rope = from.find("rope_parameters");
    const Settings angles(rope ? *rope : none);
    if (const std::string type = angles.text("rope_type", "default"); type != "default")
        fail({"rope_type: expected \"default\", found %s", "rope_type：应为“default”，实际是%s"},
             in_quotes(type));
    if (from.find("rope_scaling")) fail({"rope_scaling is not supported", "不支持 rope_scaling"});
    expect("rotary_pct", 1,
           angles.number("partial_rotary_factor", from.number("rotary_pct", 0.25)));
    expect("rope_theta", 10000, angles.number("rope_theta", from.number("rotary_emb_base", 10000)));
}

GptConfig gpt_neox_from(const Settings& from) {
    expect("layer_norm_eps", 1e-5, from.number("layer_norm_eps", 1e-5));
    from.expect("use_parallel_residual", true, false,
                {"the blocks here add attention before the feed-forward layer reads",
                 "这里的每一层先加上注意力的输出，前馈网络再读取"});
    from.expect("attention_bias", true, true,
                {"W_Q, W_K, W_V and W_O here have biases", "这里的 W_Q、W_K、W_V、W_O 都有偏置"});
    expect_our_angles(from);

    GptConfig c;
    c.position = Position::rotary;
    c.vocabulary = from.integer("vocab_size", 50432, 1 << 30);
    c.context = from.integer("max_position_embeddings", 2048, 1 << 20);
    c.channels = from.integer("hidden_size", 6144, 1 << 20);
    c.layers = from.integer("num_hidden_layers", 44, 1 << 16);
    c.heads = from.integer("num_attention_heads", 64, 1 << 16);
    c.ffn = from.integer("intermediate_size", 24576, 1 << 24);
    c.activation = from.activation("hidden_act", "gelu");
    c.tied = from.boolean("tie_word_embeddings", false);
    c.dropout = from.dropout("hidden_dropout", 0.0);
    c.embedding_dropout = from.dropout("embedding_dropout", c.dropout);
    expect_divides("num_attention_heads", c.heads, "hidden_size", c.channels);
    if (c.head_size() % 2)
        fail({"hidden_size / num_attention_heads = %td is odd: pairs of channels turn",
              "hidden_size / num_attention_heads = %td 是奇数：旋转的是成对的维度"},
             c.head_size());
    return c;
}

}  // namespace

GptConfig config_from_hugging_face(const Json& json) {
    const Settings from(json);
    const std::string type = from.text("model_type", "");
    if (type != "gpt2" && type != "gpt_neox")
        fail({"expected model_type \"gpt2\" or \"gpt_neox\", found %s: zhuyi imports models of "
              "these two architectures only",
              "model_type 应为“gpt2”或“gpt_neox”，实际是%s：zhuyi 只导入这两种结构的模型"},
             in_quotes(type));
    if (from.find("quantization_config"))
        fail(
            {"quantization_config: expected numbers of 16 or 32 bits, found quantized ones; save "
             "the model without quantization",
             "quantization_config：只支持 16 位或 32 位的数，而这些权重是量化过的；"
             "请存成未量化的模型"});
    return type == "gpt2" ? gpt2_from(from) : gpt_neox_from(from);
}

}  // namespace zhuyi
