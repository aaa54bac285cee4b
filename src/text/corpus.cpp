#include "text/corpus.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/utf8.h"
#include "system/disk.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/documents.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

static bool is_text_file(const fs::directory_entry& entry) {
    std::string ending = entry.path().extension().string();
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    std::error_code ignored;
    return ending == ".txt" && entry.is_regular_file(ignored);
}

// Of a regular file: opening a pipe would wait for its writer.
static std::string first_line(const fs::path& file) {
    std::error_code ignored;
    std::string line;
    if (fs::is_regular_file(file, ignored)) std::getline(std::ifstream(file), line);
    return line;
}

// Also one whose training was killed before it wrote its configuration, and the folder of a
// comparison.
static bool is_run_folder(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "run.conf", ignored) ||
           first_line(folder / kVocabularyFile).starts_with(kVocabularyMark) ||
           is_comparison(folder / kComparisonFile);
}

static std::vector<std::string> text_files_below(const std::string& folder,
                                                 const std::string& without,
                                                 std::vector<std::string>& left_out) {
    std::vector<std::string> paths;
    std::error_code none_yet;
    if (fs::equivalent(folder, without, none_yet))
        fail_usage({"--out %s is the folder of the texts: the run's own files would become text. "
                    "Give another --out.",
                    "--out %s 就是文本目录：训练写出的文件会被当成文本。请换一个 --out。"},
                   printable(without));
    Index others = 0;
    std::error_code error;
    fs::recursive_directory_iterator at(folder, error);
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with('.')) {
            at.disable_recursion_pending();
        } else if (at->is_directory(error) &&
                   (fs::equivalent(at->path(), without, none_yet) || is_run_folder(at->path()))) {
            at.disable_recursion_pending();
            left_out.push_back(at->path().string());
        } else if (is_text_file(*at)) {
            paths.push_back(at->path().string());
        } else {
            ++others;
        }
    }
    if (error)
        fail({"cannot read the folder %s: %s", "无法读取目录 %s：%s"}, folder,
             system_reason(error.value()));
    if (paths.empty())
        fail({"%s: expected text files (*.txt) in this folder, found none among %td other entries",
              "%s：这个目录里应有文本文件（*.txt），找到的 %td 项都不是"},
             folder, others);
    std::sort(paths.begin(), paths.end());
    std::sort(left_out.begin(), left_out.end());
    return paths;
}

static double size_of(const std::vector<std::string>& paths) {
    double bytes = 0;
    for (const std::string& path : paths) {
        std::error_code none;  // what is no file says so when it is read
        const std::uintmax_t size = fs::file_size(path, none);
        if (!none) bytes += double(size);
    }
    return bytes;
}

template <class Visit>
static void each_document(const std::vector<std::string>& texts, Documents documents,
                          const Visit& visit) {
    for (std::string_view rest : texts)
        while (const auto document = next_document(rest, documents)) visit(*document);
}

static std::uint64_t hash_of_all(const std::vector<std::string_view>& documents) {
    Hash hash;
    for (std::string_view document : documents) {
        const std::uint64_t length = document.size();  // a border is part of the text
        hash.add(std::span(&length, 1));
        hash.add(document);
    }
    return hash.value();
}

bool is_comparison(const fs::path& file) {
    const std::string first = first_line(file);
    const std::size_t space = first.find(' ');  // older ones begin with seconds and an "option=…"
    return first == kComparisonMark || (first.find('=') != first.npos && space < first.find('=') &&
                                        parse_number(std::string_view(first).substr(0, space)));
}

Corpus Corpus::read(const TextOptions& options) {
    Files read = read_files(options);
    return from(std::move(read.files), options, std::move(read.left_out));
}

Corpus::Files Corpus::read_files(const TextOptions& options) {
    const std::string& path = options.data;
    if (path.empty())
        fail_usage({"no text is named: expected --data=FILE or --data=FOLDER",
                    "没有给出训练文本：请写 --data=文件 或 --data=目录"});
    std::error_code ignored;
    std::vector<std::string> paths{path == "-" ? "/dev/stdin" : path};
    const bool folder = fs::is_directory(path, ignored);
    Files read;
    if (folder) paths = text_files_below(path, options.without, read.left_out);
    constexpr double kCounted = 1.1;  // besides the text, what is counted in it
    const double size = size_of(paths);
    check_room(say({"%s: a text of %s", "%s：%s 的文本"}, path, bytes_text(size)), kCounted * size);
    for (const std::string& file : paths)
        read.files.push_back({path == "-" ? "standard input" : file, read_stream(file), folder});
    return read;
}

