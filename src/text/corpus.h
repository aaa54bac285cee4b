// From files to documents, and from documents to the two parts: what a model learns from, and what
// it is judged by.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "system/options.h"
#include "text/tokenizer.h"

namespace zhuyi {

enum class Documents {
    blank_line,  // one or more blank lines separate two documents; lines of white space are blank
    file         // each file is one; its blank lines are text
};

enum class Split {
    automatic,  // hash where there are 20 different documents or more, tail otherwise
    // Whole documents, about a tenth of them, by a hash of their text: exact duplicates fall on one
    // side, and a document keeps its side when others come or go.
    hash,
    tail  // the last tenth of all characters, wherever it begins
};

enum class Part { train, validation };

struct TextOptions {
    std::string data;  // a file or a folder
    Documents documents = Documents::blank_line;
    Split split = Split::automatic;
    Index min_count = 1;  // characters rarer than this in the training part are spelt in bytes
};

void declare(Options& options, TextOptions& text);

// A text (or the end of one) of a part. `ends`: <|endoftext|> follows.
struct Piece {
    std::string_view text;
    bool ends;
};

class Corpus {
  public:
    // A file (any, "-" is standard input), or a folder: its *.txt files, with those of its
    // subfolders, in byte order of their paths; names that begin with a dot and links to folders
    // are left out. A byte order mark is skipped, CR LF and CR become LF. Throws Error for what is
    // missing, unreadable, empty, no UTF-8, too little for the split, or (before it is read) more
    // than memory can hold.
    static Corpus read(const TextOptions& options);
    // The same from contents in memory; a name appears in messages.
    struct File {
        std::string name, content;
    };
    static Corpus from(std::vector<File> files, const TextOptions& options);

    const std::vector<std::string_view>& documents() const { return documents_; }
    Index characters() const;               // of all documents
    Index bytes() const;                    // that the texts hold in memory
    Part part(std::size_t document) const;  // by its first character
    // In order. A split by tail may cut one document in two.
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
    void split_by_hash();
    void split_by_tail();

    std::vector<std::string> texts_;           // of the files; moving a Corpus leaves them in place
    std::vector<std::string_view> documents_;  // never empty, no two overlap
    std::vector<bool> in_validation_;
    // Of a tail: validation begins `cut_` bytes into document `cut_document_`.
    std::size_t cut_document_ = 0, cut_ = 0;
    Split split_ = Split::tail;
    std::uint64_t hash_ = 0;
};

// Only the training part gives characters their tokens: one that stands in the validation part
// alone is spelt in bytes, as it would be in any text that the model meets later. So the validation
// loss stays honest.
CharacterTokenizer make_tokenizer(const Corpus& corpus, Index min_count);

// Each document followed by <|endoftext|>.
struct TokenizedText {
    std::vector<Token> train, validation;
    // By Tokenizer::characters: each document's end counts as one.
    Index train_characters = 0, validation_characters = 0;
};
TokenizedText tokenize(const Corpus& corpus, const Tokenizer& tokenizer);

// Of any file, for `eval`: everything in one row.
std::vector<Token> tokenize(const std::vector<std::string_view>& documents,
                            const Tokenizer& tokenizer);

}  // namespace zhuyi
