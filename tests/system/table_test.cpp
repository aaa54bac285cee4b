#include "system/table.h"

#include <doctest/doctest.h>

using namespace zhuyi;

TEST_CASE("table: columns are as wide as a terminal shows them, in each language") {
    Table table("lr");
    table.row({Words{"embedding", "词向量"}, std::string("1,024")});
    table.row({Words{"all", "合计"}, std::string("7")});
    table.row({Words{"nothing", "没有数"}});
    CHECK(table.text().chinese ==
          "  词向量  1,024\n"
          "  合计        7\n"
          "  没有数\n");
    CHECK(table.text().english ==
          "  embedding  1,024\n"
          "  all            7\n"
          "  nothing\n");
}
