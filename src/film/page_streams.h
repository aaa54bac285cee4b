// Numbers of a history as the page reads them (page/data.js): long rows of them as base64.
#pragma once
#include <string>
#include <vector>

#include "film/history.h"
#include "formats/json.h"

namespace zhuyi {

// Values as a stream of this kind has them (film/stream.h):
//
//     {"type": "i16", "scale": 1, "group": 64, "scales": base64 of f32s,
//      "data": base64 of the levels}
//
// without group and scales where group is 0; little-endian.
Json packed(const std::vector<double>& values, const char* element = "f32", double scale = 1,
            Index group = 0);

template <class T>
Json listed(const std::vector<T>& numbers) {
    Json::Array items;
    for (T number : numbers) items.push_back(Index(number));
    return items;
}

using Frames = std::vector<const Frame*>;  // those that the page shows

bool follows(const History& history);  // are there embeddings to follow?

// Every stream of stream_list.h that this history has, most as they were recorded. fine: attention
// as it was recorded, and not in 256 levels.
Json streams_data(const History& history, const Frames& frames, bool fine);

// Where every watched embedding lies at each frame, on the plane of the last one.
Json plane_data(const History& history, const Frames& frames);

// The watched embeddings themselves: all, or where that is too much those of the sentences' tokens.
Json components_data(const History& history, const Frames& frames);

// In as many of the frames that have matrices as fit into `most` bytes; counted back from the last.
Json matrices_data(const History& history, const Frames& frames, std::size_t most);

}  // namespace zhuyi
