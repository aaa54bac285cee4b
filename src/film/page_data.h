// The history of a training as data for its page: one JSON document in which long rows of numbers
// are base64 (page_streams.h).
#pragma once
#include <memory>
#include <string>

#include "film/history.h"
#include "formats/json.h"
#include "model/config.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {

struct Film {
    std::string name;  // of the run's folder
    std::string text;  // path of what it learned from
    GptConfig model;
    TrainConfig train;
    std::unique_ptr<Tokenizer> tokenizer;
    History history;
};

// At most about `most` bytes of JSON: first matrices are shown in fewer frames, then attention in
// 256 levels, then everything in fewer frames. other: a training whose curves are drawn beside; may
// be null.
Json film_data(const Film& film, const Film* other, std::size_t most);

}  // namespace zhuyi
