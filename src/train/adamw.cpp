#include "train/adamw.h"

#include <cstring>

namespace zhuyi {

AdamW::AdamW(const std::vector<Parameter>& table, const TrainConfig& config) : config_(config) {
    const std::size_t bytes = std::size_t(buffer_length(table)) * sizeof(Real);
    for (AlignedBytes* buffer : {&m_, &v_}) {
        *buffer = allocate_aligned(bytes);
        std::memset(buffer->get(), 0, bytes);
    }
}

std::vector<std::string> AdamW::state_names(const Parameter& row) {
    if (row.frozen) return {};
    return {"adam.m." + row.name, "adam.v." + row.name};
}

std::vector<Optimizer::State> AdamW::state_of(const Parameter& row) {
    const std::vector<std::string> names = state_names(row);
    if (names.empty()) return {};
    return {{names[0], slice(m_, row)}, {names[1], slice(v_, row)}};
}

AdamWStep AdamW::numbers(const TrainConfig& c, const Parameter& row, const UpdateStep& step) {
    return {step.learning_rate,  c.beta1,  c.beta2, c.epsilon, row.decay ? c.weight_decay : 0,
            step.gradient_scale, step.step};
}

void AdamW::update_row(Parameters& parameters, const Parameter& row, const UpdateStep& step) {
    kernels().adamw(parameters.value(row).data(), parameters.grad(row).data(),
                    slice(m_, row).data(), slice(v_, row).data(), row.shape.size(),
                    numbers(config_, row, step));
}

Out AdamW::slice(const AlignedBytes& buffer, const Parameter& row) const {
    return {reinterpret_cast<Real*>(buffer.get()) + row.offset, std::size_t(row.shape.size())};
}

}  // namespace zhuyi
