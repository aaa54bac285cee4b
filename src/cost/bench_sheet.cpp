#include "cost/bench.h"

#include <algorithm>

#include "base/format.h"
#include "base/hash.h"
#include "formats/sheet.h"
#include "train/optimizer.h"

namespace zhuyi {
static std::string giga(double rate) { return format("%.4g", rate / 1e9); }
static std::string percent(double part) { return format("%.0f %%", 100 * part); }
static std::string whole(double number) { return grouped(static_cast<long long>(number)); }
static Cell milliseconds(double ms) { return ms > 0 ? Cell::fixed(ms, 3) : Cell(); }

// A row for each part of a step, forward beside backward.
static void add_parts(Sheet& sheet, const BenchResult& r) {
    Sheet::Table& table =
        sheet.records("parts", {{"", {"a step by part, ms", "一步的各部分，毫秒"}},
                                {"", {"forward", "前向"}},
                                {"", {"backward", "反向"}},
                                {"", {"share", "占比"}}});
    table.reader = Sheet::Reader::person;
    const auto add = [&](Label name, double forward, double backward) {
        table.record({std::move(name), milliseconds(forward), milliseconds(backward),
                      Cell::percent((forward + backward) / r.step_ms, 0)});
    };
    std::vector<std::string> seen;
    for (const auto& time : r.parts) {
        const std::string& part = time.part;
        if (time.phase == Phase::update || std::ranges::find(seen, part) != seen.end()) continue;
        seen.push_back(part);
        add(part, r.ms(Phase::forward, part), r.ms(Phase::backward, part));
    }
    add({"together", "合计"}, r.ms(Phase::forward), r.ms(Phase::backward));
    for (const auto& time : r.parts)
        if (time.phase == Phase::update) add(time.part, 0, time.ms());
}

// The configuration, what was measured of a whole step, and its parts.
static void add_for_programs(Sheet& sheet, const BenchResult& r) {
    const GptConfig& c = r.config.model;
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
        {"optimizer", name_of(r.training.optimizer)},
        {"position", encoding_of(c.position).name},
        {"steps", double(r.steps)},
        {"step_ms", r.step_ms},
        {"least_ms", r.least_ms},
        {"forward_ms", r.ms(Phase::forward)},
        {"backward_ms", r.ms(Phase::backward)},
        {"clip_ms", r.ms(Phase::update, "norm")},
        {"adamw_ms", r.ms(Phase::update, "AdamW")},
        {"muon_ms", r.ms(Phase::update, "Muon")},
        {"tokens_per_second", r.tokens_a_second()},
        {"gflop", r.operations() / 1e9},
        {"gflops", r.rate() / 1e9},
        {"peak_gflops", r.peak / 1e9},
        {"fraction_of_peak", r.of_peak()},
        {"memory_bytes", r.bytes},
        {"first_loss", r.first_loss},
        {"last_loss", r.last_loss},
        {"fingerprint", hash_text(r.fingerprint)},
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
    for (const auto& time : r.parts)
        parts.record({r.config.name, kPhases[int(time.phase)], time.part, time.ms()});
}

void add_result(Sheet& sheet, const BenchResult& r, double streaming) {
    const GptConfig& c = r.config.model;
    sheet.part(say({"%s  %s: T %td  V %td  L %td  H %td  C %td  B %td, %s weights, %s, %s",
                    "%s  %s：T %td  V %td  L %td  H %td  C %td  B %td，%s 个参数，%s，%s"},
                   r.config.name, r.config.about, c.context, c.vocabulary, c.layers, c.heads,
                   c.channels, r.config.batch, grouped(r.weights), name_of(r.training.optimizer),
                   encoding_of(c.position).name));
    add_for_programs(sheet, r);
    add_products(sheet, r);
    add_parts(sheet, r);
    sheet.text({"step %.2f ms (median of %td, least %.2f), %s tokens/s",
                "一步 %.2f 毫秒（%td 步的中位数，最快 %.2f），每秒 %s 个 token"},
               r.step_ms, r.steps, r.least_ms, whole(r.tokens_a_second()));
    sheet.text({"%s GFLOP, %s GFLOP/s, of the peak beside it (%s) %s",
                "%s GFLOP，%s GFLOP/s，是当时峰值 %s 的 %s"},
               giga(r.operations()), giga(r.rate()), giga(r.peak), percent(r.of_peak()));
    if (const double ms = r.ms(Phase::update, "AdamW"); ms > 0) {
        const double moved = kAdamWBytes * double(r.adamw_weights);
        std::string text = say({"AdamW moves %s, %s GB/s", "AdamW 读写 %s，%s GB/s"},
                               bytes_text(moved), giga(moved / (1e-3 * ms)));
        if (streaming > 0) text += say({" (memory: %s)", "（内存 %s）"}, giga(streaming));
        sheet.text(text);
    }
    sheet.text({"%s in memory, fingerprint %s", "内存占用 %s，指纹 %s"}, bytes_text(r.bytes),
               hash_text(r.fingerprint));
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
