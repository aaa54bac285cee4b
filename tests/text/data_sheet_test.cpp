#include "text/data_sheet.h"

#include <doctest/doctest.h>

#include "formats/sheet_format.h"
#include "support/has.h"
#include "text/corpus.h"

using namespace zhuyi;

// Two texts of 4 and 5 characters that share 小猫; the last tenth is for validation.
TEST_CASE("data sheet: what is counted, and what is said of it") {
    TextOptions options;
    options.split = Split::tail;
    const Corpus corpus = Corpus::from({{"诗", "小猫吃鱼\n\n小猫看月亮\n"}}, options);
    const Sheet sheet = data_sheet(corpus, options);
    const Json found = parse_json(sheet_as_json(sheet), "data");
    const auto number = [&](const char* path) { return Json(found).at_path(path).integer(); };
    CHECK(number("documents") == 2);
    CHECK(number("characters") == 9);
    CHECK(number("distinct_characters") == 7);
    CHECK(number("train.documents") == 2);
    CHECK(number("train.characters") + number("validation.characters") == 9 + 2);  // two ends
    CHECK(found.at("longest_shared_passage").text() == "小猫");
    // It is marked where a passage begins and ends.
    CHECK(has(sheet_as_terminal(sheet, {}), "2  characters in two documents: “小猫”\n"));
    CHECK(has(in_chinese([&] { return sheet_as_terminal(data_sheet(corpus, options), {}); }),
              "2  个字符，两篇共有：〔小猫〕\n"));
}

// The parts are the same; tokens are fewer than bytes, and characters are still characters.
TEST_CASE("data sheet: with byte pairs it counts joined pairs, and characters as before") {
    TextOptions options;
    options.split = Split::tail;
    options.tokenizer = TokenizerKind::bpe;
    options.bpe_vocabulary = 261;  // 小猫 is six bytes: four of the five joins
    const Corpus corpus = Corpus::from({{"诗", "小猫小猫小猫小猫，看月亮"}}, options);
    const Sheet sheet = data_sheet(corpus, options);
    const Json found = parse_json(sheet_as_json(sheet), "data");
    const auto number = [&](const char* path) { return Json(found).at_path(path).integer(); };
    CHECK(number("vocabulary") == 261);
    CHECK(number("train.characters") == 10);
    // two characters of validation are 亮 and the end
    CHECK(number("train.tokens") == 4 * 2 + 2 * 3);
    CHECK(number("validation.tokens") == 2 * 3 + 1);
    CHECK(number("validation.characters") == 2 + 1);
    CHECK(has(sheet_as_terminal(sheet, {}), "256 bytes, 4 joined pairs\n"));
    CHECK(has(in_chinese([&] { return sheet_as_terminal(data_sheet(corpus, options), {}); }),
              "256 个字节、4 个合并出来的\n"));
}
