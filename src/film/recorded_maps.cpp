#include "film/recorded_maps.h"

#include <algorithm>

#include "base/check.h"
#include "film/stream_list.h"
#include "text/tokenizer.h"

namespace zhuyi {

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
    for (Token token : *found) maps.tokens.push_back(tokenizer.name(token));
    for (Index l : maps.blocks)
        for (Index h : maps.heads) {
            const std::vector<float> map = history.map(frame, sentence, l, h);
            maps.weights.insert(maps.weights.end(), map.begin(), map.end());
        }
    return maps;
}

}  // namespace zhuyi
