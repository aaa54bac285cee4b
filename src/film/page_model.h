// What the page needs to run the model (page/model.js): its weights at the snapshots, and how a
// text becomes tokens (page/tokenizer.js).
#pragma once
#include "film/page_data.h"

namespace zhuyi {

//     {"steps": [0, 40, …],
//      "logits": [[base64 of f32, one for each sentence]],  of its last position, exact weights
//      "activation": "gelu", "end": 0,
//      "names": [V names], "bytes": [V texts of hexadecimal digits],
//      "merges": [left, right, …],                          of byte pairs, or empty
//      "counts": [V numbers]}                               of the training text
struct PackedModel {
    Json data;  // null where the history has no snapshots
    // One for each step: base64 of bf16, all rows of the parameter table. They stand beside the
    // data, since a browser reads a large text in JSON twice.
    std::vector<std::string> weights;
};

// `most` of the snapshots, spread over the training, the last among them; -1: all.
PackedModel page_model(const Film& film, Index most);

}  // namespace zhuyi
