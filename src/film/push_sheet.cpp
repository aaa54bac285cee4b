#include "film/push_sheet.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/grid.h"
#include "film/history.h"
#include "film/history_plan.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

// What each context has added to E[token] from step 0 up to a frame.
struct Pushed {
    struct Context {
        Label name, kind;           // "， → [小]", "predicted"
        std::string times;          // in the training part: "1577/31413"; "": does not apply
        std::vector<double> moved;  // (C)
        // (C) both, of a place where the token was predicted: as the right answer, and as a guess
        // while another token came. They sum to `moved`. Empty: it was read there.
        std::vector<double> answer{}, guess{};
    };
    Index step;
    std::vector<Context> contexts;
    std::vector<double> moved;    // (C): E[token] now minus E[token] at step 0
    std::vector<double> divisor;  // (C): √v̂ + ε at this step; empty at step 0
};

constexpr std::size_t kRows = 16, kDirections = 3, kReasons = 6;

// "pushed.contexts": kind, before, next, times of each place.
struct Place {
    PushKind kind;
    Index before, next, times;
};

Place place_at(const HistoryNumbers& contexts, Index token, Index place) {
    const auto at = [&](Index i) {
        return Index(contexts[std::size_t((token * kPushPlaces + place) * 4 + i)]);
    };
    return {PushKind(at(0)), at(1), at(2), at(3)};
}

constexpr Words kOthers = {"all other contexts", "其他所有上下文"};

Index place_of_pushed(const History& history, const Tokenizer& tokenizer, Token token) {
    std::vector<Token> tokens;
    if (history.carries(history.start, "pushed"))
        tokens = history.numbers(history.start, "pushed").as<Token>();
    const auto found = std::ranges::find(tokens, token);
    if (found != tokens.end()) return found - tokens.begin();
    if (tokens.empty())
        fail_usage(
            {"this training recorded of no character what pushed it: history_why was off, "
             "the embedding was frozen, or an earlier version of zhuyi made it",
             "这次训练没有记录任何字是被什么推动的：history_why 是 off，或词向量被冻结，或由旧"
             "版 zhuyi 训练"});
    std::string all;
    for (const Token each : tokens) all += tokenizer.name(each);
    fail_usage({"what pushed %1$s was not recorded in this training; recorded: %2$s. Train with "
                "--history-why=%1$s to record it.",
                "这次训练没有记录是什么推动了“%1$s”；记录了：%2$s。训练时加上 --history-why=%1$s "
                "就会记录。"},
               tokenizer.name(token), all);
}

std::vector<double> part_of(const HistoryNumbers& numbers, Index part, std::size_t C) {
    std::vector<double> values;
    for (std::size_t c = 0; c < C; ++c) values.push_back(numbers[std::size_t(part) * C + c]);
    return values;
}

// Largest |x| first.
std::vector<std::size_t> by_size(const std::vector<double>& x) {
    std::vector<std::size_t> order(x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(x[i]); });
    return order;
}

std::vector<double> along_each(const Pushed& p, const std::vector<double>& direction) {
    std::vector<double> all;
    for (const Pushed::Context& context : p.contexts)
        all.push_back(along(context.moved, direction));
    return all;
}

