// The history of a training as data for its page: one JSON document in which long rows of numbers
// are base64 (page_streams.h).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "film/history.h"
#include "film/page_rules.h"
#include "formats/json.h"
#include "model/config.h"
#include "text/tokenizer.h"

namespace zhuyi {

struct Film {
    std::string name;  // of the run's folder
    std::string text;  // path of what it learned from
    GptConfig model;
    struct Training {
        Index steps = 0, batch = 0, accumulate = 1;
        std::string optimizer, freeze;
    } training;
    std::unique_ptr<Tokenizer> tokenizer;
    History history;
    std::optional<Asked> asked = {};  // nothing: it was trained without probes
    Text differs = {};  // of one shown beside: in which options from the film that is played
};

// At most about `most` bytes of JSON: first matrices are shown in fewer frames, then attention in
// 256 levels, then everything in fewer frames. others: trainings that are shown beside.
Json film_data(const Film& film, std::span<const Film> others, std::size_t most);

}  // namespace zhuyi
