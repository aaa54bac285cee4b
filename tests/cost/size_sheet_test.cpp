#include "cost/model_size.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "formats/sheet_format.h"
#include "model/parameters.h"
#include "support/has.h"
#include "support/tiny_gpt.h"
#include "train/config.h"

using namespace zhuyi;

namespace {

struct TinySize : SizeWish {
    GptConfig model = tiny_config();
    TrainConfig training;
    TinySize() { training.batch = 3; }
    Sheet sheet() const { return size_sheet(model, training, *this); }
};

std::string english(const TinySize& size) { return sheet_as_terminal(size.sheet(), {}); }
std::string chinese(const TinySize& size) {
    return in_chinese([&] { return english(size); });
}
Json json_of(const TinySize& size) { return parse_json(sheet_as_json(size.sheet()), "sizes"); }

}  // namespace

// tiny: T 8, C 12, H 2, L 2, F 20, V 17
TEST_CASE("size sheet: block 0 stands for all, until --full") {
    TinySize size;
    const std::string page = english(size);
    CHECK(has(page, "\n   embedding.token        [17, 12]        204\n"));
    CHECK(has(page, "\n   block.0.attention.W_Q  [12, 12]        144\n"));
    // norms 4·12, W 4·144, b 4·12, W_1 and W_2 2·240, b_1 20, b_2 12
    CHECK(has(page, "\n   block.1                like block.0  1,184\n"));
    CHECK(!has(page, "block.1.attention.W_Q"));
    size.full = true;
    CHECK(has(english(size), "   block.1.attention.W_Q  [12, 12]"));
}

TEST_CASE("size sheet: the totals, the pattern and the shapes in both languages") {
    TinySize size;
    size.tokens = 5;
    const std::string page = english(size);
    CHECK(has(page, "4·C²·L = 4 × 12² × 2 = 1,152\n"));
    CHECK(has(page, "T = 16  1,024   4.0 KiB   × 4\n"));
    CHECK(has(page, "[3, 2, 5, 6] → [3, 5, 12]\n"));
    CHECK(has(page, "tied: the token embedding itself"));
    const std::string zh = chinese(size);
    CHECK(has(zh, "层数 L = 2"));
    CHECK(has(zh, "各头拼接"));
    CHECK(!has(zh, "LLaMA"));
    size.compare = true;
    CHECK(has(chinese(size), "每 8 个头共用一组键和值"));
    CHECK(has(english(size), "6,738,415,616"));
}

TEST_CASE("size sheet: what the optimizer remembers is named, and what Muon saves") {
    TinySize size;
    CHECK(has(english(size), "\n   AdamW's m and v  "));
    CHECK(!has(english(size), "less than AdamW"));
    size.training.optimizer = UpdateRule::muon;
    CHECK(has(english(size), "\n   Muon's m, AdamW's m and v  "));
    // no v for 2 blocks × (4 × 144 + 2 × 240) weights, four bytes each (eight in double)
    CHECK(has(english(size), bytes_text(2112.0 * double(sizeof(Real))) + " less than AdamW alone"));
    CHECK(has(chinese(size), "Muon 的 m，AdamW 的 m 和 v"));
}

TEST_CASE("size sheet: a vocabulary that only the text knows counts as nothing, and says so") {
    TinySize size;
    size.model.vocabulary = 0;
    CHECK(has(english(size), "vocabulary V: from the text, which is not here"));
    CHECK(has(english(size), "[3, 8, 12] · [12, V] → [3, 8, V]\n"));
    CHECK(json_of(size).at("model").at("vocabulary").is_null());
}

TEST_CASE("size sheet: the same numbers as JSON") {
    const Json json = json_of(TinySize());
    const Json& totals = json.at("totals");
    CHECK(totals.at("token_embedding").integer() == 17 * 12);
    CHECK(totals.at("position_embedding").integer() == 8 * 12);
    CHECK(totals.at("attention_matrices").integer() == 4 * 144 * 2);
    Index sum = 0;
    for (const Json& row : json.at("parameters").items()) sum += row.at("weights").integer();
    CHECK(sum == totals.at("all").integer());
    CHECK(json.at("attention_pattern").items()[2].at("weights").integer() == 2 * 2 * 32 * 32);
    CHECK(json.at("parameters").items()[0].at("shape").write() == "[17, 12]");
}
