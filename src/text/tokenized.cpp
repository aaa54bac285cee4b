#include "text/tokenized.h"

#include "base/format.h"
#include "text/byte_pair_trainer.h"
#include "text/corpus.h"
#include "text/documents.h"
#include "text/utf8.h"

namespace zhuyi {

std::unique_ptr<Tokenizer> make_tokenizer(const Corpus& corpus, const TextOptions& options) {
    std::vector<std::string_view> texts;
    Index ends = 0;
    for (const Piece& piece : corpus.pieces(Part::train)) {
        texts.push_back(piece.text);
        ends += piece.ends;
    }
    if (options.tokenizer == TokenizerKind::bpe)
        return std::make_unique<BytePairTokenizer>(
            train_byte_pairs(texts, options.bpe_vocabulary, ends));
    return std::make_unique<CharacterTokenizer>(
        CharacterTokenizer::from_texts(texts, options.min_count, ends));
}

void adopt(TextOptions& options, const Tokenizer& tokenizer) {
    const bool byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer) != nullptr;
    options.tokenizer = byte_pairs ? TokenizerKind::bpe : TokenizerKind::characters;
    if (byte_pairs) options.bpe_vocabulary = tokenizer.size();
}

namespace {

std::vector<Token> tokens_of(const std::vector<Piece>& pieces, const Tokenizer& tokenizer) {
    // Reserved in advance, so that the tokens of a text of gigabytes are not moved while they grow:
    // few characters take more than one. What is reserved and not written takes no memory.
    Index characters = 0;
    for (const Piece& piece : pieces) characters += utf8::length(piece.text) + 1;
    check_room(say({"a text of %s characters", "%s 个字符的文本"}, grouped(characters)),
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

TokensPerCharacter tokens_per_character(const TokenizedText& text) {
    return {double(text.train.size()) / double(text.train_characters),
            double(text.validation.size()) / double(text.validation_characters)};
}

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
