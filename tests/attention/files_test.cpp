#include "attention/pictures.h"

#include <doctest/doctest.h>

#include <cstring>

#include "base/check.h"
#include "formats/json.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

AttentionMaps small_maps() {
    return {
        {0}, {0, 1}, {",", "\\n"}, {1, 0, Real(0.1), Real(0.9), 1, 0, Real(1) / 3, Real(2) / 3}};
}

std::string written(void (*write)(const AttentionMaps&, const Sink&), const AttentionMaps& maps) {
    std::string text;
    write(maps, [&text](std::string_view piece) { text += piece; });
    return text;
}

}  // namespace

TEST_CASE("csv: one line for each weight, quoted where a comma would be mistaken") {
    CHECK(written(write_csv, small_maps()) ==
          "layer,head,query,key,query_token,key_token,weight\n"
          "0,0,0,0,\",\",\",\",1\n"
          "0,0,0,1,\",\",\\n,0\n"
          "0,0,1,0,\\n,\",\",0.1\n"
          "0,0,1,1,\\n,\\n,0.9\n"
          "0,1,0,0,\",\",\",\",1\n"
          "0,1,0,1,\",\",\\n,0\n"
          "0,1,1,0,\\n,\",\",0.33333334\n"
          "0,1,1,1,\\n,\\n,0.6666667\n");
    AttentionMaps quote{{0}, {kMeanHead}, {"\""}, {1}};
    CHECK(written(write_csv, quote).ends_with("\n0,mean,0,0,\"\"\"\",\"\"\"\",1\n"));
}

TEST_CASE("json: tokens, axes and weights come back, bit for bit as float32") {
    const AttentionMaps maps = small_maps();
    const Json json = parse_json(written(write_json, maps), "maps.json");
    CHECK(json.at("tokens").items()[1].text() == "\\n");
    CHECK(json.at("layers").items()[0].integer() == 0);
    CHECK(json.at("heads").items()[1].integer() == 1);
    CHECK(json.at("shape").write() == "[1, 2, 2, 2]");
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t t = 0; t < 2; ++t)
            for (std::size_t s = 0; s < 2; ++s)
                CHECK(
                    float(
                        json.at("weights").items()[0].items()[h].items()[t].items()[s].number()) ==
                    float(maps.map(0, Index(h))[t * 2 + s]));
}

TEST_CASE("json: brackets close where several layers and a mean are written") {
    const AttentionMaps maps{{0, 1, 2}, {kMeanHead}, {"小"}, {1, 1, 1}};
    const std::string text = written(write_json, maps);
    CHECK(text ==
          "{\"tokens\": [\"小\"],\n \"layers\": [0, 1, 2],\n \"heads\": [\"mean\"],\n"
          " \"shape\": [3, 1, 1, 1],\n \"weights\": [\n [[[1]]],\n [[[1]]],\n [[[1]]]]}\n");
    CHECK(parse_json(text, "maps.json").at("weights").items().size() == 3);
}

TEST_CASE("npy: the array and, beside it, the tokens") {
    const ScratchFolder folder;
    const AttentionMaps maps = small_maps();
    write_npy_and_tokens(maps, folder.path("maps.npy"));
    const std::string bytes = folder.read("maps.npy");
    CHECK(bytes.find("'shape': (1, 2, 2, 2") != bytes.npos);
    REQUIRE(bytes.size() > 8 * sizeof(float));
    float last[8];
    std::memcpy(last, bytes.data() + bytes.size() - sizeof last, sizeof last);
    for (std::size_t i = 0; i < 8; ++i) CHECK(last[i] == float(maps.weights[i]));
    const Json tokens = parse_json(folder.read("maps.npy.tokens.json"), "maps.npy.tokens.json");
    CHECK(tokens.at("tokens").write() == "[\",\", \"\\\\n\"]");
    CHECK(tokens.at("heads").write() == "[0, 1]");
    CHECK_THROWS_AS(write_npy_and_tokens(maps, folder.path("no/such/folder.npy")), Error);
}
