// report.html: the film of a run as one page that asks nobody for anything: styles, program and data
// are within.
#pragma once
#include <string>

#include "base/language.h"
#include "report/film_data.h"

namespace zhuyi {

struct PageWish {
    Language language = Language::chinese;  // it opens in; the reader can switch
    Index refresh = 0;                      // seconds until it reads itself again; 0: never
};

// At most 10 MB (10^7 bytes).
std::string film_page(const Film& film, const Film* other, const PageWish& wish);

// From run folders to a file: `with` is the folder of a run to draw beside, or empty. Gives the last
// step filmed.
Index write_film_page(const std::string& run, const std::string& with, const std::string& out,
                      const PageWish& wish);

}  // namespace zhuyi
