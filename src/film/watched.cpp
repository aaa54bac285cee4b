#include "film/watched.h"

#include "base/check.h"
#include "text/tokenizer.h"

namespace zhuyi {

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
