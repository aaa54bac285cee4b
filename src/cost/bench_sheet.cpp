#include "cost/bench.h"

#include <algorithm>

#include "base/format.h"
#include "base/hash.h"
#include "formats/sheet.h"
#include "system/printable.h"
#include "train/optimizer.h"

namespace zhuyi {

namespace {

const char* word(Precision precision) { return precision == Precision::bf16 ? "bf16" : "fp32"; }
std::string giga(double rate) { return format("%.4g", rate / 1e9); }
Cell gigas(double rate) { return {rate / 1e9, giga(rate)}; }
std::string percent(double part) { return format("%.0f %%", 100 * part); }
std::string whole(double number) { return grouped(static_cast<long long>(number)); }
Cell milliseconds(double ms) { return ms > 0 ? Cell::fixed(ms, 3) : Cell(); }

void add_products(Sheet& sheet, const BenchResult& r) {
    Sheet::Table& table = sheet.records("configurations.products",
                                        {Sheet::unseen("../name"),
                                         {"name", {"products, GFLOP/s", "矩阵乘法，GFLOP/s"}},
                                         {"", {"rows × in × out", "行 × 入 × 出"}},
                                         {"forward_gflops", "Y = X·W"},
                                         {"d_input_gflops", "dX = dY·Wᵀ"},
                                         {"d_weight_gflops", "dW = Xᵀ·dY"},
                                         {"peak_gflops", {"peak", "峰值"}},
                                         {""},
                                         Sheet::unseen("rows"),
                                         Sheet::unseen("in"),
                                         Sheet::unseen("out")});
    if (r.products.empty()) table.reader = Sheet::Reader::program;
    for (const ProductSpeed& p : r.products) {
        const double all = 3 / (1 / p.forward + 1 / p.d_input + 1 / p.d_weight);
        table.record({r.config.name, p.name, format("%td × %td × %td", p.rows, p.in, p.out),
                      gigas(p.forward), gigas(p.d_input), gigas(p.d_weight), gigas(p.peak),
                      Cell::percent(all / p.peak, 0), double(p.rows), double(p.in), double(p.out)});
    }
}

// A row for each part of a step, forward beside backward.
void add_parts(Sheet& sheet, const TrainingSpeed& training) {
    Sheet::Table& table =
        sheet.records("parts", {{"", {"a step by part, ms", "一步的各部分，毫秒"}},
                                {"", {"forward", "前向"}},
                                {"", {"backward", "反向"}},
                                {"", {"share", "占比"}}});
    table.reader = Sheet::Reader::person;
    const auto add = [&](Label name, double forward, double backward) {
        table.record({std::move(name), milliseconds(forward), milliseconds(backward),
                      Cell::percent((forward + backward) / training.step_ms, 0)});
    };
    std::vector<std::string> seen;
    for (const auto& time : training.parts) {
        const std::string& part = time.part;
        if (time.phase == Phase::update || std::ranges::find(seen, part) != seen.end()) continue;
        seen.push_back(part);
        add(part, training.ms(Phase::forward, part), training.ms(Phase::backward, part));
    }
    add({"together", "合计"}, training.ms(Phase::forward), training.ms(Phase::backward));
    for (const auto& time : training.parts)
        if (time.phase == Phase::update) add(time.part, 0, time.ms);
}

// The configuration, what was measured of a whole step, and its parts.
void add_for_programs(Sheet& sheet, const BenchResult& r) {
    const GptConfig& c = r.config.model;
    const TrainingSpeed& t = r.training;
    const auto& g = r.generation;
    const auto generated = [&](double number) { return g ? Cell(number) : Cell(); };
    const std::pair<const char*, Cell> cells[] = {
        {"name", r.config.name},
        {"context", double(c.context)},
        {"vocabulary", double(c.vocabulary)},
        {"layers", double(c.layers)},
        {"heads", double(c.heads)},
        {"channels", double(c.channels)},
        {"batch", double(r.config.batch)},
        {"weights", double(r.weights)},
        {"optimizer", name_of(r.optimizer)},
        {"position", encoding_of(c.position).name},
        {"steps", double(t.steps)},
        {"step_ms", t.step_ms},
        {"least_ms", t.least_ms},
        {"forward_ms", t.ms(Phase::forward)},
        {"backward_ms", t.ms(Phase::backward)},
        {"clip_ms", t.ms(Phase::update, "norm")},
        {"adamw_ms", t.ms(Phase::update, "AdamW")},
        {"muon_ms", t.ms(Phase::update, "Muon")},
        {"tokens_per_second", r.tokens_a_second()},
        {"gflop", r.operations() / 1e9},
        {"gflops", r.rate() / 1e9},
        {"peak_gflops", t.peak / 1e9},
        {"fraction_of_peak", r.of_peak()},
        {"memory_bytes", t.bytes},
        {"first_loss", t.first_loss},
        {"last_loss", t.last_loss},
        {"fingerprint", hash_text(t.fingerprint)},
        {"generated_tokens_per_second", generated(g ? g->alone : 0)},
        {"generated_tokens_per_second_four_texts", generated(g ? g->four : 0)},
        {"weight_bytes_per_generated_token", generated(g ? g->bytes : 0)},
        {"reading_gbytes_per_second", generated(g ? g->reading / 1e9 : 0)}};
    Sheet::Table& table = sheet.records("configurations", {});
    table.reader = Sheet::Reader::program;
    table.record({});
    for (const auto& [name, cell] : cells) {
        table.fields.push_back({name});
        table.rows.back().cells.push_back(cell);
    }
    constexpr const char* kPhases[] = {"forward", "backward", "update"};
    Sheet::Table& parts =
        sheet.records("configurations.parts", {{"../name"}, {"phase"}, {"part"}, {"ms"}});
    parts.reader = Sheet::Reader::program;
    for (const auto& time : t.parts)
        parts.record({r.config.name, kPhases[int(time.phase)], time.part, time.ms});
}

}  // namespace

void add_machine(Sheet& sheet, const BenchMachine& m) {
    sheet.text({"%s, %d processors", "%s，%d 个处理器"}, printable(m.processor), m.processors);
    sheet.text({"%d threads, %s, %s", "%d 个线程，%s，%s"}, m.threads, m.kernels,
               word(m.precision));
    std::string now =
        say({"now: %s GFLOP/s of fused multiply-adds", "现在：乘加峰值 %s GFLOP/s"}, giga(m.peak));
    if (m.streaming > 0)
        now += say(
            {", %s GB/s of memory in AdamW's seven streams", "，内存 %s GB/s（AdamW 的七路读写）"},
            giga(m.streaming));
    sheet.text(now);
    const auto measured = [](double rate) { return rate > 0 ? Json(rate / 1e9) : Json(); };
    sheet.set("processor", m.processor), sheet.set("processors", m.processors);
    sheet.set("threads", m.threads), sheet.set("kernels", m.kernels);
    sheet.set("precision", word(m.precision)), sheet.set("peak_gflops", measured(m.peak));
    sheet.set("streaming_gbytes_per_second", measured(m.streaming));
}

void add_result(Sheet& sheet, const BenchResult& r, const BenchMachine& machine) {
    const GptConfig& c = r.config.model;
    const TrainingSpeed& t = r.training;
    sheet.part(say({"%s  %s: T %td  V %td  L %td  H %td  C %td  B %td, %s weights, %s, %s",
                    "%s  %s：T %td  V %td  L %td  H %td  C %td  B %td，%s 个参数，%s，%s"},
                   r.config.name, r.config.about, c.context, c.vocabulary, c.layers, c.heads,
                   c.channels, r.config.batch, grouped(r.weights), name_of(r.optimizer),
                   encoding_of(c.position).name));
    add_for_programs(sheet, r);
    add_products(sheet, r);
    add_parts(sheet, t);
    sheet.text({"step %.2f ms (median of %td, least %.2f), %s tokens/s",
                "一步 %.2f 毫秒（%td 步的中位数，最快 %.2f），每秒 %s 个 token"},
               t.step_ms, t.steps, t.least_ms, whole(r.tokens_a_second()));
    sheet.text({"%s GFLOP, %s GFLOP/s, of the peak beside it (%s) %s",
                "%s GFLOP，%s GFLOP/s，是当时峰值 %s 的 %s"},
               giga(r.operations()), giga(r.rate()), giga(t.peak), percent(r.of_peak()));
    if (const double ms = t.ms(Phase::update, "AdamW"); ms > 0) {
        const double moved = kAdamWBytes * double(r.adamw_weights);
        std::string text = say({"AdamW moves %s, %s GB/s", "AdamW 读写 %s，%s GB/s"},
                               bytes_text(moved), giga(moved / (1e-3 * ms)));
        if (machine.streaming > 0)
            text += say({" (memory: %s)", "（内存 %s）"}, giga(machine.streaming));
        sheet.text(text);
    }
    sheet.text({"%s in memory, fingerprint %s", "内存占用 %s，指纹 %s"}, bytes_text(t.bytes),
               hash_text(t.fingerprint));
    if (const auto& g = r.generation) {
        sheet.text({"generation %s tokens/s, of four texts at once %s (greedy, one thread)",
                    "生成：每秒 %s 个 token，四段同时生成时每秒 %s 个（贪心解码，单线程）"},
                   whole(g->alone), whole(g->four));
        sheet.text({"%s of weights a token; that much memory is read at %s GB/s, and generation "
                    "reaches %s of it",
                    "每个 token 读 %s 权重，只读这么多时 %s GB/s，达到其 %s"},
                   bytes_text(g->bytes), giga(g->reading), percent(g->of_reading()));
    }
}

void add_formula(Sheet& sheet) {
    sheet.part();
    sheet.text(
        {"FLOP of a step: N (6 M + 6 L C (T + 1)), M = L (4 C² + 2 C F) + V C, N = B T; of "
         "attention only what lies under the causal mask counts. Compare a rate with the "
         "peak measured beside it, not with another minute's.",
         "一步的 FLOP：N (6 M + 6 L C (T + 1))，M = L (4 C² + 2 C F) + V C，N = B T；"
         "注意力只计因果掩码之下的部分。速度只宜与同时测得的峰值相比，不宜与另一时刻的相比。"});
}

}  // namespace zhuyi
