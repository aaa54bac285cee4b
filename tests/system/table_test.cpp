#include "system/table.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("table: columns are as wide as a terminal shows them") {
    Table table("lr");
    table.row({"词向量", "1,024"});
    table.row({"all", "7"});
    table.row({"没有数"});
    CHECK(table.text() ==
          "  词向量  1,024\n"
          "  all         7\n"
          "  没有数\n");
}
