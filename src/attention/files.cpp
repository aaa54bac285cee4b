#include "attention/files.h"

#include <cstdlib>

#include "base/format.h"
#include "base/tensor.h"
#include "formats/json.h"
#include "formats/npy.h"
#include "formats/sheet_format.h"
#include "system/atomic_file.h"

namespace zhuyi {
namespace {

// Six digits are enough for some float32, nine for all; "%g" drops zeros that say nothing.
std::string weight_text(Real weight) {
    const float number = float(weight);
    for (int digits = 6; digits < 9; ++digits) {
        std::string text = format("%.*g", digits, double(number));
        if (std::strtof(text.c_str(), nullptr) == number) return text;
    }
    return format("%.9g", double(number));
}

// Calls row(layer, head, t, weights of t) for every row of every map.
template <class Row>
void for_each_row(const AttentionMaps& maps, const Row& row) {
    const std::size_t T = maps.tokens.size();
    for (std::size_t l = 0; l < maps.blocks.size(); ++l)
        for (std::size_t h = 0; h < maps.heads.size(); ++h)
            for (std::size_t t = 0; t < T; ++t) row(l, h, t, maps.map(l, h).subspan(t * T, T));
}

// "tokens", "layers" and "heads" with a comma between them.
std::string axes_json(const AttentionMaps& maps) {
    Json tokens(Json::Array{}), layers(Json::Array{}), heads(Json::Array{});
    for (const std::string& token : maps.tokens) tokens.push(token);
    for (Index block : maps.blocks) layers.push(block);
    for (Index head : maps.heads)
        heads.push(head == kMeanHead ? Json(head_name(head)) : Json(head));
    return "\"tokens\": " + tokens.write() + ",\n \"layers\": " + layers.write() +
           ",\n \"heads\": " + heads.write();
}

}  // namespace

void write_csv(const AttentionMaps& maps, const Sink& sink) {
    sink("layer,head,query,key,query_token,key_token,weight\n");
    for_each_row(maps, [&](std::size_t l, std::size_t h, std::size_t t, In row) {
        std::string lines;
        const std::string where =
            format("%td,%s,%zu,", maps.blocks[l], head_name(maps.heads[h]).c_str(), t);
        for (std::size_t s = 0; s < row.size(); ++s)
            lines += where + std::to_string(s) + "," + csv_field(maps.tokens[t]) + "," +
                     csv_field(maps.tokens[s]) + "," + weight_text(row[s]) + "\n";
        sink(lines);
    });
}

// Brackets open where an index turns 0 and close where it reaches its end.
void write_json(const AttentionMaps& maps, const Sink& sink) {
    const std::size_t H = maps.heads.size(), T = maps.tokens.size();
    sink("{" + axes_json(maps) + ",\n \"shape\": " + shape_text(maps.shape()) +
         ",\n \"weights\": [");
    for_each_row(maps, [&](std::size_t l, std::size_t h, std::size_t t, In row) {
        std::string text = t > 0 ? ",\n   [" : h > 0 ? ",\n  [[" : l > 0 ? ",\n [[[" : "\n [[[";
        for (std::size_t s = 0; s < T; ++s) text += (s ? ", " : "") + weight_text(row[s]);
        text += "]";
        if (t + 1 == T) text += h + 1 == H ? "]]" : "]";
        sink(text);
    });
    sink("]}\n");
}

void write_npy_and_tokens(const AttentionMaps& maps, const std::string& path) {
    write_npy(path, maps.shape(), maps.weights);
    write_file(path + ".tokens.json", "{" + axes_json(maps) + "}\n");
}

}  // namespace zhuyi
