#include <cmath>

#include "base/check.h"
#include "interop/hugging_face.h"
#include "system/printable.h"

namespace zhuyi {

Json hugging_face_config(const GptConfig& c, const Tokenizer& tokenizer) {
    Json json;
    json.set("architectures", Json().push("GPT2LMHeadModel"));
    json.set("model_type", "gpt2");
    json.set("vocab_size", c.vocabulary);
    json.set("n_positions", c.context).set("n_ctx", c.context);
    json.set("n_embd", c.channels).set("n_layer", c.layers).set("n_head", c.heads);
    json.set("n_inner", c.width() == 4 * c.channels ? Json() : Json(c.width()));
    json.set("activation_function", c.activation == Activation::gelu ? "gelu" : "gelu_new");
    json.set("layer_norm_epsilon", 1e-5);
    json.set("resid_pdrop", c.dropout);
    json.set("embd_pdrop", 0.0).set("attn_pdrop", 0.0);  // our dropout is on the branches alone
    json.set("initializer_range", 0.02);
    json.set("scale_attn_weights", true);
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
    Index integer(const char* name, Index otherwise, Index most) const {
        const Json* value = find(name);
        const Index number = value ? value->integer() : otherwise;
        if (number < 1 || number > most)
            fail({"%s: expected 1 to %td, found %td", "%s：应在 1 到 %td 之间，实际是 %td"}, name,
                 most, number);
        return number;
    }
    bool boolean(const char* name, bool otherwise) const {
        const Json* value = find(name);
        return value ? value->boolean() : otherwise;
    }
    std::string text(const char* name, const char* otherwise) const {
        const Json* value = find(name);
        return value ? value->text() : otherwise;
    }
    double number(const char* name, double otherwise) const {
        const Json* value = find(name);
        return value ? value->number() : otherwise;
    }

  private:
    const Json& json_;
};

Activation activation_named(const std::string& name) {
    if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_new;
    if (name == "gelu") return Activation::gelu;
    fail({"activation_function %s is not supported; zhuyi has gelu_new and gelu",
          "不支持 activation_function %s；zhuyi 有 gelu_new 和 gelu"},
         in_quotes(name));
}

}  // namespace

GptConfig config_from_hugging_face(const Json& json) {
    const Settings from(json);
    const std::string type = from.text("model_type", "");
    if (type != "gpt2")
        fail(
            {"expected model_type \"gpt2\", found %s: zhuyi imports models of GPT-2's architecture "
             "only",
             "model_type 应为 \"gpt2\"，实际是%s：zhuyi 只导入 GPT-2 结构的模型"},
            in_quotes(type));
    if (const double epsilon = from.number("layer_norm_epsilon", 1e-5); epsilon != 1e-5)
        fail({"layer_norm_epsilon: expected 1e-05, found %g",
              "layer_norm_epsilon：应为 1e-05，实际是 %g"},
             epsilon);
    if (!from.boolean("scale_attn_weights", true))
        fail({"scale_attn_weights: expected true; attention here is scaled by 1/√d_k",
              "scale_attn_weights：应为 true；这里的注意力分数总要除以 √d_k"});
    for (const char* option : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
        if (from.boolean(option, false)) fail({"%s is not supported", "不支持 %s"}, option);

    GptConfig c;
    c.vocabulary = from.integer("vocab_size", 50257, 1 << 30);
    c.context = from.integer("n_positions", 1024, 1 << 20);
    c.channels = from.integer("n_embd", 768, 1 << 20);
    c.layers = from.integer("n_layer", 12, 1 << 16);
    c.heads = from.integer("n_head", 12, 1 << 16);
    c.ffn = from.integer("n_inner", 4 * c.channels, 1 << 24);
    c.activation = activation_named(from.text("activation_function", "gelu_new"));
    c.tied = from.boolean("tie_word_embeddings", true);
    c.dropout = from.number("resid_pdrop", 0.1);
    if (!(c.dropout >= 0 && c.dropout <= 0.99))
        fail({"resid_pdrop: expected 0 to 0.99, found %g",
              "resid_pdrop：应在 0 到 0.99 之间，实际是 %g"},
             c.dropout);
    if (c.channels % c.heads)
        fail({"n_head = %td does not divide n_embd = %td", "n_head = %td 不能整除 n_embd = %td"},
             c.heads, c.channels);
    return c;
}

}  // namespace zhuyi
