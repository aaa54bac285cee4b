#include "cost/size_sheet.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "model/parameters.h"
#include "support/has.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

SizeSheet tiny_sheet() {
    SizeSheet sheet;
    sheet.model = tiny_config();
    sheet.training.batch = 3;
    return sheet;
}

}  // namespace

// tiny: T 8, C 12, H 2, L 2, F 20, V 17
TEST_CASE("size sheet: block 0 stands for all, until --full") {
    SizeSheet sheet = tiny_sheet();
    const std::string page = size_text(sheet).english;
    CHECK(has(page, "\n  embedding.token        [17, 12]        204\n"));
    CHECK(has(page, "\n  block.0.attention.W_Q  [12, 12]        144\n"));
    // norms 4·12, W 4·144, b 4·12, W_1 and W_2 2·240, b_1 20, b_2 12
    CHECK(has(page, "\n  block.1                like block.0  1,184\n"));
    CHECK(!has(page, "block.1.attention.W_Q"));
    sheet.full = true;
    CHECK(has(size_text(sheet).english, "  block.1.attention.W_Q  [12, 12]"));
}

TEST_CASE("size sheet: the totals, the pattern and the shapes in both languages") {
    SizeSheet sheet = tiny_sheet();
    sheet.tokens = 5;
    const std::string english = size_text(sheet).english;
    CHECK(has(english, "4·C²·L = 4 × 12² × 2 = 1,152\n"));
    CHECK(has(english, "T = 16  1,024   4.0 KiB   × 4\n"));
    CHECK(has(english, "[3, 2, 5, 6] → [3, 5, 12]\n"));
    CHECK(has(english, "tied: the token embedding itself"));
    const std::string chinese = size_text(sheet).chinese;
    CHECK(has(chinese, "层数 L = 2"));
    CHECK(has(chinese, "各头拼接"));
    CHECK(!has(chinese, "LLaMA"));
    sheet.compare = true;
    CHECK(has(size_text(sheet).chinese, "每 8 个头共用一组键和值"));
    CHECK(has(size_text(sheet).english, "6,738,415,616"));
}

TEST_CASE("size sheet: what the optimizer remembers is named, and what Muon saves") {
    SizeSheet sheet = tiny_sheet();
    CHECK(has(size_text(sheet).english, "\n  AdamW's m and v  "));
    CHECK(!has(size_text(sheet).english, "less than AdamW"));
    sheet.training.optimizer = UpdateRule::muon;
    CHECK(has(size_text(sheet).english, "\n  Muon's m, AdamW's m and v  "));
    // no v for 2 blocks × (4 × 144 + 2 × 240) weights, four bytes each (eight in double)
    CHECK(has(size_text(sheet).english,
              bytes_text(2112.0 * double(sizeof(Real))) + " less than AdamW alone"));
    CHECK(has(size_text(sheet).chinese, "Muon 的 m，AdamW 的 m 和 v"));
}

TEST_CASE("size sheet: a vocabulary that only the text knows counts as nothing, and says so") {
    SizeSheet sheet = tiny_sheet();
    sheet.model.vocabulary = 0;
    CHECK(has(size_text(sheet).english, "vocabulary V: from the text, which is not here"));
    CHECK(has(size_text(sheet).english, "[3, 8, 12] · [12, V] → [3, 8, V]\n"));
    CHECK(size_json(sheet).at("model").at("vocabulary").is_null());
}

TEST_CASE("size sheet: the same numbers as JSON") {
    const Json json = parse_json(size_json(tiny_sheet()).write(2), "sizes");
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
