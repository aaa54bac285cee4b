// The film of a run as data for its page: one JSON document in which long rows of numbers are base64.
//
//     {"type": "i8" | "u8" | "i16" | "u16" | "u32" | "i32" | "f32", "scale": s, "data": "…"}
//
// stands for an array whose element i is s times the little-endian number i.
#pragma once
#include <memory>
#include <string>

#include "formats/json.h"
#include "observe/history.h"
#include "text/tokenizer.h"
#include "train/run_folder.h"

namespace zhuyi {

struct Film {
    std::string name;  // of the run's folder
    RunConfig config;
    std::unique_ptr<Tokenizer> tokenizer;
    History history;
};

// Throws Error when the folder is no run or has no film.
Film load_film(const std::string& path);

// At most about `most` bytes of JSON: first matrices are shown in fewer frames, then attention in 256
// levels, then everything in fewer frames. other: a run whose curves are drawn beside; may be null.
Json film_data(const Film& film, const Film* other, std::size_t most);

}  // namespace zhuyi
