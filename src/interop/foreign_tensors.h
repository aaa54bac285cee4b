// Our parameters under the names of other programs. Hugging Face and llama.cpp keep W_Q, W_K and
// W_V of a block in one matrix, side by side, and their biases in one vector; every other tensor is
// one of ours.
#pragma once
#include <string>
#include <vector>

#include "model/config.h"
#include "model/loaded_model.h"

namespace zhuyi {

struct ForeignTensor {
    std::string hugging_face;  // without "transformer.", which comes before all but lm_head.weight
    std::string llama_cpp;
    std::vector<std::string> sources;  // names in our table; several lie side by side
    Index rows, columns;               // of all of them together; rows 0: a vector
    // A matrix [in, out] of a linear map. llama.cpp keeps it as [out, in]; Hugging Face's GPT-2
    // keeps it as we do, except the head.
    bool linear = false;
};

// In the order of the forward pass. The positions are always among them: other programs know sines
// and cosines as a table only.
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
