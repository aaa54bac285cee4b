// All kernels of one instruction set. The Makefile compiles this file once for each, with that
// set's flags and its name in ZHUYI_INSTRUCTION_SET; kernels.cpp picks one of the tables. With
// AVX512_BF16 only the products differ from those of AVX-512, so only they are compiled again.
#include "kernels/gemms.h"
#if !defined(__AVX512BF16__)
#    include "kernels/attention_backward.h"
#    include "kernels/cross_entropy.h"
#    include "kernels/elementwise.h"
#    include "kernels/embedding.h"
#    include "kernels/gelu.h"
#    include "kernels/gelu_erf.h"
#    include "kernels/layer_norm.h"
#    include "kernels/orthogonal.h"
#    include "kernels/peak.h"
#    include "kernels/rotary.h"
#    include "kernels/sums.h"
#endif

#define ZHUYI_TEXT_OF(name) #name
#define ZHUYI_TEXT(name) ZHUYI_TEXT_OF(name)

namespace zhuyi::ZHUYI_INSTRUCTION_SET {

extern const Kernels table;
#if defined(__AVX512BF16__)
const Kernels table = [] {
    Kernels products{};
    products.name = ZHUYI_TEXT(ZHUYI_INSTRUCTION_SET);
    products.gemm = gemm;
    products.gemms = gemms;
    return products;
}();
#else
const Kernels table = {
    .name = ZHUYI_TEXT(ZHUYI_INSTRUCTION_SET),
    .gemm = gemm,
    .gemms = gemms,
    .lay_in_strips = lay_in_strips,
    .strips_bytes = strips_bytes,
    .layer_norm_forward = layer_norm_forward,
    .layer_norm_backward = layer_norm_backward,
    .sum_rows = sum_rows,
    .gelu_forward = gelu_forward,
    .gelu_backward = gelu_backward,
    .gelu_erf_forward = gelu_erf_forward,
    .gelu_erf_backward = gelu_erf_backward,
    .add = add,
    .multiply = multiply,
    .accumulate = accumulate,
    .dropout = dropout,
    .attention_forward = attention_forward,
    .attention_backward = attention_backward,
    .embedding_forward = embedding_forward,
    .embedding_backward = embedding_backward,
    .rotary = rotary,
    .cross_entropy_forward = cross_entropy_forward,
    .cross_entropy_backward = cross_entropy_backward,
    .sum_of_squares = sum_of_squares,
    .adamw = adamw,
    .momentum = momentum,
    .orthogonalise = orthogonalise,
    .orthogonalise_numbers = orthogonalise_numbers,
    .descend = descend,
    .fma_rounds = fma_rounds,
};
#endif

}  // namespace zhuyi::ZHUYI_INSTRUCTION_SET
