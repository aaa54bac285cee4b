#include "run/report.h"

#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "text/vocabulary.h"

namespace zhuyi {

Film load_film(const std::string& path) {
    const RunFolder folder{path};
    const RunConfig config = read_run_config(folder);
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(path);
    History history = read_history(folder.history().string(), tokenizer->size());
    return {std::filesystem::weakly_canonical(folder.path).filename().string(),
            config.text.data,
            config.model,
            config.train,
            std::move(tokenizer),
            std::move(history)};
}

Index write_film_page(const std::string& run, const std::string& with, const std::string& out,
                      const PageWish& wish) {
    const Film film = load_film(run);
    std::unique_ptr<Film> other;
    if (!with.empty()) other = std::make_unique<Film>(load_film(with));
    write_file(out, film_page(film, other.get(), wish));
    return film.history.frames.back().step;
}

}  // namespace zhuyi
