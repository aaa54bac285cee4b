#include "run/comparison.h"

#include <doctest/doctest.h>

#include "base/check.h"

using namespace zhuyi;

using Settings = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("comparison: an option and its values are one variant each") {
    const std::vector<Variant> all = variants_of("freeze=none,embedding,attention+ffn");
    REQUIRE(all.size() == 3);
    CHECK(all[0].name == "freeze=none");
    CHECK(all[0].settings == Settings{{"freeze", ""}});
    CHECK(all[2].name == "freeze=attention+ffn");
    CHECK(all[2].settings == Settings{{"freeze", "attention,ffn"}});
}

TEST_CASE("comparison: a part with = sets another option of the same variant") {
    const std::vector<Variant> all = variants_of("optimizer=muon,adamw+learning_rate=0.004");
    REQUIRE(all.size() == 2);
    CHECK(all[1].settings == Settings{{"optimizer", "adamw"}, {"learning_rate", "0.004"}});
}

TEST_CASE("comparison: several options give every combination") {
    const std::vector<Variant> all = variants_of("layers=1,2 position=learned,rotary");
    REQUIRE(all.size() == 4);
    CHECK(all[1].name == "layers=1+position=rotary");
    CHECK(all[3].settings == Settings{{"layers", "2"}, {"position", "rotary"}});
}

TEST_CASE("comparison: what is no comparison is refused") {
    for (const char* vary : {"", "freeze", "=a,b", "freeze=", "freeze=+", "freeze=a+=b"})
        CHECK_THROWS_WITH_AS(variants_of(vary), doctest::Contains("--vary: expected"), UsageError);
    CHECK_THROWS_WITH_AS(variants_of("layers=1,1"), doctest::Contains("twice"), UsageError);
}

TEST_CASE("comparison: options, values and the number of trainings are checked, then multiplied") {
    std::string hundreds;
    for (int i = 1; i <= 3000; ++i) hundreds += "," + std::to_string(i);
    const std::string large = "seed=" + hundreds + " steps=" + hundreds;
    CHECK_THROWS_WITH_AS(variants_of(large), doctest::Contains("9000000 trainings"), UsageError);
    CHECK_THROWS_WITH_AS(variants_of(large + " widht=1"), doctest::Contains("widht"), UsageError);
    CHECK_THROWS_WITH_AS(variants_of("layers=1,none"), doctest::Contains("layers"), UsageError);
}
