#include "text/typed_text.h"

#include "base/check.h"
#include "text/utf8.h"

namespace zhuyi {

void require_utf8(std::string_view text, const std::string& option) {
    if (const auto fault = utf8::first_error(text))
        fail_usage({"%s is not UTF-8: byte %td %s", "%s 不是 UTF-8：第 %td 个字节 %s"}, option,
                   fault->offset, utf8::description(fault->finding));
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
