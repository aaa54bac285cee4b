#include "text/corpus.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/random.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace zhuyi {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDocumentsForHash = 20;
constexpr Index kOneIn = 10;  // the share of validation

bool is_text_file(const fs::directory_entry& entry) {
    std::string ending = entry.path().extension().string();
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    std::error_code ignored;
    return ending == ".txt" && entry.is_regular_file(ignored);
}

std::vector<std::string> text_files_below(const std::string& folder) {
    std::vector<std::string> paths;
    Index others = 0;
    std::error_code error;
    fs::recursive_directory_iterator at(folder, error);
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with('.')) {
            at.disable_recursion_pending();
        } else if (is_text_file(*at)) {
            paths.push_back(at->path().string());
        } else {
            ++others;
        }
    }
    if (error)
        fail_english(
            format("cannot read the folder %s: %s", folder.c_str(), error.message().c_str()));
    if (paths.empty())
        fail_english(format(
            "%s: expected text files (*.txt) in this folder, found none among %td other entries",
            folder.c_str(), others));
    std::sort(paths.begin(), paths.end());
    return paths;
}

// What does not fit would first drive everything else out of memory.
void check_room(const std::string& what, double bytes) {
    const std::optional<double> available = available_memory();
    if (available && bytes > *available)
        fail_english(
            format("%s needs %s of memory, and %s can be had here; give a part of the text",
                   what.c_str(), bytes_text(bytes).c_str(), bytes_text(*available).c_str()));
}

double size_of(const std::vector<std::string>& paths) {
    double bytes = 0;
    for (const std::string& path : paths) {
        std::error_code none;  // what is no file says so when it is read
        const std::uintmax_t size = fs::file_size(path, none);
        if (!none) bytes += double(size);
    }
    return bytes;
}

// Nothing, or what is to be done about it.
void check_text(const std::string& content, const std::string& name) {
    const std::string complaint = complaint_about_encoding(content, name);
    if (!complaint.empty()) fail_english(complaint);
    const auto zeros = std::count(content.begin(), content.end(), '\0');
    if (zeros == 0 || std::size_t(zeros) <= content.size() / 10) return;
    const Index every = std::ssize(content) / zeros;
    fail_english(format("%s: %s; expected text in UTF-8, this looks like UTF-16 or no text at all",
                        name.c_str(),
                        zeros == std::ssize(content) ? "all bytes are 0"
                        : every == 1                 ? "most bytes are 0"

                                     : format("every %td. byte is 0", every).c_str()));
}

// In place: without a byte order mark, every line ends with LF.
void normalise(std::string& text) {
    std::size_t to = 0;
    for (std::size_t from = text.starts_with(utf8::kByteOrderMark) ? utf8::kByteOrderMark.size()
                                                                   : 0;
         from < text.size(); ++from) {
        char c = text[from];
        if (c == '\r') {
            if (from + 1 < text.size() && text[from + 1] == '\n') continue;
            c = '\n';
        }
        text[to++] = c;
    }
    text.resize(to);
}

bool is_blank(std::string_view line) {
    constexpr std::string_view kIdeographicSpace = "　";
    while (!line.empty()) {
        const bool wide = line.starts_with(kIdeographicSpace);
        if (!wide && line[0] != ' ' && line[0] != '\t') return false;
        line.remove_prefix(wide ? kIdeographicSpace.size() : 1);
    }
    return true;
}

// visit(document) for the stretches of lines between blank lines, without the newline at their end.
template <class Visit>
void each_paragraph(std::string_view text, const Visit& visit) {
    const char* begin = nullptr;  // of the document under way
    const char* end = nullptr;    // behind its last line
    const auto finish = [&] {
        if (begin) visit(std::string_view(begin, std::size_t(end - begin)));
        begin = nullptr;
    };
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (is_blank(line)) {
            finish();
        } else {
            if (!begin) begin = line.data();
            end = line.data() + line.size();
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    finish();
}

template <class Visit>
void each_document(std::string_view text, Documents documents, const Visit& visit) {
    if (documents == Documents::blank_line) return each_paragraph(text, visit);
    bool blank = true;
    each_paragraph(text, [&](std::string_view) { blank = false; });
    if (!blank) visit(text);
}

// Different documents differ here, equal ones agree; spread evenly over [0, 1).
double place_of(std::string_view document) {
    return double(mix(hash_of(document)) >> 11) * 0x1p-53;
}

std::uint64_t hash_of_all(const std::vector<std::string_view>& documents) {
    Hash hash;
    for (std::string_view document : documents) {
        const std::uint64_t length = document.size();  // a border is part of the text
        hash.add(std::span(&length, 1));
        hash.add(document);
    }
    return hash.value();
}

}  // namespace

void declare(Options& options, TextOptions& text) {
    options.add("data", text.data, "",
                {"the text to learn from: a file, or a folder of .txt files; UTF-8",
                 "学习用的文本：一个文件，或装着 .txt 文件的文件夹；UTF-8 编码"});
    options.choice<Documents>("documents", text.documents,
                              {{"blank_line", Documents::blank_line}, {"file", Documents::file}},
                              {"what separates documents: blank lines, or each file is one",
                               "文档怎么分：用空行隔开，或一个文件算一篇"});
    options.choice<Split>(
        "split", text.split,
        {{"auto", Split::automatic}, {"hash", Split::hash}, {"tail", Split::tail}},
        {"what is kept for validation: a tenth of the documents (hash), or the last tenth of the "
         "text (tail); "
         "auto: hash from 20 documents on",
         "留作验证的部分：十分之一的文档（hash），或全文最后十分之一（tail）；auto：有 20 "
         "篇以上时用 hash"});
    options.add("min_count", text.min_count, "times",
                {"a character seen less often in the training part is spelt in bytes",
                 "训练部分里出现次数比这还少的字，用字节来拼"},
                1);
}