void write_contexts(Sheet& sheet, const Pushed& p, const std::string& name) {
    sheet.section("contexts", {"Which contexts pushed it", "哪些上下文推动了它"});
    sheet.text(
        {"“李 [小] → 羊, read”: 小 was read after 李, and 羊 was to be predicted. “， → [小], "
         "predicted”: after ， the model predicts. Where %1$s came, E[%1$s] is pulled towards what "
         "the output layer reads there; where another one came, it is pushed away, the more the "
         "likelier it had been held. The two nearly cancel once the guesses are as frequent as the "
         "answers: their sum is the row's. Times: in the training text. All lengths are along "
         "ΔE: the last column adds up to ‖ΔE‖, but for rounding.",
         "“李 [小] → 羊，作输入”：读到“李”后面的“小”，要预测的是“羊”。“， → "
         "[小]，作输出”：在“，”之后作预测。"
         "后面真是“%1$s”，E[%1$s] "
         "就被拉向输出层在那里读到的向量；后面是别的字，就被推开，模型给它的概率越大，"
         "推得越多。概率之和与真出现的次数相当时，两者几乎抵消，两者之和就是这一行。次数：在训练文"
         "本中。数都是在 "
         "ΔE 方向上的分量：最后一列之和就是 ‖ΔE‖（只差舍入）。"},
        name);
    Sheet::Table& table = sheet.list("contexts", {"",
                                                  {"times", "次数"},
                                                  {"it came", "是它"},
                                                  {"another came", "不是它"},
                                                  {"along ΔE", "沿 ΔE"}});
    const std::vector<double> along = along_each(p, p.moved);
    const std::vector<std::size_t> order = by_size(along);
    double shown = 0, all = 0;
    for (const double x : along) all += x;
    const std::size_t rows = std::min(kRows, order.size());
    const double size = length(p.moved);
    for (std::size_t i = 0; i < rows; ++i) {
        const Pushed::Context& c = p.contexts[order[i]];
        const auto part = [&](const std::vector<double>& x) {
            return x.empty() || size == 0 ? Sheet::Cell() : Sheet::Cell(dot(x, p.moved) / size);
        };
        table.add(c.name, {c.kind, c.times, part(c.answer), part(c.guess), along[order[i]]});
        shown += along[order[i]];
    }
    if (rows < order.size())
        table.add(say({"%zu smaller ones", "另外 %zu 种较小的"}, order.size() - rows),
                  {"", "", Sheet::Cell(), Sheet::Cell(), all - shown});
    table.total("Σ", {"", "", Sheet::Cell(), Sheet::Cell(), all});
}

void write_directions(Sheet& sheet, const Pushed& p, const History& history,
                      const Tokenizer& tokenizer, Token token, const std::vector<Token>& towards) {
    sheet.section("towards", {"Towards whom", "朝着谁"});
    sheet.text(
        {"The same contributions along the line from where E[%s] began to where another "
         "embedding is at step %td: positive brought it nearer in this direction.",
         "同样的贡献，投影到从 E[%s] 的初始值到另一个字的词向量（第 %td 步）的方向上：正数使它"
         "在这个方向上靠近。"},
        tokenizer.name(token), p.step);
    const Frame& frame = history.frame_at(p.step);
    const std::vector<double> start =
        history.embedding(history.frames.front(), watched_place(history, tokenizer, token));
    for (const Token other : towards) {
        std::vector<double> way =
            history.embedding(frame, watched_place(history, tokenizer, other));
        for (std::size_t c = 0; c < way.size(); ++c) way[c] -= start[c];
        const std::vector<double> along = along_each(p, way);
        double all = 0;
        for (const double x : along) all += x;
        const std::string key = "towards_" + tokenizer.name(other);
        Sheet::Table& table = sheet.list(key, {"", {"along", "沿此方向"}});
        table.caption = say({"towards %s: %+.4f", "朝“%s”：%+.4f"}, tokenizer.name(other), all);
        const std::vector<std::size_t> order = by_size(along);
        double shown = 0;
        for (std::size_t i = 0; i < std::min(kReasons, order.size()); ++i) {
            table.add(p.contexts[order[i]].name, {p.contexts[order[i]].kind, along[order[i]]});
            shown += along[order[i]];
        }
        table.add({"the others together", "其余合计"}, {"", all - shown});
    }
}

// row(k): what place k has added; after the places: guesses elsewhere, and weight decay.
template <class Row>
void add_contexts(Pushed& p, const HistoryNumbers& contexts, Index which, const std::string& name,
                  const Tokenizer& tokenizer, const Row& row) {
    const auto token = [&](Index id) { return tokenizer.name(Token(id)); };
    for (Index k = 0; k <= kOtherRead; ++k) {
        const Place place = place_at(contexts, which, k);
        if (place.kind == PushKind::none) continue;
        const std::string text = place.before == kAnyOther ? say(kOthers)
                                                           : token(place.before) + " [" + name +
                                                                 "] → " + token(place.next);
        p.contexts.push_back({text, {"read", "作输入"}, std::to_string(place.times), row(k)});
    }
    const Index apart = kFirstGuess - kFirstAnswer;  // from an answer's place to the guess's
    for (Index k = kFirstAnswer; k <= kOtherAnswer; ++k) {
        const Place place = place_at(contexts, which, k);
        if (place.kind == PushKind::none) continue;
        const bool other = k == kOtherAnswer;
        const Index missed = other ? 0 : place_at(contexts, which, k + apart).times;
        Pushed::Context c{other ? say(kOthers) : token(place.before) + " → [" + name + "]",
                          {"predicted", "作输出"},
                          other ? std::to_string(place.times)
                                : format("%td/%td", place.times, place.times + missed),
                          row(k),
                          row(k),
                          row(other ? kPushPlaces : k + apart)};
        for (std::size_t i = 0; i < c.moved.size(); ++i) c.moved[i] += c.guess[i];
        p.contexts.push_back(std::move(c));
    }
    p.contexts.push_back(
        {{"weight decay", "权重衰减"}, {"-η λ E", "-η λ E"}, "", row(kPushPlaces + 1)});
}

