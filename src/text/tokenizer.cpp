#include "text/tokenizer.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/utf8.h"
#include "text/documents.h"
#include "text/vocabulary.h"

namespace zhuyi {

std::vector<Token> Tokenizer::encode(std::string_view text) const {
    std::vector<Token> tokens;
    append(tokens, text);
    return tokens;
}

std::string Tokenizer::decode(std::span<const Token> tokens) const {
    std::string text;
    for (Token token : tokens) text += bytes(token);
    return text;
}

std::string Tokenizer::name(Token token) const {
    if (token == end_of_text()) return std::string(kEndOfTextName);
    return bytes(token).empty() ? "⟨unused⟩" : escaped(bytes(token));
}

Index Tokenizer::characters(std::span<const Token> tokens) const {
    Index sum = 0;
    for (Token token : tokens) {
        if (token == end_of_text()) ++sum;
        for (char byte : bytes(token)) sum += (byte & 0xC0) != 0x80;  // not a continuation byte
    }
    return sum;
}

namespace {

// How often each code point occurs in the texts. A flat table for the plane that nearly all
// characters lie in.
class Counter {
  public:
    void add(char32_t code) { code < plane_.size() ? ++plane_[code] : ++rare_[code]; }

    std::vector<CharacterTokenizer::Character> seen() const {
        std::vector<CharacterTokenizer::Character> all;
        for (std::size_t code = 0; code < plane_.size(); ++code)
            if (plane_[code] > 0) all.push_back({char32_t(code), plane_[code]});
        for (const auto& [code, count] : rare_) all.push_back({code, count});
        return all;
    }

  private:
    std::vector<Index> plane_ = std::vector<Index>(0x10000);
    std::map<char32_t, Index> rare_;
};

}  // namespace

CharacterTokenizer CharacterTokenizer::from_texts(std::span<const std::string_view> texts,
                                                  Index min_count, Index ends) {
    Counter counter;
    List<Index> first_counts(kFirstCharacter, 0);
    const auto spell = [&](std::string_view bytes, Index times) {
        for (char byte : bytes)
            first_counts[kFirstByte + static_cast<unsigned char>(byte)] += times;
    };
    first_counts[kEndOfText] = ends;
    for (std::string_view text : texts)
        for (std::string_view character : utf8::Characters(text)) {
            const utf8::Front found = utf8::front(character);
            if (found.whole())
                counter.add(found.code);
            else
                spell(character, 1);
        }

    std::vector<Character> kept;
    for (const Character& character : counter.seen())
        if (character.count >= min_count && character.code != kNeverAToken)
            kept.push_back(character);
        else
            spell(utf8::encode(character.code), character.count);
    std::stable_sort(kept.begin(), kept.end(), [](const Character& a, const Character& b) {
        return a.count > b.count;  // they come by code point, and equal counts stay so
    });
    return CharacterTokenizer(std::move(kept), std::move(first_counts));
}

CharacterTokenizer::CharacterTokenizer(std::vector<Character> characters,
                                       std::vector<Index> first_counts)
    : characters_(std::move(characters)), counts_(std::move(first_counts)) {
    require(counts_.count() == kFirstCharacter, "a vocabulary begins with 257 counts");
    bytes_begin_ = {0, 0};
    for (int byte = 0; byte < 256; ++byte) {
        bytes_ += static_cast<char>(byte);
        bytes_begin_.push_back(bytes_.size());
    }
    char32_t largest = 0;
    for (const Character& character : characters_) largest = std::max(largest, character.code);
    token_of_.assign(std::size_t(largest) + 1, -1);
    for (std::size_t i = 0; i < characters_.size(); ++i) {
        const char32_t code = characters_[i].code;
        const std::string text = utf8::encode(code);
        if (code == kNeverAToken)
            fail({"U+2581 ▁ cannot have a token of its own: other programs write the space as ▁",
                  "U+2581 ▁ 不能有自己的 token：别的程序用它表示空格"});
        if (token_of_[code] >= 0)
            fail({"the character %s stands twice in the vocabulary, as token %d and as token %zu",
                  "字符 %s 在词表里出现了两次：token %d 和 token %zu"},
                 escaped(text), token_of_[code], kFirstCharacter + i);
        token_of_[code] = kFirstCharacter + Token(i);
        counts_.push_back(characters_[i].count);
        bytes_ += text;
        bytes_begin_.push_back(bytes_.size());
    }
}

void CharacterTokenizer::append(std::vector<Token>& tokens, std::string_view text) const {
    while (!text.empty()) {
        const utf8::Front found = utf8::front(text);
        const Token token = found.whole() ? token_of(found.code) : -1;
        if (token >= 0)
            tokens.push_back(token);
        else
            for (const char byte : text.substr(0, found.length))
                tokens.push_back(kFirstByte + static_cast<unsigned char>(byte));
        text.remove_prefix(found.length);
    }
}

std::string_view CharacterTokenizer::bytes(Token token) const {
    const std::size_t begin = bytes_begin_[token];
    return std::string_view(bytes_).substr(begin, bytes_begin_[token + 1] - begin);
}

std::string CharacterTokenizer::vocabulary_file() const {
    return vocabulary_lines(*this, "characters");
}

void require_utf8(std::string_view text, const std::string& option) {
    if (const auto fault = utf8::first_error(text))
        fail_usage({"%s is not UTF-8: byte %td %s", "%s 不是 UTF-8：第 %td 个字节 %s"}, option,
                   *fault, fault_of(text.substr(std::size_t(*fault))));
}

std::vector<Token> typed_text(const Tokenizer& tokenizer, std::string_view text, Index context,
                              const char* option) {
    if (text.empty())
        fail_usage(
            {"%s: expected at least one character, found none", "%s：至少要有一个字符，现在是空的"},
            option);
    require_utf8(text, option);
    std::vector<Token> tokens = tokenizer.encode(text);
    if (std::ssize(tokens) > context)
        fail_usage({"%s has %zu tokens, but this model's context is %td: give a shorter text",
                    "%s 有 %zu 个 token，而这个模型的上下文长度是 %td：请换一段短一些的文字"},
                   option, tokens.size(), context);
    return tokens;
}

Token single_token(const Tokenizer& tokenizer, std::string_view text) {
    const std::vector<Token> tokens = tokenizer.encode(text);
    if (tokens.size() == 1) return tokens[0];
    if (tokens.empty())
        fail_usage({"expected one character, found none", "应该给出一个字符，现在是空的"});
    // from the last: a newline's byte has the same name as its character, which is meant
    for (Token token = Token(tokenizer.size()); token-- > 0;)
        if (tokenizer.name(token) == text) return token;
    std::string names;
    for (Token token : tokens) names += " " + tokenizer.name(token);
    fail_usage({"expected one character with a token of its own; '%s' is %zu tokens:%s",
                "应该是一个字符，并且它自己就是一个 token；“%s”却是 %zu 个 token：%s"},
               text, tokens.size(), names);
}

}  // namespace zhuyi
