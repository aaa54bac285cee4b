// Our parameters and tokenizers as other programs keep them.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/list.h"
#include "model/config.h"
#include "model/loaded_model.h"
#include "text/byte_pair.h"

namespace zhuyi {

// ---- parameters (foreign_tensors.cpp): their names, and how their numbers lie. A model with
// rotary positions goes out as GPT-NeoX (whose blocks are ours when use_parallel_residual is
// false), any other as GPT-2. Both keep W_Q, W_K and W_V of a block in one matrix, and their biases
// in one vector; every other tensor is one of ours.

enum class Program { hugging_face, llama_cpp };

struct ForeignTensor {
    std::string name;           // there
    List<std::string> sources;  // names in our table, which lie side by side; none for zeros
    Index rows, columns;        // of all of them together, as we keep it; a vector has 0 rows
    bool transposed;            // a matrix [in, out] of a linear map, there [out, in]
    // Columns of Q that lie together before the same number of K and of V follow: all of them, but
    // in Hugging Face's GPT-NeoX those of one head (its columns lie [H, 3, D]).
    Index together;

    std::vector<Index> shape() const;  // there
    Index height() const { return rows ? rows : 1; }
    Index size() const { return height() * columns; }

    // For a tensor with one source: number `at` of the foreign tensor is this number of ours.
    Index index_here(Index at) const {
        return transposed ? at % height() * columns + at / height() : at;
    }

    // body(part, i, at): number i of sources[part] stands at `at` there.
    template <class Body>
    void for_each_number(const Body& body) const {
        if (sources.empty()) return;
        const Index parts = sources.count(), width = columns / parts;
        for (Index part = 0; part < parts; ++part)
            for (Index c = 0; c < width; ++c) {
                const Index column = (c / together * parts + part) * together + c % together;
                for (Index r = 0; r < height(); ++r)
                    body(part, r * width + c,
                         transposed ? column * height() + r : r * columns + column);
            }
    }
};

// In the order of the forward pass. A table of positions is among them unless positions are rotary:
// other programs know sines and cosines only as a table, and a model without positions goes out
// with a table of zeros.
std::vector<ForeignTensor> foreign_tensors(const GptConfig& config, Program program);

// The name of the output layer at Hugging Face. Some models save it although it is tied.
const char* head_name(const GptConfig& config);

using Values = View<const Real>;
// The values of a row of our table, or of the positions.
Values values_of(const LoadedModel& run, const std::string& source);

// The numbers of each source as they lie here.
List<Values> source_values(const LoadedModel& run, const ForeignTensor& tensor);
// The tensor as it lies there.
List<Real> foreign_values(const LoadedModel& run, const ForeignTensor& tensor);

// ---- tokenizers (foreign_tokenizer.cpp): how other programs write bytes, and how their files
// describe a vocabulary before we know which kind of ours it becomes

// GPT-2's files write each byte as a visible character: 21 … 7E, A1 … AC and AE … FF as the code
// point of the same number; the other 68, in order, as U+0100, U+0101 … So a space is Ġ (U+0120),
// and a newline is Ċ.
std::string in_byte_alphabet(std::string_view bytes);
// Returns the bytes, or nothing if a character of the text stands for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

// How a vocabulary with byte fallback writes a byte: "<0x0A>".
std::string byte_fallback_name(unsigned char byte);

// How a vocabulary of characters writes one of its tokens: "<|endoftext|>", "<0x0A>", "小".
std::string character_spelling(const Tokenizer& tokenizer, Token token);
// "Ġ t": the two tokens of each merge.
std::vector<std::string> merge_spellings(const BytePairTokenizer& tokenizer);

constexpr Index kMostForeignTokens = 1 << 22;

struct DescribedTokenizer {
    std::map<Token, std::string> vocabulary, added;  // how each token is spelt
    std::map<Token, std::string> plain;  // of the added ones those that a text may spell
    std::vector<std::pair<std::string, std::string>> merges;
    std::string end_of_text;  // how it is spelt; empty if no file says it
    Index rows;               // of the model's embedding
};

// These throw Error, which says what does not fit.

// Returns the first spellings, in quotes, of all these tokens except one; "" if no other is there.
std::string listed(const std::map<Token, std::string>& tokens, Token except);
Token end_of_text_of(const DescribedTokenizer& from);
// Refuses added tokens that a text may spell: there the text gets their ids, and here those of its
// characters.
void refuse_plain(const DescribedTokenizer& from);
std::unique_ptr<Tokenizer> byte_pairs(const DescribedTokenizer& from);
// The ids must be those of text/tokenizer.h, because an id is a row of the embedding.
std::unique_ptr<Tokenizer> characters(const DescribedTokenizer& from);

// Most Chinese GPT-2s have such a vocabulary.
inline constexpr Words kWordPiece = {
    "this is a vocabulary of BERT (WordPiece): it drops spaces and line ends, lowers capitals, and "
    "writes [UNK] for what it does not know, so a text does not come out as it went in",
    "这是 BERT 的词表（WordPiece）：它会丢掉空格和换行、把大写变小写、把不认识的字写成 "
    "[UNK]，文本进去再出来就不一样了"};

// Throws Error: why, and which tokenizers zhuyi reads.
[[noreturn]] void refuse_kind(const std::string& why);

}  // namespace zhuyi
