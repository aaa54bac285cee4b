// Is the backward of an op the derivative of its forward? Every element of every input is changed
// by ±h, and the change of a random combination of all outputs is compared with the gradient that
// backward gives, sign included.
//
// A central difference with step h has an error of h² (curvature) plus rounding / h. In double that
// is about 1e-10 for h = 1e-5. In float h must be larger and two digits are right: enough to find a
// wrong sign, too few to find a small wrong term, for which there is the double build.
#pragma once
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/tape.h"

namespace zhuyi {
inline namespace support {

constexpr bool kDouble = std::is_same_v<Real, double>;
constexpr double kDifference = kDouble ? 1e-5 : 3e-3;     // h
constexpr double kGradientLimit = kDouble ? 1e-7 : 0.03;  // a right op is nearer than this

// A tensor that owns its memory: an input or a parameter of a test.
class Leaf {
  public:
    // Values drawn from a normal distribution; another seed, other values.
    Leaf(Shape shape, std::uint64_t seed, double deviation = 1);
    Leaf(Shape shape, std::vector<Real> values);
    Leaf(Leaf&&) = delete;

    Tensor tensor(Tape& tape);
    std::vector<Real> value, grad;
    void forget() { gradient_.touched = false; }
    bool touched() const { return gradient_.touched; }

  private:
    Shape shape_;
    Gradient gradient_;
};

// loss = Σ weight_i y_i, with weights drawn from the seed. An op for tests only, recorded as any
// op.
Tensor weighted_sum(const Tensor& y, std::uint64_t seed);

struct GradcheckResult {
    double worst = 0;   // largest |analytic - numeric| / max(1, |numeric|)
    std::string where;  // "input 1, element 7: analytic 0.25, numeric 0.5"
};

using OpUnderTest = std::function<Tensor(Tape&, const std::vector<Tensor>&)>;

GradcheckResult gradcheck(const OpUnderTest& op, const std::vector<Leaf*>& inputs);

// Runs op once, forward and backward from the random combination; the gradients are in the leaves.
// Gives the output.
std::vector<Real> run_once(const OpUnderTest& op, const std::vector<Leaf*>& inputs,
                           bool backward = true);

}  // namespace support
}  // namespace zhuyi
