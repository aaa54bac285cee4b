#include "run/report.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/check.h"
#include "cost/run_config.h"
#include "film/history.h"
#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "system/input_file.h"
#include "system/interrupt.h"
#include "system/output.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

constexpr Index kRefresh = 5;  // seconds until the page reloads itself

// A run that has just begun has no history yet, or one without a whole frame.
bool has_frame(const std::string& film) {
    try {
        return !parse_history(read_file(film), film).frames.empty();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

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

void follow_film(const std::string& run, const std::string& with, const std::string& out,
                 Language language) {
    const InterruptListener interrupt;
    const std::string film = RunFolder{run}.history().string();
    const Index steps = read_run_config({run}).train.steps;
    std::uintmax_t seen = 0;  // bytes of the history that the page shows
    std::fputs(
        say({"%s reloads itself; Ctrl-C ends\n", "%s 会自己刷新；Ctrl-C 结束\n"}, printable(out))
            .in(language)
            .c_str(),
        stderr);
    while (!interrupt.requested()) {
        std::error_code none_yet;
        const std::uintmax_t size = std::filesystem::file_size(film, none_yet);
        if (!none_yet && size != seen && (seen > 0 || has_frame(film))) {
            seen = size;
            if (write_film_page(run, with, out, {language, kRefresh}) >= steps) break;
        }
        std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    write_film_page(run, with, out, {language, 0});
}

}  // namespace zhuyi
