#include "ops/linear.h"

#include "autograd/tape.h"
#include "base/check.h"
#include "kernels/kernels.h"

namespace zhuyi {
static Matrix row_major(const Real* data, Index columns) { return {data, columns, 1}; }
static Matrix transposed(const Real* data, Index columns) { return {data, 1, columns}; }

// The same shape with another last extent: (B, T, in) -> (B, T, out)
static Shape with_columns(const Shape& shape, Index columns) {
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

static void check_shapes(const Tensor& x, const Affine& map) {
    require(map.W.rows() == x.columns(), "linear: W needs as many rows as x has columns");
    require(!map.b || map.b.size() == map.W.columns(),
            "linear: b needs one element for each column of W");
}

// C (M, N) = [C +] A (M, K) · B (K, N) [+ bias], without a gap between the rows of C.
static Gemm product(const Tape& tape, Index M, Index N, Index K, Matrix A, Matrix B, Destination C,
                    const Real* bias = nullptr) {
    return {.M = M,
            .N = N,
            .K = K,
            .A = A,
            .B = B,
            .C = C,
            .stride = N,
            .bias = bias,
            .precision = tape.precision()};
}

// N rows, in columns of x and out columns of y:
//
//     y (N, out) = x (N, in) · W (in, out) + b
static Gemm forward(const Tensor& x, const Affine& map, const Tensor& y) {
    const Index N = x.rows(), in = x.columns(), out = y.columns();
    return product(*x.tape, N, out, in, row_major(x.value, in), row_major(map.W.value, out),
                   {y.value, false}, map.b.value);
}

//     dx += dy · Wᵀ
static Gemm to_input(const Tensor& x, const Affine& map, const Real* dy, Destination dx) {
    const Index N = x.rows(), in = x.columns(), out = map.W.columns();
    return product(*x.tape, N, in, out, row_major(dy, out), transposed(map.W.value, out), dx);
}

//     dW += xᵀ · dy
static Gemm to_weights(const Tensor& x, const Affine& map, const Real* dy, Destination dW) {
    const Index N = x.rows(), in = x.columns(), out = map.W.columns();
    return product(*x.tape, in, out, N, transposed(x.value, in), row_major(dy, out), dW);
}

// All three: dx, dW and  db += Σ_rows dy.  A gradient that nobody wants is left out.
static void backward(Tape& t, const Tensor& x, const Affine& map, const Real* dy) {
    if (const Destination dx = t.into(x)) kernels().gemm(to_input(x, map, dy, dx), t.workspace());
    if (const Destination dW = t.into(map.W))
        kernels().gemm(to_weights(x, map, dy, dW), t.workspace());
    if (const Destination db = t.into(map.b)) kernels().sum_rows(db, dy, x.rows(), map.W.columns());
}

Tensor linear(const Tensor& x, const Affine& map) {
    check_shapes(x, map);
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(with_columns(x.shape, map.W.columns()));
    kernels().gemm(forward(x, map, y), tape.workspace());

    tape.record("linear", {y}, [=](Tape& t) { backward(t, x, map, t.gradient(y)); });
    return y;
}

// Three products of one x, and three that add to one dx.
std::array<Tensor, 3> linear(const Tensor& x, const std::array<Affine, 3>& maps) {
    Tape& tape = *x.tape;
    std::array<Tensor, 3> y;
    std::array<Gemm, 3> products;
    for (std::size_t i = 0; i < 3; ++i) {
        check_shapes(x, maps[i]);
        y[i] = tape.tensor(with_columns(x.shape, maps[i].W.columns()));
        products[i] = forward(x, maps[i], y[i]);
    }
    kernels().gemms(products.data(), 3, tape.workspace());

    tape.record("linear", {y[0], y[1], y[2]}, [=](Tape& t) {
        std::array<Gemm, 3> to_x, to_W;
        for (std::size_t i = 0; i < 3; ++i) {
            const Real* dy = t.gradient(y[i]);
            to_x[i] = to_input(x, maps[i], dy, t.into(x));
            to_W[i] = to_weights(x, maps[i], dy, t.into(maps[i].W));
            if (const Destination db = t.into(maps[i].b))
                kernels().sum_rows(db, dy, x.rows(), y[i].columns());
        }
        kernels().gemms(to_x.data(), 3, t.workspace());
        kernels().gemms(to_W.data(), 3, t.workspace());
    });
    return y;
}

// y = gelu(h),  dh = dy gelu'(h)  with the slope gelu'(h) that forward has kept.
//
// An exception to "backward adds": dh overwrites dy, the gradient of this op's own output. dy is
// complete when this runs, and its memory is given back right afterwards: nobody reads it again.
Tensor gelu_of_linear(const Tensor& x, const Affine& map, Activation form) {
    Tape& tape = *x.tape;
    if (form != Activation::gelu_new || tape.watched("hidden"))
        return gelu(tape.name("hidden", linear(x, map)), form);
    check_shapes(x, map);
    const Tensor y = tape.tensor(with_columns(x.shape, map.W.columns()));
    Real* slope = tape.recording() ? tape.memory().array<Real>(y.size()).data() : nullptr;
    Gemm with_gelu = forward(x, map, y);
    with_gelu.finish = Finish::gelu, with_gelu.slope = slope;
    kernels().gemm(with_gelu, tape.workspace());

    tape.record("gelu_of_linear", {y}, [=](Tape& t) {
        Real* dh = t.into_zeroed(y).data;  // holds dy, in memory that no other tensor shares
        kernels().multiply({dh, false}, dh, slope, y.size());
        backward(t, x, map, dh);
    });
    return y;
}

// y = x · Eᵀ        dx += dy · E        dE += dyᵀ · x
Tensor unembedding(const Tensor& x, const Tensor& E) {
    const Index N = x.rows(), C = x.columns(), V = E.rows();
    require(E.columns() == C, "unembedding: rows of E are as long as rows of x");
    Tape& tape = *x.tape;
    const Tensor y = tape.tensor(with_columns(x.shape, V));
    kernels().gemm(
        product(tape, N, V, C, row_major(x.value, C), transposed(E.value, C), {y.value, false}),
        tape.workspace());

    tape.record("unembedding", {y}, [=](Tape& t) {
        const Real* dy = t.gradient(y);
        if (const Destination dx = t.into(x))
            kernels().gemm(product(t, N, C, V, row_major(dy, V), row_major(E.value, C), dx),
                           t.workspace());
        if (const Destination dE = t.into(E))
            kernels().gemm(product(t, V, C, N, transposed(dy, V), row_major(x.value, C), dE),
                           t.workspace());
    });
    return y;
}

}  // namespace zhuyi
