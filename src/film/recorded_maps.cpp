#include "film/recorded_maps.h"

#include <algorithm>

#include "base/check.h"

namespace zhuyi {

AttentionMaps recorded_maps(const History& film, const Tokenizer& tokenizer, std::string_view text,
                            Index step) {
    const auto& probes = film.start.probes;
    const auto probe = std::find(probes.begin(), probes.end(), tokenizer.encode(text));
    if (probe == probes.end()) {
        std::string filmed;
        for (const auto& tokens : probes) filmed += "\n    " + tokenizer.decode(tokens);
        fail_usage_english("'" + std::string(text) +
                           "' was not filmed; these sentences were:" + filmed);
    }
    const Frame& frame = film.frame_at(step);
    AttentionMaps maps;
    for (Index l = 0; l < film.start.layers; ++l) maps.layers.push_back(l);
    for (Index h = 0; h < film.start.heads; ++h) maps.heads.push_back(h);
    for (Token token : *probe) maps.tokens.push_back(tokenizer.name(token));
    for (Index l : maps.layers)
        for (Index h : maps.heads) {
            const ProbeFrame& filmed = frame.probes[std::size_t(probe - probes.begin())];
            const std::vector<float> map = filmed.map(l, h, film.start.heads, maps.length());
            maps.weights.insert(maps.weights.end(), map.begin(), map.end());
        }
    return maps;
}

}  // namespace zhuyi
