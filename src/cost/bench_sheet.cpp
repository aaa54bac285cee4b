#include "cost/bench_sheet.h"

#include "train/optimizer.h"

#include <algorithm>

#include "base/format.h"
#include "base/hash.h"
#include "cost/model_size.h"
#include "system/printable.h"
#include "system/table.h"

namespace zhuyi {
namespace {

const char* word(Precision precision) { return precision == Precision::bf16 ? "bf16" : "fp32"; }
std::string giga(double rate) { return format("%.4g", rate / 1e9); }
std::string percent(double part) { return format("%.0f %%", 100 * part); }
std::string whole(double number) { return grouped(static_cast<long long>(number)); }
std::string milliseconds(double ms) { return ms > 0 ? format("%.3f", ms) : ""; }

Text products_text(const std::vector<ProductSpeed>& products) {
    Table table("lrrrrrr");
    table.row({Words{"products, GFLOP/s", "矩阵乘法，GFLOP/s"},
               Words{"rows × in × out", "行 × 入 × 出"}, same("Y = X·W"), same("dX = dY·Wᵀ"),
               same("dW = Xᵀ·dY"), Words{"peak", "峰值"}});
    for (const ProductSpeed& p : products) {
        const double all = 3 / (1 / p.forward + 1 / p.d_input + 1 / p.d_weight);
        table.row({same(p.name), format("%td × %td × %td", p.rows, p.in, p.out), giga(p.forward),
                   giga(p.d_input), giga(p.d_weight), giga(p.peak), percent(all / p.peak)});
    }
    return table.text() + same("\n");
}

Text parts_text(const TrainingSpeed& training) {
    Table table("lrrr");
    table.row({Words{"a step by part, ms", "一步的各部分，毫秒"}, Words{"forward", "前向"},
               Words{"backward", "反向"}, Words{"share", "占比"}});
    const auto row = [&](const Text& name, double forward, double backward) {
        table.row({name, milliseconds(forward), milliseconds(backward),
                   percent((forward + backward) / training.step_ms)});
    };
    std::vector<std::string> seen;
    for (const PartTime& time : training.parts) {
        const std::string& part = time.part;
        if (time.phase == Phase::update || std::find(seen.begin(), seen.end(), part) != seen.end())
            continue;
        seen.push_back(part);
        row(same(part), training.ms(Phase::forward, part), training.ms(Phase::backward, part));
    }
    row(Words{"together", "合计"}, training.ms(Phase::forward), training.ms(Phase::backward));
    for (const PartTime& time : training.parts)
        if (time.phase == Phase::update)
            table.row(
                {time.part, Words{}, milliseconds(time.ms), percent(time.ms / training.step_ms)});
    return table.text() + same("\n");
}

Json products_json(const std::vector<ProductSpeed>& products) {
    Json list = Json::Array{};
    for (const ProductSpeed& p : products)
        list.push(Json::Object{{"name", p.name},
                               {"rows", p.rows},
                               {"in", p.in},
                               {"out", p.out},
                               {"forward_gflops", p.forward / 1e9},
                               {"d_input_gflops", p.d_input / 1e9},
                               {"d_weight_gflops", p.d_weight / 1e9},
                               {"peak_gflops", p.peak / 1e9}});
    return list;
}

Json parts_json(const std::vector<PartTime>& parts) {
    constexpr const char* kPhases[] = {"forward", "backward", "update"};
    Json list = Json::Array{};
    for (const PartTime& time : parts)
        list.push(Json::Object{
            {"phase", kPhases[int(time.phase)]}, {"part", time.part}, {"ms", time.ms}});
    return list;
}

Json result_json(const BenchResult& r) {
    const GptConfig& c = r.config.model;
    const TrainingSpeed& t = r.training;
    Json json = Json::Object{{"name", r.config.name},
                             {"context", c.context},
                             {"vocabulary", c.vocabulary},
                             {"layers", c.layers},
                             {"heads", c.heads},
                             {"channels", c.channels},
                             {"batch", r.config.batch},
                             {"weights", r.weights},
                             {"optimizer", name_of(r.optimizer)},
                             {"position", encoding_of(c.position).name},
                             {"steps", t.steps},
                             {"step_ms", t.step_ms},
                             {"least_ms", t.least_ms},
                             {"forward_ms", t.ms(Phase::forward)},
                             {"backward_ms", t.ms(Phase::backward)},
                             {"clip_ms", t.ms(Phase::update, "norm")},
                             {"adamw_ms", t.ms(Phase::update, "AdamW")},
                             {"muon_ms", t.ms(Phase::update, "Muon")},
                             {"parts", parts_json(t.parts)},
                             {"tokens_per_second", r.tokens_a_second()},
                             {"gflop", r.operations() / 1e9},
                             {"gflops", r.rate() / 1e9},
                             {"peak_gflops", t.peak / 1e9},
                             {"fraction_of_peak", r.of_peak()},
                             {"memory_bytes", t.bytes},
                             {"first_loss", t.first_loss},
                             {"last_loss", t.last_loss},
                             {"fingerprint", hash_text(t.fingerprint)},
                             {"products", products_json(r.products)}};
    json.set("generated_tokens_per_second", r.generation ? Json(r.generation->alone) : Json());
    json.set("generated_tokens_per_second_four_texts",
             r.generation ? Json(r.generation->four) : Json());
    json.set("weight_bytes_per_generated_token", r.generation ? Json(r.generation->bytes) : Json());
    json.set("reading_gbytes_per_second",
             r.generation ? Json(r.generation->reading / 1e9) : Json());
    return json;
}

}  // namespace

double BenchResult::operations() const {
    return double(config.rows()) * work_per_token(config.model).training();
}

BenchResult bench(const BenchConfig& config, const TrainConfig& training, Index steps,
                  bool only_steps) {
    BenchModel model(config);
    const std::vector<Parameter>& table = model.parameters.table();
    Index adamw_weights = 0;
    const Rules rules = make_rules(training);
    for (const Parameter& row : table)
        if (rule_of(rules, row).name() == std::string("AdamW")) adamw_weights += row.shape.size();
    const TrainingSpeed speed = training_speed(model, training, steps);
    BenchResult result{config, count(table), adamw_weights, training.optimizer, {}, speed, {}};
    if (only_steps) return result;
    result.products = product_speeds(config.model, config.rows(), training.precision);
    result.generation = generation_speed(model, training.precision);
    return result;
}

Text bench_text(const BenchMachine& m) {
    Text text =
        say({"%s, %d processors\n%d threads, %s, %s\n", "%s，%d 个处理器\n%d 个线程，%s，%s\n"},
            printable(m.processor), m.processors, m.threads, m.kernels, word(m.precision));
    text +=
        say({"now: %s GFLOP/s of fused multiply-adds", "现在：乘加峰值 %s GFLOP/s"}, giga(m.peak));
    if (m.streaming > 0)
        text += say(
            {", %s GB/s of memory in AdamW's seven streams", "，内存 %s GB/s（AdamW 的七路读写）"},
            giga(m.streaming));
    return text + same("\n\n");
}

Text bench_text(const BenchResult& r, const BenchMachine& machine) {
    const GptConfig& c = r.config.model;
    const TrainingSpeed& t = r.training;
    Text text =
        say({"%s  %s: T %td  V %td  L %td  H %td  C %td  B %td, %s weights, %s, %s\n",
             "%s  %s：T %td  V %td  L %td  H %td  C %td  B %td，%s 个参数，%s，%s\n"},
            r.config.name, r.config.about, c.context, c.vocabulary, c.layers, c.heads, c.channels,
            r.config.batch, grouped(r.weights), name_of(r.optimizer), encoding_of(c.position).name);
    if (!r.products.empty()) text += products_text(r.products);
    text += parts_text(t);
    text += say({"  step %.2f ms (median of %td, least %.2f), %s tokens/s\n",
                 "  一步 %.2f 毫秒（%td 步的中位数，最快 %.2f），每秒 %s 个 token\n"},
                t.step_ms, t.steps, t.least_ms, whole(r.tokens_a_second()));
    text += say({"  %s GFLOP, %s GFLOP/s, of the peak beside it (%s) %s\n",
                 "  %s GFLOP，%s GFLOP/s，是当时峰值 %s 的 %s\n"},
                giga(r.operations()), giga(r.rate()), giga(t.peak), percent(r.of_peak()));
    if (const double ms = t.ms(Phase::update, "AdamW"); ms > 0) {
        const double moved = kAdamWBytes * double(r.adamw_weights);
        text += say({"  AdamW moves %s, %s GB/s", "  AdamW 读写 %s，%s GB/s"}, bytes_text(moved),
                    giga(moved / (1e-3 * ms)));
        if (machine.streaming > 0)
            text += say({" (memory: %s)", "（内存 %s）"}, giga(machine.streaming));
        text += same("\n");
    }
    text += say({"  %s in memory, fingerprint %s\n", "  内存占用 %s，指纹 %s\n"},
                bytes_text(t.bytes), hash_text(t.fingerprint));
    if (const auto& g = r.generation) {
        text += say({"  generation %s tokens/s, of four texts at once %s (greedy, one thread)\n",
                     "  生成：每秒 %s 个 token，四段同时生成时每秒 %s 个（贪心解码，一个线程）\n"},
                    whole(g->alone), whole(g->four));
        text += say({"    %s of weights a token, so many are read at %s GB/s: %s of that\n",
                     "    每个 token 读 %s 权重，只读这么多时 %s GB/s，达到其 %s\n"},
                    bytes_text(g->bytes), giga(g->reading), percent(g->of_reading()));
    }
    return text + same("\n");
}

Words bench_formula() {
    return {
        "FLOP of a step: N (6 M + 6 L C (T + 1)), M = L (4 C² + 2 C F) + V C, N = B T; of "
        "attention only\nwhat lies under the causal mask counts. Compare a rate with the peak "
        "measured beside it, not with\nanother minute's.\n",
        "一步的 FLOP：N (6 M + 6 L C (T + 1))，M = L (4 C² + 2 C F) + V C，N = B T；"
        "注意力只计因果掩码之下\n的部分。速度只宜与同时测得的峰值相比，不宜与另一时刻的相比。\n"};
}

Json bench_json(const BenchMachine& m, const std::vector<BenchResult>& results) {
    Json list = Json::Array{};
    for (const BenchResult& result : results) list.push(result_json(result));
    const auto measured = [](double rate) { return rate > 0 ? Json(rate / 1e9) : Json(); };
    return Json::Object{{"processor", m.processor},
                        {"processors", m.processors},
                        {"threads", m.threads},
                        {"kernels", m.kernels},
                        {"precision", word(m.precision)},
                        {"peak_gflops", measured(m.peak)},
                        {"streaming_gbytes_per_second", measured(m.streaming)},
                        {"configurations", std::move(list)}};
}

}  // namespace zhuyi
