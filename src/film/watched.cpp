#include "film/watched.h"

#include "base/check.h"
#include "base/format.h"

namespace zhuyi {

Token single_token(const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<Token> tokens = tokenizer.encode(text);
    if (tokens.size() == 1) return tokens[0];
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (tokenizer.name(token) == text) return token;
    std::string parts;
    for (Token token : tokens) parts += " " + tokenizer.name(token);
    if (tokens.empty()) fail_usage_english("expected one character, found none");
    fail_usage_english(format("expected one character with a token of its own; '%s' is %zu tokens:",
                              text.c_str(), tokens.size()) +
                       parts);
}

Index watched_place(const History& film, const Tokenizer& tokenizer, Token token) {
    const Index place = film.place_of(token);
    if (place >= 0) return place;
    std::string some;
    for (std::size_t i = 0; i < std::min<std::size_t>(film.start.watched.size(), 30); ++i)
        some += tokenizer.name(film.start.watched[i]);
    const std::string name = tokenizer.name(token);
    fail_usage_english("this film does not follow " + name + "; it follows " +
                       std::to_string(film.start.watched.size()) + " characters: " + some +
                       " … Train with --history-characters=" + name + " to have it filmed.");
}

}  // namespace zhuyi
