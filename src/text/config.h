// Which text a model learns from, and how it is cut.
#pragma once
#include <string>

#include "base/real.h"

namespace zhuyi {

class Options;

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

enum class TokenizerKind {
    characters,  // one token for each character (text/tokenizer.h)
    bpe          // byte pairs, learnt from the training part (text/byte_pair.h)
};

struct TextOptions {
    std::string data;  // a file or a folder
    Documents documents = Documents::blank_line;
    Split split = Split::automatic;
    TokenizerKind tokenizer = TokenizerKind::characters;
    Index min_count = 1;  // characters rarer than this in the training part are spelt in bytes
    Index bpe_vocabulary = 2000;  // tokens: end of text, 256 bytes, joined pairs
    std::string without = {};     // a folder in `data` that is not read, the run's own; no option
};

void declare(Options& options, TextOptions& text);

}  // namespace zhuyi
