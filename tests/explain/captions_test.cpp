// What a sheet says in words, its numbers must not contradict: a case for each such sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "explain/examples.h"
#include "explain/forward.h"
#include "explain/step.h"
#include "formats/sheet_format.h"
#include "support/close.h"
#include "support/has.h"
#include "support/worked_fixture.h"

using namespace zhuyi;

namespace {

// On a line so long that nothing is broken.
std::string on_paper(const Sheet& sheet) { return sheet_as_markdown(sheet, {}); }

Sheet step_of(Index step) {
    static const char* const kSentence =
        "小沈阳江西演唱会，吃了一个苹果，股票是苹果，小沈阳吃了一个苹果";
    WorkedFixture fixture;
    const std::vector<Token> text = fixture.ids(kSentence);
    if (step > 0) return step_sheet(fixture.running(step), text);
    return step_sheet({fixture.model(), *fixture.optimizer, fixture.training, 0}, text);
}

}  // namespace

TEST_CASE(
    "caption: a longer key has the larger score, or the lower one where the cosine is negative") {
    const Speaking chinese(Language::chinese);
    const Numbers q{1, 0}, near{1, 1}, far{2, 2}, back{-1, 1}, far_back{-2, 2};
    CHECK(dot(q, far) > dot(q, near));
    CHECK(dot(q, far_back) < dot(q, back));
    CHECK(has(on_paper(dot_sheet()), "分数的绝对值越大（余弦为负时反而更低）"));
}

TEST_CASE("caption: how far AdamW moves a weight is measured, not claimed") {
    const Speaking chinese(Language::chinese);
    const Sheet s = step_of(20);
    const Numbers& steps = s.at("blocks").paragraph(-1).numbers;  // on average, at most
    CHECK(steps[0] > 0);
    CHECK(steps[0] < steps[1]);
    CHECK(has(on_paper(s), format("平均移动 %.2f η，最多 %.2f η", steps[0], steps[1])));
}

TEST_CASE("caption: in the first step all rows move alike, so they are ranked by their gradient") {
    const Speaking chinese(Language::chinese);
    const Sheet s = step_of(0);
    const Numbers& steps = s.at("blocks").paragraph(-1).numbers;
    CHECK(steps[1] < 1.3);  // ± η, and a little decay
    CHECK(steps[0] > 0.9);
    const Numbers moved = s.table("rows").column(0), gradient = s.table("rows").column(1);
    for (Index i = 1; i < gradient.count(); ++i) CHECK(gradient[i] <= gradient[i - 1]);
    CHECK(*std::ranges::max_element(moved) < 1.2 * *std::ranges::min_element(moved));
    CHECK(gradient.front() > 2 * gradient.back());
    CHECK(has(on_paper(s), "第一步之前 m、v 都是 0"));
    CHECK(!has(on_paper(s), "记着的一阶矩"));
    CHECK(has(on_paper(step_of(20)), "移动最多的词向量"));
}

TEST_CASE("caption: the way of the vector is told by its longest move") {
    const Speaking chinese(Language::chinese);
    WorkedFixture fixture;
    Sheet sheet{};
    write_forward(sheet, read(fixture.model(), fixture.ids("吃了苹果"), {0, 0, -1}));
    const Numbers moved = sheet.table("stack", "moves").column(0);
    const std::string paper = on_paper(sheet);
    CHECK(has(paper, format("‖Δx‖ = %.4f，而移动之前", *std::ranges::max_element(moved))));
    const double before = length(sheet.table("residual", "residual_1").row("x").numbers());
    CHECK(has(paper, format("这里输出的范数是 x 的 %.2f 倍", moved[0] / before)));
    CHECK(close(length(sheet.table("output").row(-1).numbers()), moved[0], 1e-4));
}

TEST_CASE("caption: a loss says its unit") {
    const Speaking chinese(Language::chinese);
    CHECK(has(on_paper(step_of(20)), "奈特/token"));
    WorkedFixture fixture;
    const std::vector<Token> ids = fixture.ids("吃了苹果");
    const auto text = std::span<const Token>(ids);
    const WorkedTraining training = fixture.running();
    const TrainedReading r(training, text.first(3), text.subspan(1), {0, 0, -1});
    Sheet sheet{};
    write_forward(sheet, r);
    write_backward(sheet, training, r);
    CHECK(has(on_paper(sheet), "-ln p(目标字) 的平均，单位是奈特/token"));
    CHECK(has(on_paper(backward_path(r, sheet)), format("平均损失 %.4f 奈特/token", r.loss)));
}

TEST_CASE("formulas: a negative number stands in parentheses") {
    const Speaking chinese(Language::chinese);
    CHECK(factor_text(-0.5, 2) == "(-0.50)");
    CHECK(factor_text(0.5, 2) == "0.50");
    Sheet sheet{};
    sheet.section("s", "");
    const Numbers a{-1, 2}, b{0.5, -0.25};
    sheet.product("y", a, b, -1, -0.5);
    CHECK(has(on_paper(sheet), "(-1.0000)·0.5000 + 2.0000·(-0.2500) + (-0.5000) = -1.0000"));
}

TEST_CASE("main path: at most 45 lines in both languages, forward and backward") {
    for (const Position position : kPositions) {
        WorkedFixture fixture(position, UpdateRule::muon);
        const std::vector<Token> ids = fixture.ids("小沈阳江西演唱会");
        const auto text = std::span<const Token>(ids);
        const WorkedTraining training = fixture.running();
        const TrainedReading r(training, text.first(text.size() - 1), text.subspan(1), {1, 1, -1});
        for (const Language language : {Language::english, Language::chinese}) {
            const Speaking speaking(language);
            Sheet whole{{"title", "标题"}};
            write_forward(whole, r);
            const Sheet forward = forward_path(r, whole);
            write_backward(whole, training, r);
            for (const Sheet& path : {forward, backward_path(r, whole)}) {
                const std::string paper = sheet_as_terminal(path, {});
                CHECK(std::ranges::count(paper, '\n') <= 45);
                CHECK(has(paper, say({"--sheets all", "都从 0 数起"})));
            }
        }
    }
    WorkedFixture fixture;
    Sheet whole{{"title", "标题"}};
    const std::vector<Token> ids = fixture.ids("小沈阳江西");
    write_forward(whole, read(fixture.model(), ids, {0, 0, -1}));
    // it names sheets that are there
    CHECK(chosen_sheets(whole, "5,8-10").sections.size() == 4);
    CHECK(chosen_sheets(whole, "5").sections[0].title == whole.sections[4].title);
    for (const char* wrong : {"", "0", "5-", "x", "99", "3-2", "5,"})
        CHECK_THROWS_AS(chosen_sheets(whole, wrong), UsageError);
}
