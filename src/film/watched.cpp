#include "film/watched.h"

#include "base/check.h"

namespace zhuyi {

Token single_token(const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<Token> tokens = tokenizer.encode(text);
    if (tokens.size() == 1) return tokens[0];
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (tokenizer.name(token) == text) return token;
    std::string parts;
    for (Token token : tokens) parts += " " + tokenizer.name(token);
    if (tokens.empty())
        fail_usage({"expected one character, found none", "需要一个字，却什么也没有"});
    fail_usage({"expected one character with a token of its own; '%s' is %zu tokens:%s",
                "需要一个单独成 token 的字；“%s”是 %zu 个 token：%s"},
               text, tokens.size(), parts);
}

Index watched_place(const History& history, const Tokenizer& tokenizer, Token token) {
    const Index place = history.place_of(token);
    if (place >= 0) return place;
    std::string some;
    for (std::size_t i = 0; i < std::min<std::size_t>(history.watched.size(), 30); ++i)
        some += tokenizer.name(history.watched[i]);
    const std::string name = tokenizer.name(token);
    fail_usage({"%1$s was not followed in this training; these %2$zu characters were: %3$s … Train "
                "with --history-characters=%1$s to follow it.",
                "这次训练没有跟踪“%1$s”；跟踪了这 %2$zu 个字：%3$s … "
                "训练时加上 --history-characters=%1$s 就会跟踪它。"},
               name, history.watched.size(), some);
}

}  // namespace zhuyi
