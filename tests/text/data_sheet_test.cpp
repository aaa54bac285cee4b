#include "text/data_sheet.h"

#include <doctest/doctest.h>

#include "support/has.h"
#include "text/corpus.h"

using namespace zhuyi;

// Two texts of 4 and 5 characters that share 小猫; the last tenth is for validation.
TEST_CASE("data sheet: what is counted, and what is said of it") {
    TextOptions options;
    options.split = Split::tail;
    const Corpus corpus = Corpus::from({{"诗", "小猫吃鱼\n\n小猫看月亮\n"}}, options);
    const DataSheet sheet = data_sheet(corpus, options);
    CHECK(sheet.text.documents == 2);
    CHECK(sheet.text.characters == 9);
    CHECK(sheet.text.distinct == 7);
    CHECK(sheet.train.documents == 2);
    CHECK(sheet.train.characters + sheet.validation.characters == 9 + 2);  // two ends
    CHECK(sheet.repeated.longest_shared == "小猫");
    CHECK(data_json(sheet).at("longest_shared_passage").text() == "小猫");
    // It is marked where a passage begins and ends.
    CHECK(has(data_text(sheet).english, "2  characters in two documents: “小猫”\n"));
    CHECK(has(data_text(sheet).chinese, "2  个字符，两篇共有：〔小猫〕\n"));
}

// The parts are the same; tokens are fewer than bytes, and characters are still characters.
TEST_CASE("data sheet: with byte pairs it counts joined pairs, and characters as before") {
    TextOptions options;
    options.split = Split::tail;
    options.tokenizer = TokenizerKind::bpe;
    options.bpe_vocabulary = 261;  // 小猫 is six bytes: four of the five joins
    const Corpus corpus = Corpus::from({{"诗", "小猫小猫小猫小猫，看月亮"}}, options);
    const DataSheet sheet = data_sheet(corpus, options);
    CHECK(sheet.vocabulary == 261);
    CHECK(sheet.train.characters == 10);
    CHECK(sheet.train.tokens == 4 * 2 + 2 * 3);  // two characters of validation are 亮 and the end
    CHECK(sheet.validation.tokens == 2 * 3 + 1);
    CHECK(sheet.validation.characters == 2 + 1);
    CHECK(has(data_text(sheet).english, "256 bytes, 4 joined pairs\n"));
    CHECK(has(data_text(sheet).chinese, "256 个字节、4 个合并出来的\n"));
}
