#include "explain/sheet_example.h"

#include <doctest/doctest.h>

#include "explain/sheet_format.h"
#include "support/has.h"

using namespace zhuyi;

namespace {

std::string paper(const Sheet& sheet) { return sheet_as_terminal(sheet, {}); }

}  // namespace

TEST_CASE("猫 吃 鱼 on paper, line by line as in the course") {
    const std::string text = paper(example_sheet(worked_example(1, Mask::none), Language::chinese));
    for (const char* line :
         {"   猫  0.6000  0.4700\n   吃  0.4000  0.5400\n   鱼  0.5600  0.6500\n",
          "   Q[猫]·K[吃] = 0.6000·0.6000 + 0.4700·0.5600 = 0.6232\n",
          "   鱼  0.6335  0.7000  0.7419\n", "   吃  0.3537  0.3835  0.4063\n",
          "   猫  1.4609  1.5537  1.5962  4.6109\n", "   猫  0.3168  0.3370  0.3462\n",
          "   0.3370 · V[吃]  0.2123  0.1516\n", "   输出[猫]        0.4743  0.5875\n"}) {
        CAPTURE(line);
        CHECK(has(text, line));
    }
}

TEST_CASE("猫 吃 鱼 with two heads and a mask: the shapes of the course") {
    const std::string text =
        paper(example_sheet(worked_example(2, Mask::causal), Language::english));
    CHECK(has(text, "[1, 3, 4] → [1, 3, 2, 2] → [1, 2, 3, 2]"));
    CHECK(has(text, "[1, 2, 3, 2] → [1, 3, 2, 2] → [1, 3, 4]"));
    CHECK(has(text, "[1, 2, 3, 3] → [1, 3, 3]"));
    CHECK(has(text, "   猫  0.3791       ·       ·\n"));
}

TEST_CASE("the smaller examples on paper") {
    const std::string dot = paper(dot_sheet(worked_dot(), Language::chinese));
    CHECK(has(dot, "邀请 · 小 = 0.8000·0.2000 + 0.2000·0.8000 + 0.7000·0.3000 = 0.5300\n"));
    CHECK(has(dot, "   沈  0.6600  1.0817  0.8602  0.7093\n"));
    CHECK(
        has(paper(query_sheet(worked_query(), Language::english)), "q  0.3800  0.4800  0.5800\n"));
    const std::string softmax = paper(softmax_sheet(worked_softmax(), Language::english));
    CHECK(has(softmax, "   ÷ √512    0.2559  0.1998  0.3221  0.2222\n"));
    CHECK(has(softmax, "   ÷ √128    0.2534  0.1545  0.4012  0.1910\n"));
}
