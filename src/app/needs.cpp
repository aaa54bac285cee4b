#include "app/needs.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "observe/model_size.h"

namespace zhuyi {
namespace {

constexpr double kCheckpoints = 5;    // first, best, previous, last, and one that is being written
constexpr double kMegabyte = 1e6;     // as history_budget counts
constexpr double kFilms = 3;          // the film, its page, and a page that is being written
constexpr double kBytesOfARow = 100;  // metrics.csv
constexpr Index kTooManyParameters = 50;  // for each token

// The same number of windows a step in smaller batches, and only then a shorter context; "" when
// nothing helps.
std::string proposal(RunConfig config, double available) {
    const Index context = config.model.context, batch = config.train.batch;
    const Index windows = batch * config.train.accumulate;
    for (Index T = context; T >= std::min<Index>(8, context); T /= 2)
        for (Index B = batch; B >= 1; B /= 2) {
            config.model.context = T, config.train.batch = B;
            const std::vector<Parameter> table = parameter_table(config.model);
            if (windows % B != 0 || needs_of(config, table).memory() > available) continue;
            return format("--batch=%td --accumulate=%td", B, windows / B) +
                   (T == context ? "" : format(" --context=%td", T));
        }
    return "";
}

}  // namespace

Needs needs_of(const RunConfig& config, const std::vector<Parameter>& table) {
    const Memory memory = training_memory(config.model, config.train);
    const double one = double(buffer_length(table)) * double(sizeof(Real));
    Needs needs{memory.weights + memory.gradients + memory.moments,
                memory.activations + evaluation_memory(config.model, config.train),
                config.history.on ? one : 0, 0, 0};
    for (const Parameter& p : table)
        needs.checkpoint += double(p.shape.size()) * double(sizeof(Real)) * (p.frozen ? 1 : 3);
    needs.disk = kCheckpoints * needs.checkpoint + kBytesOfARow * double(config.train.steps) +
                 (config.history.on ? kFilms * kMegabyte * double(config.history.budget) : 0);
    return needs;
}

void check_memory(const RunConfig& config, const std::vector<Parameter>& table,
                  std::optional<double> available) {
    const Needs needs = needs_of(config, table);
    if (!available || needs.memory() <= *available) return;
    const std::string smaller = proposal(config, *available);
    fail(
        format(
            "this training needs about %s of memory (%s of it for weights, gradients and moments), "
            "and %s can be had here. ",
            bytes_text(needs.memory()).c_str(), bytes_text(needs.weights).c_str(),
            bytes_text(*available).c_str()) +
        (smaller.empty()
             ? "Fewer --channels or --layers make a model that fits."
             : "It fits with " + smaller + ", which reads as many windows of text in a step."));
}

void check_disk(const Needs& needs, const std::string& folder, std::optional<double> free) {
    if (!free || needs.disk <= *free) return;
    fail(format(
        "%s: this run needs up to %s (%.0f checkpoints of %s each, and what is recorded), and "
        "%s are free there. Make room, give another --out, or record less: "
        "--history-budget, --history=no.",
        folder.c_str(), bytes_text(needs.disk).c_str(), kCheckpoints,
        bytes_text(needs.checkpoint).c_str(), bytes_text(*free).c_str()));
}

bool text_too_small(Index parameters, Index tokens) {
    return parameters / kTooManyParameters > tokens;
}

}  // namespace zhuyi