std::vector<Token> nearest_watched(const History& history, const Frame& frame, Index place) {
    const std::vector<Token> all = history.numbers(frame, "watched.neighbours").as<Token>();
    const std::size_t each = all.size() / std::max<std::size_t>(history.watched.size(), 1);
    std::vector<Token> found;
    for (std::size_t i = 0; i < each && found.size() < kDirections; ++i)
        if (const Token other = all[std::size_t(place) * each + i]; history.place_of(other) >= 0)
            found.push_back(other);
    return found;
}

Pushed pushed(const History& history, const Tokenizer& tokenizer, Token token) {
    const Index which = place_of_pushed(history, tokenizer, token);
    const Frame* last = nullptr;
    for (const Frame& frame : history.frames)
        if (history.carries(frame, "pushed.moved")) last = &frame;
    if (!last)
        fail(
            {"the history has no frame that says what pushed the embeddings: there is none yet, or "
             "recording began after step 0",
             "训练回放没有一帧记录是什么推动了词向量：可能还没有记到，也可能不是从第 0 "
             "步开始记录"});
    Pushed p{last->step, {}, {}, {}};
    const Index place = watched_place(history, tokenizer, token);
    const HistoryNumbers moved = history.numbers(*last, "pushed.moved");
    const HistoryNumbers contexts = history.numbers(history.start, "pushed.contexts");
    p.moved = history.embedding(*last, place);
    const std::vector<double> start = history.embedding(history.frames.front(), place);
    const std::size_t C = p.moved.size();
    for (std::size_t c = 0; c < C; ++c) p.moved[c] -= start[c];
    add_contexts(p, contexts, which, tokenizer.name(token), tokenizer,
                 [&](Index row) { return part_of(moved, which * (kPushPlaces + 2) + row, C); });
    p.divisor = part_of(history.numbers(*last, "pushed.divisor"), which, C);
    return p;
}

}  // namespace

Sheet push_sheet(const History& history, const Tokenizer& tokenizer, Token token,
                 std::vector<Token> towards) {
    const Pushed p = pushed(history, tokenizer, token);
    const std::string name = tokenizer.name(token);
    const Index place = watched_place(history, tokenizer, token);
    if (towards.empty()) towards = nearest_watched(history, history.frame_at(p.step), place);
    Sheet sheet{say(
        {"What pushed E[%s], from step 0 to step %td", "是什么推动了 E[%s]：第 0 步到第 %td 步"},
        name, p.step)};
    sheet.section("whole", {"The whole way", "整段路"});
    std::vector<double> divisor = p.divisor;
    std::ranges::sort(divisor);
    sheet.text({"‖ΔE[%s]‖ = %.4f. Every update was -η m̂ / (√v̂ + ε) - η λ E; m̂ is a sum over the "
                "contexts whose gradients are in it, so each has its own part of every update. "
                "Dividing by √v̂ + ε is AdamW's normalisation: one number for each of the %zu "
                "components, the same for all contexts. At step %td it lies between %.2e and %.2e, "
                "the middle one is %.2e.",
                "‖ΔE[%s]‖ = %.4f。每次更新都是 -η m̂ / (√v̂ + ε) - η λ E；m̂ 是各种上下文的梯度之和，"
                "所以每种上下文在每次更新中都有自己的一份。除以 √v̂ + ε 是 AdamW 的归一化：%zu 个分"
                "量各有一个数，对所有上下文都一样。在第 %td 步，它在 %.2e 与 %.2e 之间，中位数 "
                "%.2e。"},
               name, length(p.moved), divisor.size(), p.step, divisor.front(), divisor.back(),
               divisor[divisor.size() / 2]);
    write_contexts(sheet, p, name);
    write_directions(sheet, p, history, tokenizer, token, towards);
    return sheet;
}

}  // namespace zhuyi
