// Our parameters as other programs keep them: their names, and how their numbers lie. A model with
// rotary positions goes out as GPT-NeoX (whose blocks are ours when use_parallel_residual is
// false), any other as GPT-2. Both keep W_Q, W_K and W_V of a block in one matrix, and their biases
// in one vector; every other tensor is one of ours.
#pragma once
#include <string>
#include <vector>

#include "base/list.h"
#include "model/config.h"
#include "model/loaded_model.h"

namespace zhuyi {

enum class Program { hugging_face, llama_cpp };

struct ForeignTensor {
    std::string name;           // there
    List<std::string> sources;  // names in our table, which lie side by side; none for zeros
    Index rows, columns;        // of all of them together, as we keep it; a vector has 0 rows
    bool transposed;            // a matrix [in, out] of a linear map, there [out, in]
    // Columns of Q that lie together before the same number of K and of V follow: all of them, but
    // in Hugging Face's GPT-NeoX those of one head (its columns lie [H, 3, D]).
    Index together;

    std::vector<Index> shape() const;  // there
    Index height() const { return rows ? rows : 1; }
    Index size() const { return height() * columns; }

    // Of a tensor of one source: where the number that stands at `at` there stands here.
    Index index_here(Index at) const {
        return transposed ? at % height() * columns + at / height() : at;
    }

    // body(part, i, at): number i of sources[part] stands at `at` there.
    template <class Body>
    void for_each_number(const Body& body) const {
        if (sources.empty()) return;
        const Index parts = sources.count(), width = columns / parts;
        for (Index part = 0; part < parts; ++part)
            for (Index c = 0; c < width; ++c) {
                const Index column = (c / together * parts + part) * together + c % together;
                for (Index r = 0; r < height(); ++r)
                    body(part, r * width + c,
                         transposed ? column * height() + r : r * columns + column);
            }
    }
};

// In the order of the forward pass. A table of positions is among them unless positions are rotary:
// other programs know sines and cosines only as a table, and a model without positions goes out
// with a table of zeros.
std::vector<ForeignTensor> foreign_tensors(const GptConfig& config, Program program);

// The name of the output layer at Hugging Face. Some models save it although it is tied.
const char* head_name(const GptConfig& config);

using Values = View<const Real>;
// The values of a row of our table, or of the positions.
Values values_of(const LoadedModel& run, const std::string& source);

// The numbers of each source as they lie here.
List<Values> source_values(const LoadedModel& run, const ForeignTensor& tensor);
// The tensor as it lies there.
List<Real> foreign_values(const LoadedModel& run, const ForeignTensor& tensor);

}  // namespace zhuyi
