#include "run/report.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "cost/plan.h"
#include "film/page.h"
#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

// A training that goes on, or was killed, leaves half a record at the end, and all that its last
// checkpoint knows of stands before. What is shorter than that is damaged.
std::pair<History, std::string> read_history_of(const RunFolder& folder, Index vocabulary) {
    const std::string path = folder.history();
    History history = read_history(path, vocabulary);
    std::error_code ignored;
    const auto whole = Index(fs::file_size(folder.history(), ignored)) - history.dropped;
    const std::optional<Checkpoint> newest = newest_header(folder);
    Index known = newest ? 0 : whole + history.dropped;
    if (newest && newest->listeners.contains("history"))
        known = parse_integer(newest->listeners.at("history").substr(
                                  0, newest->listeners.at("history").find(' ')))
                    .value_or(0);
    std::string damage;
    if (whole < known)
        damage = say(
            {"zhuyi: warning: %1$s is damaged: after the frame of step %2$td, %3$td bytes "
             "cannot be read, and what was recorded there is not shown. `zhuyi verify "
             "%4$s` says what can still be used.\n",
             "zhuyi：警告：%1$s 已损坏：第 %2$td 步那一帧之后有 %3$td "
             "字节读不出来，那里的记录不会显示。`zhuyi verify %4$s` 会说明还有哪些可用。\n"},
            printable(path), history.frames.back().step, known - whole, shell_word(folder.path));
    return {std::move(history), damage};
}

constexpr Index kRefresh = 5;  // seconds until the page reloads itself

// A run that has just begun has no history yet, or one without a whole frame.
static bool has_frame(const std::string& film) {
    try {
        return !parse_history(read_file(film), film).frames.empty();
    } catch (const Error&) {
        return false;
    }
}

static std::optional<Asked> asked_in(const RunFolder& folder, std::string& damage) try {
    if (!fs::exists(folder.probes()) || !fs::exists(folder.probe_log())) return {};
    Asked asked{read_probes(folder.probes()), {}};
    const std::string log = folder.probe_log();
    asked.history = parse_probe_log(read_file(log), log, asked.file.rules);
    return asked;
} catch (const Error& error) {
    damage += say({"zhuyi: warning: %s. The page is without probes.\n",
                   "zhuyi：警告：%s。网页里不含测试句。\n"},
                  error.what());
    return {};
}

// Of the held-out documents at most 32, spread evenly, at most 64 tokens of each.
static std::vector<Token> beginnings(const Corpus& corpus, const Tokenizer& tokenizer) {
    constexpr Index kTokens = 64;
    std::vector<Token> all;
    const std::vector<Piece> pieces = corpus.pieces(Part::validation);
    const Index count = std::ssize(pieces), wanted = std::min<Index>(count, 32);
    for (Index i = 0; i < wanted; ++i) {
        const std::string_view text = pieces[std::size_t(i * count / wanted)].text;
        const std::vector<Token> tokens = tokenizer.encode(utf8::prefix(text, 8 * kTokens));
        all.insert(all.end(), tokens.begin(),
                   tokens.begin() + std::min(std::ssize(tokens), kTokens));
        all.push_back(tokenizer.end_of_text());
    }
    return all;
}

// The training part, as the training reads it, or its first megabyte (500,000 tokens of 16 bits).
static std::vector<Token> first_megabyte(const Corpus& corpus, const Tokenizer& tokenizer) {
    constexpr std::size_t kTokens = 500'000;
    std::vector<Token> all;
    for (const Piece& piece : corpus.pieces(Part::train)) {
        const std::vector<Token> tokens = tokenizer.encode(piece.text);
        all.insert(all.end(), tokens.begin(), tokens.end());
        if (piece.ends) all.push_back(tokenizer.end_of_text());
        if (all.size() >= kTokens) break;
    }
    all.resize(std::min(all.size(), kTokens));
    return all;
}

