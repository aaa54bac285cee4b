// report.html: the film of a training as one page that loads nothing else: styles, program and data
// are within.
#pragma once
#include <string>

#include "base/language.h"
#include "film/page_data.h"

namespace zhuyi {

struct PageWish {
    Language language = Language::chinese;  // it opens in; the reader can switch
    Index refresh = 0;                      // seconds until it reads itself again; 0: never
    // How many snapshots of the model it holds. 0: none, so it cannot run the model. -1: all there
    // are. With 0 or more it is kept within 8 MB where that is possible: matrices in fewer frames.
    Index snapshots = -1;
};

// At most 10 MB (10^7 bytes), and 4 bytes for each 3 of the snapshots.
std::string film_page(const Film& film, std::span<const Film> others, const PageWish& wish);

}  // namespace zhuyi
