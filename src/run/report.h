// The film of a run folder: its history, and the page that plays it.
#pragma once
#include <string>
#include <utility>

#include "film/history.h"

namespace zhuyi {

struct Film;
struct PageWish;
struct RunFolder;

// Returns the history of a run. Where a part of what was recorded cannot be read, the history ends
// before it, and the second is a line for a person; else that is empty.
std::pair<History, std::string> read_history_of(const RunFolder& folder, Index vocabulary);

// Throws Error when the folder is no run or has no history. `damage` gets a line for each file that
// could not be read to its end.
Film load_film(const std::string& path, std::string& damage);

struct WrittenPage {
    Index step;         // of the last frame
    std::string lacks;  // a line for a person where the text could not be put in; else empty
};

// Writes the page of the run folder `run` to the file `out`. `with`: the folders of other runs that
// are shown beside, at most kMostOthers, with commas between them; or empty.
WrittenPage write_film_page(const std::string& run, const std::string& with, const std::string& out,
                            const PageWish& wish);

// While a training goes on: writes the page again whenever the history has grown; the page reloads
// itself. Ends after the last step, or when Ctrl-C is pressed.
void follow_film(const std::string& run, const std::string& with, const std::string& out);

}  // namespace zhuyi
