// The parameter table is the only list of parameters: whoever adds a row to it is done.
#include <doctest/doctest.h>

#include <algorithm>

#include "formats/safetensors.h"
#include "model/parameters.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/optimizer.h"

using namespace zhuyi;

namespace {

// The table of a tiny model and one more matrix at its end.
std::vector<Parameter> with_a_row_more() {
    std::vector<Parameter> table = parameter_table(tiny_config());
    table.push_back({"toy.W", {3, 5}, Kind::ffn_weight, -1, 0.5, 0.1, true, buffer_length(table)});
    return table;
}

struct Toy {
    std::vector<Parameter> table = with_a_row_more();
    Parameters parameters{table, true};
    std::unique_ptr<Optimizer> optimizer = make_optimizer(table, TrainConfig{});
    const Parameter& row = table.back();
    Toy() { parameters.initialise(1); }
};

}  // namespace

TEST_CASE("table: a row more is counted and initialised, and the others stay as they were") {
    Toy toy;
    const std::vector<Parameter> table = parameter_table(tiny_config());
    CHECK(count(toy.table) == count(table) + 15);
    CHECK(buffer_length(toy.table) == buffer_length(table) + 16);  // padded to a cache line
    Parameters without(table, true);
    without.initialise(1);
    for (const Parameter& p : table)
        CHECK(std::ranges::equal(toy.parameters.value(p), without.value(p)));
    for (const Real x : toy.parameters.value(toy.row)) CHECK(std::abs(double(x) - 0.5) < 0.5);
    CHECK(toy.parameters.value(toy.row)[0] != toy.parameters.value(toy.row)[1]);
    CHECK(toy.parameters.tensor("toy.W").shape == Shape{3, 5});
}

TEST_CASE("table: a row more is part of the fingerprint and of the gradient's length") {
    Toy toy;
    const std::uint64_t before = toy.parameters.fingerprint();
    toy.parameters.value(toy.row)[7] += 1;
    CHECK(toy.parameters.fingerprint() != before);
    Workspace workspace;
    toy.parameters.grad(toy.row)[7] = -4;
    CHECK(gradient_norm(toy.parameters, workspace) == 4);
}

TEST_CASE("table: a row more is optimized, and saved with what the optimizer remembers of it") {
    Toy toy;
    toy.parameters.grad(toy.row)[7] = 1;
    const Real before = toy.parameters.value(toy.row)[7];
    toy.optimizer->measure_next_update();
    toy.optimizer->update(toy.parameters, {1, 0.01});
    CHECK(toy.parameters.value(toy.row)[7] < before);
    CHECK(toy.optimizer->measured_update().back().moved > 0);

    const ScratchFolder folder;
    const std::string path = folder.path("toy.safetensors");
    write_checkpoint(path, {toy.parameters, *toy.optimizer}, {1, 2, 3, {}});
    CHECK(SafetensorsFile(path).at("toy.W").shape == std::vector<Index>{3, 5});
    Toy again;
    read_checkpoint(path, {again.parameters, *again.optimizer});
    CHECK(again.parameters.fingerprint() == toy.parameters.fingerprint());
    const auto state = toy.optimizer->state_of(toy.row),
               read = again.optimizer->state_of(again.row);
    REQUIRE(state.size() == read.size());
    CHECK(state[0].values[7] != 0);
    for (std::size_t i = 0; i < state.size(); ++i)
        CHECK(std::ranges::equal(state[i].values, read[i].values));
    CHECK(verify_checkpoint(path, toy.table, make_rules(TrainConfig{})).moments);
}
