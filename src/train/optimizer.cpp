#include "train/optimizer.h"

#include <cmath>

#include "kernels/kernels.h"
#include "train/adamw.h"

namespace zhuyi {

double gradient_norm(Parameters& parameters, Workspace& workspace) {
    double sum = 0;  // parameter by parameter in table order: one fixed order of additions
    for (const Parameter& p : parameters.table())
        if (!p.frozen)
            sum += kernels().sum_of_squares(parameters.grad(p).data(), p.shape.size(), workspace);
    return std::sqrt(sum);
}

double clip_scale(double norm, double clip) { return clip > 0 && norm > clip ? clip / norm : 1; }

namespace {

UpdateSize size_of_update(In before, In after) {
    double moved = 0, length = 0;  // sums of squares
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double w = double(before[i]), way = double(after[i]) - w;
        moved += way * way;
        length += w * w;
    }
    return {std::sqrt(moved), std::sqrt(length)};
}

}  // namespace

void Optimizer::update(Parameters& parameters, const UpdateStep& step) {
    if (measure_) sizes_.assign(parameters.table().size(), {});
    for (std::size_t row = 0; row < parameters.table().size(); ++row) {
        const Parameter& p = parameters.table()[row];
        if (p.frozen) continue;
        const Out values = parameters.value(p);
        if (measure_) before_.assign(values.begin(), values.end());
        update_row(parameters, p, step);
        if (measure_) sizes_[row] = size_of_update(before_, values);
    }
    measure_ = false;
}

std::unique_ptr<Optimizer> make_optimizer(const std::vector<Parameter>& table,
                                          const TrainConfig& config) {
    return std::make_unique<AdamW>(table, config);
}

std::vector<std::string> optimizer_state_names(const Parameter& row) {
    return AdamW::state_names(row);
}

Index optimizer_state_length(const std::vector<Parameter>& table) {
    return AdamW::state_length(table);
}

}  // namespace zhuyi
