#include "train/optimizer.h"

#include <cmath>

#include "kernels/kernels.h"

namespace zhuyi {

double gradient_norm(Parameters& parameters, Workspace& workspace) {
    double sum = 0;  // parameter by parameter in table order: one fixed order of additions
    for (const Parameter& p : parameters.table())
        if (!p.frozen)
            sum += kernels().sum_of_squares(parameters.grad(p).data(), p.shape.size(), workspace);
    return std::sqrt(sum);
}

double clip_scale(double norm, double clip) { return clip > 0 && norm > clip ? clip / norm : 1; }

//     g  = scale · gradient
//     m  = β1 m + (1 - β1) g                 mean of the gradient
//     v  = β2 v + (1 - β2) g²                mean of its square
//     m̂  = m / (1 - β1^step),  v̂ = v / (1 - β2^step)      both start at 0: undo that bias
//     w  = w - η λ w - η m̂ / (√v̂ + ε)
void adamw(Parameters& parameters, const TrainConfig& c, double learning_rate,
           double gradient_scale, Index step) {
    for (const Parameter& p : parameters.table()) {
        if (p.frozen) continue;
        const AdamWStep update{
            learning_rate,  c.beta1, c.beta2, c.epsilon, p.decay ? c.weight_decay : 0,
            gradient_scale, step};
        kernels().adamw(parameters.value(p).data(), parameters.grad(p).data(),
                        parameters.m(p).data(), parameters.v(p).data(), p.shape.size(), update);
    }
}

}  // namespace zhuyi
