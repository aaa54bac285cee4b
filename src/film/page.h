// report.html: the film of a training as one page that loads nothing else: styles, program and data
// are within.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/language.h"
#include "film/history.h"
#include "model/config.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "text/tokenizer.h"
#include "train/config.h"

namespace zhuyi {

// The probes of a training, and how they were answered.
struct Asked {
    ProbeFile file;
    ProbeHistory history;
};

struct Film {
    std::string name;  // of the run's folder
    std::string text;  // path of what it learned from
    GptConfig model;
    TrainConfig training;
    std::unique_ptr<Tokenizer> tokenizer;
    History history;
    std::optional<Asked> asked = {};  // nothing if it was trained without probes
    // The training part, as far as the page has it, and beginnings of held-out documents, each with
    // <|endoftext|> behind it; empty where the page has none.
    std::vector<Token> learned = {}, held_out = {};
    Text differs = {};  // of one shown beside: in which options from the film that is played
};

constexpr std::size_t kMostOthers = 5;  // films that are shown beside

struct PageWish {
    Index refresh = 0;  // seconds until it reads itself again; 0 means never
    // How many snapshots of the model it holds. 0 means none, so it cannot run the model; -1 means
    // all there are. With 0 or more it is kept within 8 MB where that is possible: matrices in
    // fewer frames.
    Index snapshots = -1;
};

// At most 8 MB (8 · 10^6 bytes), and what the snapshots take (about 12 bits a weight).
std::string film_page(const Film& film, std::span<const Film> others, const PageWish& wish);

// What fills such a page, one part a line, the largest first.
std::string page_sizes(std::string_view page);

}  // namespace zhuyi
