// Attention maps as files: a picture, one head large with its numbers or all heads side by side;
// and numbers for other programs.
#include <array>
#include <cmath>
#include <cstdlib>

#include "attention/pictures.h"
#include "base/format.h"
#include "base/tensor.h"
#include "formats/json.h"
#include "formats/npy.h"
#include "formats/sheet_format.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {

constexpr const char* kFonts =
    "system-ui, -apple-system, 'PingFang SC', 'Hiragino Sans GB', 'Noto Sans CJK SC', "
    "'Noto Sans SC', 'Source Han Sans SC', 'Microsoft YaHei', sans-serif";

static std::string colour_text(double weight) {
    const Rgb c = colour(brightness(weight));
    return format("#%02x%02x%02x", unsigned(c.red), unsigned(c.green), unsigned(c.blue));
}

static std::string label(double x, double y, const char* anchor, double size,
                         std::string_view text) {
    return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\">", x, y,
                  anchor, size) +
           in_markup(text) + "</text>\n";
}

static std::string opening(double width, double height) {
    return format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
        "height=\"%.0f\" data-made-by=\"zhuyi\" font-family=\"%s\" fill=\"#22211f\">\n<rect "
        "width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
        width, height, width, height, kFonts, width, height);
}

// Every weight is a square with its own title.
static std::string large_head(const AttentionMaps& maps) {
    const Index T = maps.length();
    const double cell = T <= 24   ? 34
                        : T <= 48 ? 20
                                  : 13,
                 left = 64, top = 74, side = double(T) * cell;
    const View<const Real> map = maps.map(0, 0);
    std::string svg = opening(left + side + 16, top + side + 16);
    svg += label(12, 22, "start", 14,
                 say({"%s, %s", "%s，%s"}, block_words(maps.blocks[0]), head_words(maps.heads[0])));
    svg += label(left, 44, "start", 11, say({"looked at (key) →", "键 Key（被看的字）→"}));
    svg += format("<text transform=\"translate(12 %.0f) rotate(90)\" font-size=\"11\">%s</text>\n",
                  top, say({"asks (query) →", "查询 Query（在看的字）→"}).c_str());
    for (Index t = 0; t < T; ++t) {
        const double middle = (double(t) + 0.5) * cell;
        const std::string& name = maps.tokens[t];
        svg += label(left - 8, top + middle + cell * 0.2, "end", cell * 0.5, name);
        svg += label(left + middle, top - 8, "middle", cell * 0.5, name);
        for (Index s = 0; s <= t; ++s) {
            const double weight = double(map[t * T + s]);
            svg += format(
                "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\"><title>",
                left + double(s) * cell, top + double(t) * cell, cell, cell,
                colour_text(weight).c_str());
            svg += in_markup(name) + " → " + in_markup(maps.tokens[s]) +
                   format(" %.4f</title></rect>\n", weight);
            if (cell < 30) continue;
            const char* ink = brightness(weight) > 0.55 ? "#1b1a18" : "#ffffff";
            svg += format(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\" fill=\"%s\" "
                "pointer-events=\"none\">%.0f</text>\n",
                left + (double(s) + 0.5) * cell, top + middle + 3.5, ink, 100 * weight);
        }
    }
    return svg + "</svg>\n";
}

// Squares of one colour are one path, so that all heads of a long text stay a small file.
static std::string small_head(View<const Real> map, Index T, double x, double y, double side) {
    constexpr std::size_t kLevels = 64;
    std::array<std::string, kLevels> paths;
    const double cell = side / double(T);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t; ++s) {
            const double bright = brightness(double(map[t * T + s]));
            const auto level = std::size_t(std::lrint(bright * (kLevels - 1)));
            paths[level] += format("M%td %tdh1v1h-1z", s, t);
        }
    std::string svg = format("<g transform=\"translate(%.1f %.1f) scale(%.4f)\">\n", x, y, cell);
    for (std::size_t level = 0; level < kLevels; ++level) {
        const double share = double(level) / (kLevels - 1);
        if (!paths[level].empty())
            svg +=
                "<path fill=\"" + colour_text(share * share) + "\" d=\"" + paths[level] + "\"/>\n";
    }
    return svg + "</g>\n";
}

