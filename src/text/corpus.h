// From files to documents, and from documents to the two parts: the training part, and the part for
// validation.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/real.h"
#include "text/config.h"

namespace zhuyi {

enum class Part { train, validation };

// A document of a part; of a document that the split cuts, the half that is in this part. `ends`:
// <|endoftext|> follows.
struct Piece {
    std::string_view text;
    bool ends;
};

// The folder of a comparison is known by this file, which is never text.
inline constexpr const char* kComparisonFile = "compare.txt";
inline constexpr const char* kComparisonMark = "# zhuyi compare: seconds of each training";
// Is this file one of zhuyi compare?
bool is_comparison(const std::filesystem::path& file);

class Corpus;
// Returns a line that names the run folders which were left out of a text, or "" if none were.
std::string words_of_left_out(const Corpus& corpus);

class Corpus {
  public:
    // A file (any, "-" is standard input), or a folder: its *.txt files, with those of its
    // subfolders, in byte order of their paths; names that begin with a dot and links to folders
    // are left out, and so are `options.without`, run folders and those of comparisons, where
    // text files are written. A byte order mark
    // is skipped, CR LF and CR become LF. Error: a text that is missing, unreadable, empty, no
    // UTF-8, too short for the split, or (found before it is read) larger than memory.
    static Corpus read(const TextOptions& options);
    // The same from contents in memory; the names appear in messages.
    struct File {
        std::string name, content;
        bool in_folder = false;
    };
    static Corpus from(std::vector<File> files, const TextOptions& options,
                       std::vector<std::string> left_out = {});
    // read() in two steps, for who makes several corpora of one text: files, and what is left out.
    struct Files {
        std::vector<File> files;
        std::vector<std::string> left_out;
    };
    static Files read_files(const TextOptions& options);
    // The run folders that were left out.
    const std::vector<std::string>& left_out() const { return left_out_; }

    const std::vector<std::string_view>& documents() const { return documents_; }
    Index characters() const;  // of all documents
    Index bytes() const;       // that the texts hold in memory
    // Returns which share of the documents' bytes repeats no earlier document: 1 if all differ.
    double new_share() const;
    Part part(std::size_t document) const;  // by its first character
    // The texts of a part, in order. A split by tail may cut one document in two.
    std::vector<Piece> pieces(Part part) const;
    Split split() const { return split_; }  // hash or tail
    Index files() const { return Index(texts_.size()); }
    // Of the documents, their order and their borders. The same text gives the same value on every
    // machine, whatever its file is called and however its lines end.
    std::uint64_t hash() const { return hash_; }

    Corpus(Corpus&&) = default;  // not copied: the documents are views into the texts
    Corpus& operator=(Corpus&&) = default;

  private:
    Corpus() = default;
    void divide(Split wanted);
    void split_by_hash();
    void split_by_tail();

    std::vector<std::string> left_out_;
    std::vector<std::string> texts_;           // of the files; moving a Corpus leaves them in place
    std::vector<std::string_view> documents_;  // never empty, no two overlap
    std::vector<bool> in_validation_;
    // Of a tail: validation begins `cut_` bytes into document `cut_document_`.
    std::size_t cut_document_ = 0, cut_ = 0;
    Split split_ = Split::tail;
    std::uint64_t hash_ = 0;
};

}  // namespace zhuyi
