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

void check_shapes(const Tensor& x, const Affine& map) {
    require(map.W.rows() == x.columns(), "linear: W needs as many rows as x has columns");
    require(!map.b || map.b.size() == map.W.columns(),
            "linear: b needs one element for each column of W");
}

// N rows, in columns of x and out columns of y:
//
//     y (N, out) = x (N, in) · W (in, out) + b
Gemm forward(const Tensor& x, const Affine& map, const Tensor& y) {
    const Index in = x.columns(), out = y.columns();
    return {x.rows(),         out, in,          row_major(x.value, in), row_major(map.W.value, out),
            {y.value, false}, out, map.b.value, x.tape->precision()};
}

//     dx += dy · Wᵀ
Gemm to_input(const Tensor& x, const Affine& map, const Real* dy, Sum dx) {
    const Index in = x.columns(), out = map.W.columns();
    return {x.rows(), in, out,     row_major(dy, out), transposed(map.W.value, out),
            dx,       in, nullptr, x.tape->precision()};
}

//     dW += xᵀ · dy
Gemm to_weights(const Tensor& x, const Affine& map, const Real* dy, Sum dW) {
    const Index in = x.columns(), out = map.W.columns();
    return {in, out, x.rows(), transposed(x.value, in), row_major(dy, out),
            dW, out, nullptr,  x.tape->precision()};
}

//     db += Σ_rows dy
void backward(Tape& t, const Tensor& x, const Affine& map, const Real* dy) {
    if (const Sum dx = t.into(x)) kernels().gemm(to_input(x, map, dy, dx), t.workspace());
    if (const Sum dW = t.into(map.W)) kernels().gemm(to_weights(x, map, dy, dW), t.workspace());
    if (const Sum db = t.into(map.b)) kernels().sum_rows(db, dy, x.rows(), map.W.columns());
}

}  // namespace

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
            if (const Sum db = t.into(maps[i].b))
                kernels().sum_rows(db, dy, x.rows(), y[i].columns());
        }
        kernels().gemms(to_x.data(), 3, t.workspace());
        kernels().gemms(to_W.data(), 3, t.workspace());
    });
    return y;
}

// y = gelu(h),  dh = dy gelu'(h)  with the slope gelu'(h) that forward has left
Tensor gelu_of_linear(const Tensor& x, const Affine& map, Activation form) {
    Tape& tape = *x.tape;
    if (form != Activation::gelu_new || tape.watched("hidden"))
        return gelu(tape.name("hidden", linear(x, map)), form);
    check_shapes(x, map);
    const Tensor y = tape.tensor(with_columns(x.shape, map.W.columns()));
    Real* slope = tape.recording() ? tape.keep<Real>(y.size()).data() : nullptr;
    Gemm product = forward(x, map, y);
    product.finish = Finish::gelu, product.slope = slope;
    kernels().gemm(product, tape.workspace());

    tape.record("gelu_of_linear", {y}, [=](Tape& t) {
        const Sum dy = t.into_zeroed(y);  // complete, and nobody's any more: dh takes its place
        kernels().multiply({dy.data, false}, dy.data, slope, y.size());
        backward(t, x, map, dy.data);
    });
    return y;
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
