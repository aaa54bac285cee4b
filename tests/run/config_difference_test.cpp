#include "run/run_folder.h"

#include <doctest/doctest.h>

#include "cost/plan.h"

using namespace zhuyi;

TEST_CASE("difference of two configurations: every option that differs, in the order of run.conf") {
    RunConfig one, two;
    CHECK(differences(one, two).empty());
    CHECK(differences_text({}).english.empty());
    one.model.channels = 64, two.model.channels = 128;
    one.train.steps = 100, two.train.steps = 2000;
    two.text.data = "poems\x1b.txt";
    two.train.plan = "0:2000";  // follows from the steps
    const auto found = differences(one, two);
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == "data");
    CHECK(found[1].name == "channels");
    CHECK(found[1].first == "64");
    CHECK(found[1].second == "128");
    CHECK(found[1].group.chinese == std::string("模型"));
    CHECK(found[2].name == "steps");
    CHECK(differences_text(found).english ==
          "data \"\", poems␛.txt; channels 64, 128; steps 100, 2000");
    CHECK(differences_text(found).chinese ==
          "data \"\"，poems␛.txt；channels 64，128；steps 100，2000");
}
