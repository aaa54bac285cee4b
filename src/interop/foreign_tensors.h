// Our parameters as other programs keep them: their names, and how their numbers lie. A model with
// rotary positions goes out as GPT-NeoX (whose blocks are ours when use_parallel_residual is
// false), any other as GPT-2. Both keep W_Q, W_K and W_V of a block in one matrix, and
// their biases in one vector; every other tensor is one of ours.
#pragma once
#include <string>
#include <vector>

#include "model/config.h"
#include "model/loaded_model.h"

namespace zhuyi {

enum class Program { hugging_face, llama_cpp };

struct ForeignTensor {
    std::string name;                  // there
    std::vector<std::string> sources;  // names in our table; several lie side by side. None: zeros
    Index rows, columns;               // of all of them together, as we keep it; rows 0: a vector
    bool transposed;                   // a matrix [in, out] of a linear map, there [out, in]
    // So many columns of Q, then so many of K and of V, and again. All of them; but Hugging Face's
    // GPT-NeoX goes head by head, its columns lie [H, 3, D].
    Index together;

    std::vector<Index> shape() const;  // there
    Index size() const { return (rows ? rows : 1) * columns; }

    // Of a tensor of one source: the place here of the number that stands at `at` there.
    Index index_here(Index at) const {
        const Index height = rows ? rows : 1;
        return transposed ? at % height * columns + at / height : at;
    }

    // body(part, i, at): number i of sources[part] stands at `at` there.
    template <class Body>
    void for_each_number(const Body& body) const {
        if (sources.empty()) return;
        const auto parts = Index(sources.size());
        const Index width = columns / parts, height = rows ? rows : 1;
        for (Index part = 0; part < parts; ++part)
            for (Index c = 0; c < width; ++c) {
                const Index column = (c / together * parts + part) * together + c % together;
                for (Index r = 0; r < height; ++r)
                    body(part, r * width + c,
                         transposed ? column * height + r : r * columns + column);
            }
    }
};

// In the order of the forward pass. A position table is among them unless positions are rotary:
// other programs know sines and cosines as a table only, and where nothing says where a token
// stands, a table of zeros says it.
std::vector<ForeignTensor> foreign_tensors(const GptConfig& config, Program program);

// Of the output layer at Hugging Face. Some save it although it is tied.
const char* head_name(const GptConfig& config);

// The values of a row of our table, or of the positions.
In values_of(const LoadedModel& run, const std::string& source);

// The numbers of each source, as they lie here.
std::vector<In> source_values(const LoadedModel& run, const ForeignTensor& tensor);
// The tensor as it lies there.
std::vector<Real> foreign_values(const LoadedModel& run, const ForeignTensor& tensor);

}  // namespace zhuyi
