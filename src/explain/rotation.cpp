#include "explain/rotation.h"

#include <cmath>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/math.h"
#include "ops/rotary.h"

namespace zhuyi {
namespace {

constexpr double kRadians = 6.283185307179586;  // a turn
constexpr Index kMoved = 100;                   // so far both go on together

// A vector of this head as it stands at some position, by the op itself.
Numbers at_position(std::span<const double> x, Index position) {
    const Index D = std::ssize(x);
    std::vector<Real> table = rotary_angles(position + 1, D);
    Tape tape(false);
    const Tensor angles{table.data(), nullptr, nullptr, {position + 1, D}};
    return Grid(rotary(constant(tape, {1, 1, D}, x), angles, 1, position)).values;
}

WorkedRotation::Turn turn_of(const Grid& before, const Grid& after, Index position) {
    const Index D = before.columns, half = D / 2;
    const double angle = rotary_angle(position, 0, D);
    return {position,
            angle * kRadians,
            math::cos_turns(angle),
            math::sin_turns(angle),
            before.at(position, 0),
            before.at(position, half),
            after.at(position, 0),
            after.at(position, half)};
}

}  // namespace

WorkedRotation worked_rotation(const WorkedText& text, const Grid& Q, const Grid& K,
                               const WorkedHead& head) {
    const Index q = text.focus.query;
    const Index key = q > 0 ? largest(head.weights.row(q).first(std::size_t(q))) : 0;
    WorkedRotation r{turn_of(Q, head.Q, q), turn_of(K, head.K, key), {}, {}};
    for (Index i = 0; i < Q.columns / 2; ++i)
        r.speeds.push_back(rotary_angle(1, i, Q.columns) * kRadians);
    for (const auto& [query_at, key_at] :
         {std::pair(q, key), std::pair(q + kMoved, key + kMoved), std::pair(q + kMoved, key)})
        r.scores.push_back({query_at, key_at,
                            dot(at_position(Q.row(q), query_at), at_position(K.row(key), key_at))});
    return r;
}

// ---- the sheet

namespace {

// q'[0] = a cos + b (- sin), q'[D/2] = a sin + b cos; name: "q'[鱼]"
void write_turn(Sheet& sheet, const std::string& name, Index half, const WorkedRotation::Turn& t) {
    const double x[] = {t.a, t.b}, first[] = {t.cosine, -t.sine}, second[] = {t.sine, t.cosine};
    sheet.product(name + "[0]", x, first, t.a_turned);
    sheet.product(format("%s[%td]", name.c_str(), half), x, second, t.b_turned);
}

void write_pair(Sheet& sheet, const WorkedText& text, const WorkedRotation& r) {
    const Index half = text.config.head_size() / 2;
    const std::string query = "[" + text.query_token() + "]";
    const std::string key = "[" + text.tokens[std::size_t(r.key.position)] + "]";
    Sheet::Table& table = sheet.list("rotation", {{"position t", "位置 t"},
                                                  "t · θ_0",
                                                  "cos",
                                                  "sin",
                                                  {"channel 0", "第 0 维"},
                                                  say({"channel %td", "第 %td 维"}, half),
                                                  {"0, turned", "旋转后第 0 维"},
                                                  say({"%td, turned", "旋转后第 %td 维"}, half)});
    for (const auto& [name, t] : {std::pair("q" + query, r.query), std::pair("k" + key, r.key)})
        table.add(name, {std::to_string(t.position), t.angle, t.cosine, t.sine, t.a, t.b,
                         t.a_turned, t.b_turned});
    write_turn(sheet, "q'" + query, half, r.query);
    write_turn(sheet, "k'" + key, half, r.key);
}

void write_distance(Sheet& sheet, const WorkedText& text, const WorkedRotation& r) {
    sheet.text(
        {"The score depends on the distance alone. The same q of %s and k of %s, as they "
         "would be %td positions on: both have turned further, by the same angle, and the "
         "score stays. Move only the query, and it changes.",
         "分数只与距离有关。把“%s”的 q 和“%s”的 k 都往后移 %td 个位置：两者多转了同样的角度，"
         "分数不变；只移动查询，分数就变了。"},
        text.query_token(), text.tokens[std::size_t(r.key.position)], kMoved);
    Sheet::Table& table =
        sheet.list("rotation_distance",
                   {{"q at", "q 的位置"}, {"k at", "k 的位置"}, {"distance", "距离"}, "q' · k'"});
    const Label names[] = {{"in this text", "这段文字里"},
                           {"both moved on", "一起后移"},
                           {"the query alone", "只移查询"}};
    for (std::size_t i = 0; i < r.scores.size(); ++i) {
        const auto& [query, key, product] = r.scores[i];
        table.add(names[i], {std::to_string(query), std::to_string(key),
                             std::to_string(query - key), product});
    }
}

}  // namespace

void write_rotation(Sheet& sheet, const WorkedText& text, const WorkedHead& head,
                    const WorkedRotation& r) {
    const Index D = text.config.head_size();
    sheet.section("rotation",
                  {"Rotary positions: q and k are turned", "旋转位置编码 RoPE：按位置旋转 q 和 k"});
    sheet.formula(
        "q'[i] = q[i] cos tθ_i - q[i+D/2] sin tθ_i,   "
        "q'[i+D/2] = q[i] sin tθ_i + q[i+D/2] cos tθ_i,   θ_i = 10000^(-2i/D)");
    sheet.text(
        {"Channels i and i + %1$td of a head are the two coordinates of a point. At position "
         "t it is turned by t · θ_i; V is not turned. Pair 0 turns fastest, by %2$.4f "
         "radians a position, once around in %3$.1f positions; pair %4$td slowest, once "
         "around in %5$.0f. The fast pairs tell neighbours apart, the slow ones far from "
         "near.",
         "每个头的第 i 维和第 i + %1$td 维看作平面上一个点的两个坐标；在位置 t，这个点旋转 "
         "t · θ_i。V 不旋转。第 0 对转得最快，每个位置 %2$.4f 弧度，%3$.1f 个位置转一圈；第 "
         "%4$td 对最慢，%5$.0f 个位置才转一圈。快的分清相邻位置，慢的分清远近。"},
        D / 2, r.speeds.front(), kRadians / r.speeds.front(), D / 2 - 1,
        kRadians / r.speeds.back());
    write_pair(sheet, text, r);
    sheet.matrix("Q_turned", with_shape("Q'", head.Q.shape()), text.labels(), head.Q);
    sheet.matrix("K_turned", with_shape("K'", head.K.shape()), text.labels(), head.K);
    write_distance(sheet, text, r);
    sheet.text({"From here on Q and K are the turned ones.", "下面的 Q、K 都是旋转之后的。"});
}

}  // namespace zhuyi
