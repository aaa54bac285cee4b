#include "text/tokenized.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "text/byte_pair.h"
#include "text/documents.h"

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

Index tokens_counted(const Tokenizer& tokenizer) {
    Index tokens = 0;
    for (Token token = 0; token < tokenizer.size(); ++token) tokens += tokenizer.count(token);
    return tokens;
}

static std::vector<Token> tokens_of(const std::vector<Piece>& pieces, const Tokenizer& tokenizer) {
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

void check_length(const TokenizedText& text, Index context) {
    const Index train = std::ssize(text.train), validation = std::ssize(text.validation);
    if (train < 2 || validation < 2)
        fail(
            {"the text is too short: %td tokens to learn from and %td for validation, expected two "
             "of each at the least; give more text",
             "文本太短：训练集有 %td 个 token，验证集有 %td 个，两者至少各要两个；请给更长的文本"},
            train, validation);
    if (train < context + 1)
        fail({"the text is too short: a window of context = %td needs %td tokens, the training "
              "part has %td; give more text, or --context=%td at most",
              "文本太短：context = %td 的一段需要 %td 个 token，训练集只有 %td "
              "个；请给更长的文本，"
              "或用不大于 --context=%td 的上下文长度"},
             context, context + 1, train, train - 1);
}

std::vector<Window> windows(Index tokens, Index T) {
    std::vector<Window> all;
    for (Index begin = 0; begin + 1 < tokens; begin += T)
        all.push_back({begin, std::min(T, tokens - 1 - begin)});
    return all;
}

}  // namespace zhuyi
