// What film/page/*.js reads: one JSON document, and beside it the bytes of all its long rows of
// numbers.
#pragma once
#include <array>

#include "film/page.h"
#include "formats/json.h"

namespace zhuyi {

// At most about `most` bytes of the page: attention is in 256 levels where there is much of it, and
// what does not fit is shown in fewer frames. Appends the rows of numbers to `bytes`. others:
// trainings that are shown beside.
Json film_data(const Film& film, std::span<const Film> others, std::size_t most,
               std::string& bytes);

// ---- the model that the page runs (page/model.js), and how a text becomes tokens (tokenizer.js)

//     {"steps": [0, 40, …],
//      "weights": [bf16, one for each step], all rows of the parameter table
//      "logits": [[f32, one for each sentence]],            of its last position, exact weights
//      "activation": "gelu", "end": 0,
//      "names": [V names], "bytes": [V texts of hexadecimal digits],
//      "merges": [left, right, …],                          of byte pairs, or empty
//      "counts": [V numbers]}                               of the training text
//
// `most` of the snapshots, spread over the training, the last among them; -1 means all. Returns
// null where the history has none.
Json page_model(const Film& film, Index most);

// A file of page/ as a browser runs it.
std::string page_script(std::string_view name);

// ---- films that are shown beside (page/panel_runs.js)

//     {"run", "steps": [of its frames], "parameters": [names],
//      "differs": {"en", "zh"}: its options from those of `film`,
//      "norm", "from_start": (frames, rows),
//      "rules": as rules_data gives them}
//
// Its curve is set by film_data, in the unit of all curves.
Json other_data(const Film& other);

// ---- what the model knew of each rule (page/panel_rules.js)

//     {"steps": [of the evaluations],
//      "list": [{"name", "english", "since": first evaluation from which on it was always known,
//                "seen": [share right at each evaluation], "new": […], "form": […],
//                "worst": ["两 0/12", …], the worst answer at each evaluation,
//                "margin": [nats, of the new probes],
//                "heads": [[layer, head], …], "weights": […],
//                "example": {"text", "right", "wrong", "asker", "answerer": [[first, last], …]}}]}
//
// null where nothing is known. The example is the shortest new probe that says who decides it.
Json rules_data(const Asked& asked);

// ---- numbers of a history (page/numbers.js)

// Values as a stream of this kind has them (HistoryStream):
//
//     {"type": "i16", "scale": 1, "group": 64, "count": 640, "squeezed": bytes}
//
// The bytes are the planes of the f32 scales (only with a group), then those of the levels. The
// first plane is the lowest byte of every number, and so on. A plane begins with 0, and is then as
// it is; or with 1, and is then in fewer bits: where a byte occurs with frequency f of 4096 it
// takes log2(4096 / f) bits (range asymmetric numeral systems, Duda 2013; the table of frequencies,
// 256 u16, comes first). So the exponents of weights, which are nearly all alike, take 3 bits, not
// 8.
Json packed(const std::vector<double>& values, const char* element = "f32", double scale = 1,
            Index group = 0);

// The same document with {"at": offset in `bytes`} in the place of what is squeezed, which is
// appended there.
Json gathered(const Json& data, std::string& bytes);

// Bytes as text, in HTML that is UTF-8: seven bits are one character of ASCII. The three that HTML
// changes (NUL, carriage return, "<") stand together with the seven bits that follow as one of two
// bytes, U+0080 and up. So 8 bytes hold 7, where base64 needs 9.3.
std::string dense_text(std::string_view bytes);
constexpr std::size_t dense_size(std::size_t bytes) { return bytes * 8 / 7 + 2; }

template <class T>
Json listed(const std::vector<T>& numbers) {
    Json::Array items;
    for (T number : numbers) items.push_back(Index(number));
    return items;
}

using Frames = std::vector<const Frame*>;  // those that the page shows

// The numbers of a stream, frame after frame.
List<double> values(const History& history, const Frames& frames, const std::string& name);

bool follows(const History& history);  // are there embeddings to follow?

// Every stream of stream_list.h that this history has, most as they were recorded. fine: attention
// as it was recorded, and not in 256 levels.
Json streams_data(const History& history, const Frames& frames, bool fine);

// Where every watched embedding lies at each frame, on the plane of the last one.
Json plane_data(const History& history, const Frames& frames);

// A stream as it was recorded, frame after frame.
Json over(const History& history, const Frames& frames, const std::string& name);

// ---- points of many dimensions on a flat map (principal component analysis, Pearson 1901)

// The plane on which the points differ most: their mean, and two directions at right angles, both
// of length 1. Its signs are fixed (each direction's largest element is positive), so the same
// points give the same map.
struct Plane {
    List<double> middle;
    std::array<List<double>, 2> axis;
    std::array<double, 2> share{};  // of the points' variance that lies along each axis

    std::array<double, 2> place_of(const List<double>& point) const;
};

// points: (n, C), each of the same length; n is at least 1.
Plane principal_plane(const List<List<double>>& points);

}  // namespace zhuyi
