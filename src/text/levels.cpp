#include "text/levels.h"

#include "text/corpus.h"
#include "text/floor.h"

namespace zhuyi {

Levels levels_of(const Corpus& corpus, const std::string& data) {
    return {ngram_losses(corpus), floor_of(data, corpus.hash())};
}

}  // namespace zhuyi