static std::string without_text(const std::string& data, const std::string& reason) {
    std::error_code ignored;
    const std::string place = fs::absolute(data, ignored).string();
    return say(
        {"zhuyi: warning: the page is without the text, so it cannot train from nothing: "
         "expected the text of this run (data = %1$s), looked for %2$s: %3$s. Run `zhuyi "
         "report` again in the folder where the training was started.\n",
         "zhuyi：警告：网页里没有训练文本，所以不能“从零开始训练”：应当是这次训练的文本（data "
         "= %1$s），找的是 %2$s：%3$s。请在当初开始训练的目录里再运行 zhuyi report。\n"},
        printable(data), printable(place), reason);
}

// Where the text is not there any more, or is another, the page does without, and a line says so.
static std::string add_documents(Film& film, const RunFolder& folder, const RunConfig& config) try {
    const std::optional<Checkpoint> newest = newest_header(folder);
    if (!config.history.report_text || config.text.data == "-" || !newest) return {};
    const Corpus corpus = Corpus::read(config.text);
    if (corpus.hash() != newest->text_hash)
        return without_text(config.text.data, say({"another text", "那是另一份文本"}));
    film.learned = first_megabyte(corpus, *film.tokenizer);
    film.held_out = beginnings(corpus, *film.tokenizer);
    return {};
} catch (const Error& error) {
    return without_text(config.text.data, error.what());
}

// "a,b" -> {"a", "b"}; a folder whose name has a comma is one.
static std::vector<std::string> folders_of(std::string with) {
    std::vector<std::string> folders;
    while (!with.empty()) {
        const bool whole = RunFolder{with}.is_run();
        const std::size_t comma = whole ? with.size() : std::min(with.find(','), with.size());
        if (comma > 0) folders.push_back(with.substr(0, comma));
        with.erase(0, std::min(comma + 1, with.size()));
    }
    if (folders.size() > kMostOthers)
        fail_usage({"--with names %zu runs; at most %zu can be shown beside",
                    "--with 给了 %zu 个训练目录；最多并排 %zu 个"},
                   folders.size(), kMostOthers);
    return folders;
}

Film load_film(const std::string& path, std::string& damage) {
    const RunFolder folder{path};
    const RunConfig config = read_run_config(folder);
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer_of(folder);
    auto [history, lost] = read_history_of(folder, tokenizer->size());
    damage += lost;
    return {printable(fs::weakly_canonical(folder.path).filename().string()),
            printable(config.text.data),
            config.model,
            config.train,
            std::move(tokenizer),
            std::move(history),
            asked_in(folder, damage)};
}

WrittenPage write_film_page(const std::string& run, const std::string& with, const std::string& out,
                            const PageWish& wish) {
    std::string damage, lacks;
    Film film = load_film(run, damage);
    const RunConfig config = read_run_config({run});
    if (wish.refresh == 0) lacks = add_documents(film, {run}, config);
    std::vector<Film> others;
    for (const std::string& folder : folders_of(with)) {
        others.push_back(load_film(folder, damage));
        others.back().differs = differences_text(differences(config, read_run_config({folder})));
    }
    tell(damage);
    write_file(out, film_page(film, others, wish));
    return {film.history.frames.back().step, lacks};
}

void follow_film(const std::string& run, const std::string& with, const std::string& out) {
    const Interrupt interrupt;
    const std::string film = RunFolder{run}.history();
    const Index steps = read_run_config({run}).train.steps;
    std::uintmax_t seen = 0;  // bytes of the history that the page shows
    tell(say({"%s reloads itself; Ctrl-C ends\n", "%s 会自己刷新；Ctrl-C 结束\n"}, printable(out)));
    while (!interrupt.requested()) {
        std::error_code none_yet;
        const std::uintmax_t size = fs::file_size(film, none_yet);
        if (!none_yet && size != seen && (seen > 0 || has_frame(film))) {
            seen = size;
            if (write_film_page(run, with, out, {kRefresh}).step >= steps) break;
        }
        std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    tell(write_film_page(run, with, out, {0}).lacks);
}

}  // namespace zhuyi