static std::string all_heads(const AttentionMaps& maps) {
    const double side = 150, gap = 12, left = 58, top = 70;
    const double width = left + double(maps.heads.size()) * (side + gap),
                 height = top + double(maps.blocks.size()) * (side + gap);
    std::string svg = opening(width, height);
    svg += label(12, 24, "start", 14, joined(maps.tokens, ""));
    svg += label(12, 42, "start", 11,
                 say({"rows ask, columns are looked at",
                      "行是查询 Query（在看的字），列是键 Key（被看的字）"}));
    for (Index h = 0; h < maps.heads.count(); ++h)
        svg += label(left + double(h) * (side + gap) + side / 2, top - 8, "middle", 11,
                     head_words(maps.heads[h]));
    for (Index l = 0; l < maps.blocks.count(); ++l) {
        const double y = top + double(l) * (side + gap);
        svg += label(left - 8, y + side / 2, "end", 11, block_words(maps.blocks[l]));
        for (Index h = 0; h < maps.heads.count(); ++h) {
            const double x = left + double(h) * (side + gap);
            svg += small_head(maps.map(l, h), maps.length(), x, y, side);
            svg += format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
                "stroke=\"#e2ded3\"/>\n",
                x, y, side, side);
        }
    }
    return svg + "</svg>\n";
}

std::string attention_svg(const AttentionMaps& maps) {
    return maps.blocks.size() == 1 && maps.heads.size() == 1 ? large_head(maps) : all_heads(maps);
}

std::string attention_html(const AttentionMaps& maps) {
    return std::string("<!doctype html>\n<html lang=\"") + say({"en", "zh"}) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\">\n<title>" +
           joined(maps.tokens, "", in_markup) +
           " · zhuyi 注意</title>\n"
           "<style>body { margin: 24px; background: #fbfaf6; } svg { max-width: 100%; height: "
           "auto; }</style>\n</head>\n<body>\n" +
           attention_svg(maps) + "</body>\n</html>\n";
}

// Six digits are enough for some float32, nine for all; "%g" drops zeros that say nothing.
static std::string weight_text(Real weight) {
    const float number = float(weight);
    for (int digits = 6; digits < 9; ++digits) {
        std::string text = format("%.*g", digits, double(number));
        if (std::strtof(text.c_str(), nullptr) == number) return text;
    }
    return format("%.9g", double(number));
}

// Calls row(layer, head, t, weights of t) for every row of every map.
template <class Row>
static void for_each_row(const AttentionMaps& maps, const Row& row) {
    const Index T = maps.length();
    for (Index l = 0; l < maps.blocks.count(); ++l)
        for (Index h = 0; h < maps.heads.count(); ++h)
            for (Index t = 0; t < T; ++t) row(l, h, t, maps.map(l, h).part(t * T, T));
}

// "tokens", "layers" and "heads" with a comma between them.
static std::string axes_json(const AttentionMaps& maps) {
    Json tokens(Json::Array{}), layers(Json::Array{}), heads(Json::Array{});
    for (const std::string& token : maps.tokens) tokens.push(token);
    for (Index block : maps.blocks) layers.push(block);
    for (Index head : maps.heads)
        heads.push(head == kMeanHead ? Json(head_name(head)) : Json(head));
    return "\"tokens\": " + tokens.write() + ",\n \"layers\": " + layers.write() +
           ",\n \"heads\": " + heads.write();
}

void write_csv(const AttentionMaps& maps, const Sink& sink) {
    sink("layer,head,query,key,query_token,key_token,weight\n");
    for_each_row(maps, [&](Index l, Index h, Index t, View<const Real> row) {
        std::string lines;
        const std::string where =
            format("%td,%s,%td,", maps.blocks[l], head_name(maps.heads[h]).c_str(), t);
        for (Index s = 0; s < row.count(); ++s)
            lines += where + std::to_string(s) + "," + csv_field(maps.tokens[t]) + "," +
                     csv_field(maps.tokens[s]) + "," + weight_text(row[s]) + "\n";
        sink(lines);
    });
}

// Brackets open where an index begins at 0, and close where it reaches its end.
void write_json(const AttentionMaps& maps, const Sink& sink) {
    const Index H = maps.heads.count(), T = maps.length();
    sink("{" + axes_json(maps) + ",\n \"shape\": " + shape_text(maps.shape()) +
         ",\n \"weights\": [");
    for_each_row(maps, [&](Index l, Index h, Index t, View<const Real> row) {
        std::string text = t > 0 ? ",\n   [" : h > 0 ? ",\n  [[" : l > 0 ? ",\n [[[" : "\n [[[";
        for (Index s = 0; s < T; ++s) text += (s ? ", " : "") + weight_text(row[s]);
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