Corpus Corpus::from(std::vector<File> files, const TextOptions& options,
                    std::vector<std::string> left_out) {
    Corpus corpus;
    corpus.left_out_ = std::move(left_out);
    for (File& file : files) {
        check_text(file.content, file.name, file.in_folder);
        normalise(file.content);
        corpus.texts_.push_back(std::move(file.content));
    }
    // Counted first: in memory a document of one character takes a hundred times its text.
    constexpr double kADocument = 200;  // bytes: views, a hash, and the sets that find duplicates
    Index count = 0;
    each_document(corpus.texts_, options.documents, [&](std::string_view) { ++count; });
    check_room(say({"%s: a text of %s documents", "%s：%s 篇文档"}, options.data, grouped(count)),
               kADocument * double(count));
    corpus.documents_.reserve(std::size_t(count));
    each_document(corpus.texts_, options.documents,
                  [&](std::string_view document) { corpus.documents_.push_back(document); });
    if (corpus.documents_.empty())
        fail({"%s: expected text, found %s; name a file with text in it",
              "%s：应有文本，实际%s；请换一个有文字的文件"},
             options.data,
             corpus.texts_.size() == 1 && corpus.texts_[0].empty()
                 ? say({"an empty file", "是空文件"})
                 : say({"nothing but blank lines", "只有空行"}));
    corpus.hash_ = hash_of_all(corpus.documents_);
    corpus.divide(options.split);
    return corpus;
}

Index Corpus::bytes() const {
    Index all = 0;
    for (const std::string& text : texts_) all += std::ssize(text);
    return all;
}

double Corpus::new_share() const {
    std::set<std::string_view> seen;
    Index all = 0, once = 0;
    for (std::string_view document : documents_) {
        all += std::ssize(document);
        if (seen.insert(document).second) once += std::ssize(document);
    }
    return double(once) / double(all);
}

Index Corpus::characters() const {
    Index all = 0;
    for (std::string_view document : documents_) all += utf8::length(document);
    return all;
}

std::string words_of_left_out(const Corpus& corpus) {
    if (corpus.left_out().empty()) return {};
    std::string names;
    for (const std::string& folder : corpus.left_out())
        names += (names.empty() ? "" : ", ") + printable(folder);
    return say({"zhuyi: run folders among the texts are left out: %s\n",
                "zhuyi：文本目录里的训练目录不算文本，已跳过：%s\n"},
               names);
}

constexpr std::size_t kDocumentsForHash = 20;
constexpr Index kOneIn = 10;  // the share of validation

// In [0, 1), spread evenly: the same for equal documents, another for different ones.
static double number_of(std::string_view document) {
    return double(mix(hash_of(document)) >> 11) * 0x1p-53;
}

void Corpus::divide(Split wanted) {
    split_ = wanted;
    if (wanted == Split::automatic) {
        std::set<std::string_view> different;
        for (std::string_view document : documents_)
            if (different.size() < kDocumentsForHash) different.insert(document);
        split_ = different.size() == kDocumentsForHash ? Split::hash : Split::tail;
    }
    split_ == Split::hash ? split_by_hash() : split_by_tail();
}

// A document is in the validation part when its place lies in the first tenth. With few documents
// that may be none (or all): then the document with the smallest place (with the largest) and its
// duplicates go to the other part.
void Corpus::split_by_hash() {
    std::vector<double> places;
    for (std::string_view document : documents_) places.push_back(number_of(document));
    const double least = *std::min_element(places.begin(), places.end());
    const double most = *std::max_element(places.begin(), places.end());
    if (least == most)
        fail(
            {"split = hash needs two documents that differ, found one; use --split=tail, or "
             "separate documents by blank lines",
             "split = hash 需要两篇不同的文档，实际只有一篇；请用 "
             "--split=tail，或用空行把文档隔开"});
    for (const double place : places)
        in_validation_.push_back(place == least || (place < 1.0 / double(kOneIn) && place != most));
}

void Corpus::split_by_tail() {
    const Index all = characters();
    Index before = all * (kOneIn - 1) / kOneIn;  // characters of the training part
    in_validation_.assign(documents_.size(), false);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Index length = utf8::length(documents_[i]);
        if (before >= length) {
            before -= length;
            cut_document_ = i + 1;
            continue;
        }
        if (cut_document_ == i) cut_ = utf8::prefix(documents_[i], before).size();
        in_validation_[i] = i > cut_document_ || cut_ == 0;
        before = 0;
    }
}

Part Corpus::part(std::size_t document) const {
    return in_validation_[document] ? Part::validation : Part::train;
}

std::vector<Piece> Corpus::pieces(Part part) const {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const bool cut = split_ == Split::tail && i == cut_document_ && cut_ > 0;
        if (cut && part == Part::train)
            pieces.push_back({documents_[i].substr(0, cut_), false});
        else if (cut)
            pieces.push_back({documents_[i].substr(cut_), true});
        else if (in_validation_[i] == (part == Part::validation))
            pieces.push_back({documents_[i], true});
    }
    return pieces;
}

}  // namespace zhuyi
