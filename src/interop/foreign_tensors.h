// Our parameters under the names of others. Hugging Face and llama.cpp keep W_Q, W_K and W_V of a block in one
// matrix, side by side, and so do their biases; everything else is one for one.
#pragma once
#include <string>
#include <vector>

#include "model/config.h"
#include "model/loaded_model.h"

namespace zhuyi {

struct ForeignTensor {
    std::string hugging_face;  // behind "transformer."; lm_head.weight has nothing in front
    std::string llama_cpp;
    std::vector<std::string> sources;  // rows of our table; several stand side by side
    Index rows, columns;               // of all of them together; rows 0: a vector
    // [in, out] of a linear map: llama.cpp keeps it as [out, in]. Hugging Face's GPT-2 keeps ours, but for the head.
    bool linear = false;
};

// In the order of the forward pass; the positions are there even when they are sines and cosines, which
// others only know as a table.
std::vector<ForeignTensor> foreign_tensors(const GptConfig& config);

// The values of a row of our table, or of the positions.
In values_of(const LoadedModel& run, const std::string& source);

// All sources of a tensor, row-major (rows, columns).
std::vector<Real> joined(const LoadedModel& run, const ForeignTensor& tensor);

// values[r][c] -> [c][r]
template <class T>
std::vector<T> transposed(const std::vector<T>& values, Index rows, Index columns) {
    std::vector<T> turned(values.size());
    for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns; ++c)
            turned[std::size_t(c * rows + r)] = values[std::size_t(r * columns + c)];
    return turned;
}

}  // namespace zhuyi
