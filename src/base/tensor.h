// What a tensor is: numbers with a shape. First the legend. These letters mean the same thing in
// every file:
//
//   B  batch: texts side by side          C  channels: length of an embedding (d_model)
//   T  time: positions in a text          H  heads            D  = C / H, head size (d_k)
//   L  blocks ("layers")                  F  width of the FFN, usually 4 C
//   V  vocabulary                         N  = B * T, rows of a batch
//   S  positions with a key: T, and more where earlier keys are kept
//   T_max  the longest text, config.context          d_v  length of a head's value, here D
//
// Two exceptions: a matrix product is C (M, N) = A (M, K) · B (K, N), as everywhere, and in
// attention Q, K, V are the matrices.
//
// Arrays are row-major: the last letter is contiguous. Weights are stored [in, out], so that code
// reads like the paper: Q = X · W_Q.
#pragma once
#include <array>
#include <initializer_list>
#include <span>
#include <string>

#include "base/real.h"

namespace zhuyi {

// Up to four extents, e.g. {B, T, C}. An absent extent counts as 1.
class Shape {
  public:
    Shape() = default;
    Shape(std::initializer_list<Index> extents);

    int rank() const { return rank_; }
    Index operator[](int axis) const { return extents_[std::size_t(axis)]; }
    Index size() const;     // product of all extents; 0 for Shape()
    Index columns() const;  // the last extent
    Index rows() const { return size() == 0 ? 0 : size() / columns(); }
    std::string text() const;  // shape_text of its extents
    bool operator==(const Shape&) const = default;

  private:
    std::array<Index, 4> extents_{1, 1, 1, 1};
    int rank_ = 0;
};

// "[12, 64, 128]": a shape as everything that is printed writes it.
std::string shape_text(std::span<const Index> extents);

class Tape;

// A gradient that exists once somebody adds to it. Until then it counts as zero and may own no
// memory.
struct Gradient {
    Real* data = nullptr;
    Index size = 0;
    bool touched = false;
};

// An array of numbers with a shape: where its values lie, and where its gradient will lie. A Tensor
// is a view: it owns nothing and is copied freely. It is valid until its tape is reset
// (activations) or its Parameters are destroyed (weights).
struct Tensor {
    Real* value = nullptr;
    Gradient* gradient = nullptr;  // null if nobody wants it
    Tape* tape = nullptr;          // null for parameters, which outlive every tape
    Shape shape;

    explicit operator bool() const { return value != nullptr; }
    Index size() const { return shape.size(); }
    Index rows() const { return shape.rows(); }        // N of (N, C)
    Index columns() const { return shape.columns(); }  // C of (N, C)
    In values() const { return {value, std::size_t(size())}; }
};

}  // namespace zhuyi
