#include "text/corpus.h"
#include "system/options.h"

#include "fuzz/fuzz.h"
#include "text/statistics.h"
#include "text/tokenized.h"

using namespace zhuyi;

// From bytes to documents, parts and tokens, in each of the ways to divide them: the tokens of a
// part spell its documents.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    return fuzz([&] {
        TextOptions options;
        options.documents = data[0] & 1 ? Documents::file : Documents::blank_line;
        options.split = data[0] & 2 ? Split::hash : data[0] & 4 ? Split::tail : Split::automatic;
        options.min_count = 1 + data[0] / 64;
        if (data[0] & 8) options.tokenizer = TokenizerKind::bpe;
        options.bpe_vocabulary = 257 + data[0] / 16;
        const std::string_view text = text_of(data + 1, size - 1);
        const Corpus corpus = Corpus::from({{"first", std::string(text.substr(0, text.size() / 3))},
                                            {"second", std::string(text.substr(text.size() / 3))}},
                                           options);
        const auto tokenizer = make_tokenizer(corpus, options);
        const TokenizedText tokens = tokenize(corpus, *tokenizer);
        Index characters = 0;
        for (const Part part : {Part::train, Part::validation}) {
            std::string spelt;
            for (const Piece& piece : corpus.pieces(part)) spelt += piece.text;
            const std::vector<Token>& mine = part == Part::train ? tokens.train : tokens.validation;
            hold(tokenizer->decode(mine) == spelt, "the tokens spell the part");
            characters += tokenizer->characters(mine);
        }
        hold(characters == tokens.train_characters + tokens.validation_characters,
             "every character is in one part");
    });
}
