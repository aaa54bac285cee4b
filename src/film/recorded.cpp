// What commands ask a history for: the place of a token, and attention as it was recorded.
#include <algorithm>

#include "attention/maps.h"
#include "base/check.h"
#include "film/stream_list.h"
#include "text/tokenizer.h"

namespace zhuyi {

Index watched_place(const History& history, const Tokenizer& tokenizer, Token token) {
    const Index place = history.place_of(token);
    if (place >= 0) return place;
    std::string some;
    for (Index i = 0; i < std::min<Index>(history.watched.count(), 30); ++i)
        some += tokenizer.name(history.watched[i]);
    fail_usage({"%1$s was not followed in this training; these %2$zu characters were: %3$s … Train "
                "with --history-characters=%1$s to follow it.",
                "这次训练没有跟踪“%1$s”；跟踪了这 %2$zu 个字：%3$s … "
                "训练时加上 --history-characters=%1$s 就会跟踪它。"},
               tokenizer.name(token), history.watched.size(), some);
}

AttentionMaps recorded_maps(const History& history, const Tokenizer& tokenizer,
                            std::string_view text, Index step) {
    const auto& sentences = history.sentences;
    const auto found = std::find(sentences.begin(), sentences.end(), tokenizer.encode(text));
    if (found == sentences.end()) {
        std::string recorded;
        for (const auto& tokens : sentences) recorded += "\n    " + tokenizer.decode(tokens);
        fail_usage({"'%s' was not recorded; these sentences were:%s",
                    "没有记录“%s”；记录了这些观察句：%s"},
                   text, recorded);
    }
    const auto sentence = std::size_t(found - sentences.begin());
    const Frame& frame = history.frame_at(step);
    const std::string name = sentence_stream(sentence, "attention");
    history.numbers(frame, name);  // an Error where it was not recorded
    const std::vector<Index>& shape = history.stream(name)->shape;  // (L, H, …)
    AttentionMaps maps;
    for (Index l = 0; l < shape[0]; ++l) maps.blocks.push_back(l);
    for (Index h = 0; h < shape[1]; ++h) maps.heads.push_back(h);
    for (const Token token : *found) maps.tokens.push_back(tokenizer.name(token));
    for (const Index l : maps.blocks)
        for (const Index h : maps.heads) {
            const List<float> map = history.map(frame, sentence, l, h);
            maps.weights.insert(maps.weights.end(), map.begin(), map.end());
        }
    return maps;
}

}  // namespace zhuyi
