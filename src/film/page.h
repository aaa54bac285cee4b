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
};

// At most 10 MB (10^7 bytes).
std::string film_page(const Film& film, const Film* other, const PageWish& wish);

}  // namespace zhuyi
