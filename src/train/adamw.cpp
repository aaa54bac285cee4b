#include "train/adamw.h"

namespace zhuyi {

AdamWStep AdamW::numbers(const TrainConfig& c, const Parameter& row, const UpdateStep& step) {
    return {step.learning_rate,  c.beta1,  c.beta2, c.epsilon, row.decay ? c.weight_decay : 0,
            step.gradient_scale, step.step};
}

void AdamW::update(std::span<const RowUpdate> rows, const UpdateStep& step) {
    for (const RowUpdate& u : rows)
        kernels().adamw(u.value.data(), u.gradient.data(), u.state[0].data(), u.state[1].data(),
                        u.row.shape.size(), numbers(config_, u.row, step));
}

}  // namespace zhuyi
