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
    const DataSheet sheet = data_sheet(corpus, 1);
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
