// An array of numbers with a shape: where its values lie, and where its gradient will lie. A Tensor
// is a view: it owns nothing and is copied freely. It is valid until its tape is reset
// (activations) or its Parameters are destroyed (weights).
#pragma once
#include "base/real.h"
#include "base/shape.h"

namespace zhuyi {

class Tape;

// A gradient that exists once somebody adds to it. Until then it counts as zero and may own no
// memory.
struct Gradient {
    Real* data = nullptr;
    Index size = 0;
    bool touched = false;
};

struct Tensor {
    Real* value = nullptr;
    Gradient* gradient = nullptr;  // null: nobody wants it
    Tape* tape = nullptr;          // null for parameters: they outlive every tape
    Shape shape;

    explicit operator bool() const { return value != nullptr; }
    Index size() const { return shape.size(); }
    Index rows() const { return shape.rows(); }        // N of (N, C)
    Index columns() const { return shape.columns(); }  // C of (N, C)
    In values() const { return {value, std::size_t(size())}; }
};

}  // namespace zhuyi