Corpus Corpus::read(const TextOptions& options) {
    const std::string& path = options.data;
    if (path.empty()) fail_usage_english("no text is named: expected --data=FILE or --data=FOLDER");
    std::error_code ignored;
    std::vector<std::string> paths{path == "-" ? "/dev/stdin" : path};
    if (fs::is_directory(path, ignored)) paths = text_files_below(path);
    constexpr double kCounted = 1.1;  // beside the text, what is counted in it
    const double size = size_of(paths);
    check_room(format("%s: a text of %s", path.c_str(), bytes_text(size).c_str()), kCounted * size);
    std::vector<File> files;
    for (const std::string& file : paths)
        files.push_back({path == "-" ? "standard input" : file, read_file(file)});
    return from(std::move(files), options);
}

Corpus Corpus::from(std::vector<File> files, const TextOptions& options) {
    Corpus corpus;
    for (File& file : files) {
        check_text(file.content, file.name);
        normalise(file.content);
        corpus.texts_.push_back(std::move(file.content));
    }
    // Counted first: a document of one character takes a hundred times its text.
    constexpr double kADocument = 200;  // bytes: views, a hash, and the sets that find duplicates
    Index count = 0;
    for (const std::string& text : corpus.texts_)
        each_document(text, options.documents, [&](std::string_view) { ++count; });
    check_room(format("%s: a text of %s documents", options.data.c_str(), grouped(count).c_str()),
               kADocument * double(count));
    corpus.documents_.reserve(std::size_t(count));
    for (const std::string& text : corpus.texts_)
        each_document(text, options.documents,
                      [&](std::string_view document) { corpus.documents_.push_back(document); });
    if (corpus.documents_.empty())
        fail_english(format("%s: expected text, found %s", options.data.c_str(),
                            corpus.texts_.size() == 1 && corpus.texts_[0].empty()
                                ? "an empty file"
                                : "nothing but blank lines"));
    corpus.hash_ = hash_of_all(corpus.documents_);

    corpus.split_ = options.split;
    if (options.split == Split::automatic) {
        std::set<std::string_view> different;
        for (std::string_view document : corpus.documents_)
            if (different.size() < kDocumentsForHash) different.insert(document);
        corpus.split_ = different.size() == kDocumentsForHash ? Split::hash : Split::tail;
    }
    corpus.split_ == Split::hash ? corpus.split_by_hash() : corpus.split_by_tail();
    return corpus;
}

// A document is in the validation part when its place lies in the first tenth. Of a few documents
// it may be that none does (or all do): then the one with the smallest place (the largest) and its
// duplicates change sides.
void Corpus::split_by_hash() {
    std::vector<double> places;
    for (std::string_view document : documents_) places.push_back(place_of(document));
    const double least = *std::min_element(places.begin(), places.end());
    const double most = *std::max_element(places.begin(), places.end());
    if (least == most)
        fail_english(
            "split = hash needs two documents that differ, found one; use --split=tail, or "
            "separate "
            "documents by blank lines");
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

Index Corpus::bytes() const {
    Index all = 0;
    for (const std::string& text : texts_) all += std::ssize(text);
    return all;
}

Index Corpus::characters() const {
    Index all = 0;
    for (std::string_view document : documents_) all += utf8::length(document);
    return all;
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

CharacterTokenizer make_tokenizer(const Corpus& corpus, Index min_count) {
    std::vector<std::string_view> texts;
    Index ends = 0;
    for (const Piece& piece : corpus.pieces(Part::train)) {
        texts.push_back(piece.text);
        ends += piece.ends;
    }
    return CharacterTokenizer::from_texts(texts, min_count, ends);
}

namespace {

std::vector<Token> tokens_of(const std::vector<Piece>& pieces, const Tokenizer& tokenizer) {
    // A text of gigabytes shall not be moved while its tokens grow: few characters take more than
    // one. What is reserved and not written takes no memory.
    Index characters = 0;
    for (const Piece& piece : pieces) characters += utf8::length(piece.text) + 1;
    check_room(format("a text of %s characters", grouped(characters).c_str()),
               double(characters) * double(sizeof(Token)));
    std::vector<Token> tokens;
    tokens.reserve(std::size_t(characters + characters / 8));
    for (const Piece& piece : pieces) {
        tokenizer.append(tokens, piece.text);
        if (piece.ends) tokens.push_back(tokenizer.end_of_text());
    }
    return tokens;
}

}  // namespace

TokenizedText tokenize(const Corpus& corpus, const Tokenizer& tokenizer) {
    TokenizedText text;
    text.train = tokens_of(corpus.pieces(Part::train), tokenizer);
    text.validation = tokens_of(corpus.pieces(Part::validation), tokenizer);
    text.train_characters = tokenizer.characters(text.train);
    text.validation_characters = tokenizer.characters(text.validation);
    return text;
}

std::vector<Token> tokenize(const std::vector<std::string_view>& documents,
                            const Tokenizer& tokenizer) {
    std::vector<Piece> pieces;
    for (std::string_view document : documents) pieces.push_back({document, true});
    return tokens_of(pieces, tokenizer);
}

}  // namespace zhuyi
