// The film of a run folder, written as one page.
#pragma once
#include <string>

#include "film/page.h"

namespace zhuyi {

// Throws Error when the folder is no run or has no film.
Film load_film(const std::string& path);

// From run folders to a file: `with` is the folder of a run to draw beside, or empty. Gives the
// last step filmed.
Index write_film_page(const std::string& run, const std::string& with, const std::string& out,
                      const PageWish& wish);

// Beside a training that goes on: writes the page again whenever the film has grown; the page
// reloads itself. Ends with the last step, or when Ctrl-C is pressed.
void follow_film(const std::string& run, const std::string& with, const std::string& out,
                 Language language);

}  // namespace zhuyi
