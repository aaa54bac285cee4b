#include "ops/linear.h"

#include "base/check.h"

namespace zhuyi {
namespace {

Matrix row_major(const Real* data, Index columns) { return {data, columns, 1}; }
Matrix transposed(const Real* data, Index columns) { return {data, 1, columns}; }

// A like shape with another last extent: (B, T, in) -> (B, T, out)
Shape with_columns(const Shape& shape, Index columns) {
    switch (shape.rank()) {
        case 1:
            return {columns};
        case 2:
            return {shape[0], columns};
        case 3:
            return {shape[0], shape[1], columns};
        default:
            return {shape[0], shape[1], shape[2], columns};
    }
}

}  // namespace

// N rows:   y (N, out) = x (N, in) · W (in, out) + b
//           dx += dy · Wᵀ
//           dW += xᵀ · dy
//           db += Σ_rows dy
Tensor linear(const Tensor& x, const Affine& map) {
    const Tensor W = map.W, b = map.b;
    const Index N = x.rows(), in = x.columns(), out = W.columns();
    require(W.rows() == in, "linear: W needs as many rows as x has columns");
    require(!b || b.size() == out, "linear: b needs one element for each column of W");
    Tape& tape = *x.tape;
    const Precision precision = tape.precision();
    const Tensor y = tape.tensor(with_columns(x.shape, out));
    kernels().gemm({N,
                    out,
                    in,
                    row_major(x.value, in),
                    row_major(W.value, out),
                    {y.value, false},
                    out,
                    b.value,
                    precision},
                   tape.workspace());

    tape.record("linear", {y}, [=](Tape& t) {
        const Real* dy = t.gradient(y);
        if (const Sum dx = t.into(x))
            kernels().gemm({N, in, out, row_major(dy, out), transposed(W.value, out), dx, in,
                            nullptr, precision},
                           t.workspace());
        if (const Sum dW = t.into(W))
            kernels().gemm({in, out, N, transposed(x.value, in), row_major(dy, out), dW, out,
                            nullptr, precision},
                           t.workspace());
        if (const Sum db = t.into(b)) kernels().sum_rows(db, dy, N, out);
    });
    return y;
}

std::array<Tensor, 3> linear(const Tensor& x, const std::array<Affine, 3>& maps) {
    return {linear(x, maps[0]), linear(x, maps[1]), linear(x, maps[2])};
}

// y = x · Eᵀ        dx += dy · E        dE += dyᵀ · x
Tensor unembedding(const Tensor& x, const Tensor& E) {
    const Index N = x.rows(), C = x.columns(), V = E.rows();
    require(E.columns() == C, "unembedding: rows of E are as long as rows of x");
    Tape& tape = *x.tape;
    const Precision precision = tape.precision();
    const Tensor y = tape.tensor(with_columns(x.shape, V));
    kernels().gemm({N,
                    V,
                    C,
                    row_major(x.value, C),
                    transposed(E.value, C),
                    {y.value, false},
                    V,
                    nullptr,
                    precision},
                   tape.workspace());

    tape.record("unembedding", {y}, [=](Tape& t) {
        const Real* dy = t.gradient(y);
        if (const Sum dx = t.into(x))
            kernels().gemm(
                {N, C, V, row_major(dy, V), row_major(E.value, C), dx, C, nullptr, precision},
                t.workspace());
        if (const Sum dE = t.into(E))
            kernels().gemm(
                {V, C, N, transposed(dy, V), row_major(x.value, C), dE, C, nullptr, precision},
                t.workspace());
    });
    return y;
}

}  // namespace zhuyi
