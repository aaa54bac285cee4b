// What commands ask a history for: the place of a token, attention as it was recorded, and what
// pushed an embedding, as a sheet.
#include <algorithm>
#include <cmath>

#include "attention/maps.h"
#include "base/check.h"
#include "base/format.h"
#include "base/grid.h"
#include "film/history_plan.h"
#include "film/stream_list.h"
#include "formats/sheet.h"
#include "text/tokenizer.h"

namespace zhuyi {

Index watched_place(const History& history, const Tokenizer& tokenizer, Token token) {
    const Index place = history.place_of(token);
    if (place >= 0) return place;
    std::string some;
    for (Index i = 0; i < std::min<Index>(history.watched.count(), 30); ++i)
        some += tokenizer.name(history.watched[i]);
    fail_usage({"%1$s was not followed in this training; these %2$zu characters were: %3$s … Train "
                "with --history-characters=%1$s to follow it.",
                "这次训练没有跟踪“%1$s”；跟踪了这 %2$zu 个字：%3$s … "
                "训练时加上 --history-characters=%1$s 就会跟踪它。"},
               tokenizer.name(token), history.watched.size(), some);
}

AttentionMaps recorded_maps(const History& history, const Tokenizer& tokenizer,
                            std::string_view text, Index step) {
    const auto& sentences = history.sentences;
    const auto found = std::find(sentences.begin(), sentences.end(), tokenizer.encode(text));
    if (found == sentences.end()) {
        std::string recorded;
        for (const auto& tokens : sentences) recorded += "\n    " + tokenizer.decode(tokens);
        fail_usage({"'%s' was not recorded; these sentences were:%s",
                    "没有记录“%s”；记录了这些观察句：%s"},
                   text, recorded);
    }
    const auto sentence = std::size_t(found - sentences.begin());
    const Frame& frame = history.frame_at(step);
    const std::string name = sentence_stream(sentence, "attention");
    history.numbers(frame, name);  // an Error where it was not recorded
    const std::vector<Index>& shape = history.stream(name)->shape;  // (L, H, …)
    AttentionMaps maps;
    for (Index l = 0; l < shape[0]; ++l) maps.blocks.push_back(l);
    for (Index h = 0; h < shape[1]; ++h) maps.heads.push_back(h);
    for (const Token token : *found) maps.tokens.push_back(tokenizer.name(token));
    for (const Index l : maps.blocks)
        for (const Index h : maps.heads) {
            const List<float> map = history.map(frame, sentence, l, h);
            maps.weights.insert(maps.weights.end(), map.begin(), map.end());
        }
    return maps;
}

namespace {

// What a context has added to E[token] from step 0 up to a frame.
struct Pushed {
    Label name, kind;   // "， → [小]", "predicted"
    std::string times;  // in the training part: "1577/31413"; "" if that does not apply
    Numbers moved;      // (C)
    // (C) both, of a place where the token was predicted: as the right answer, and as a guess
    // while another token came. They sum to `moved`. Both are empty where the token was read.
    Numbers answer{}, guess{};
};

constexpr Index kRows = 16, kReasons = 6;
constexpr std::size_t kDirections = 3;

// "pushed.contexts": kind, before, next, times of each place.
PushContext place_at(const HistoryNumbers& contexts, Index token, Index place) {
    const auto at = [&](Index i) { return contexts[(token * kPushPlaces + place) * 4 + i]; };
    return {PushKind(at(0)), Token(at(1)), Token(at(2)), Index(at(3))};
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
    const std::string all = joined(tokens, "", [&](Token each) { return tokenizer.name(each); });
    fail_usage({"what pushed %1$s was not recorded in this training; recorded: %2$s. Train with "
                "--history-why=%1$s to record it.",
                "这次训练没有记录是什么推动了“%1$s”；记录了：%2$s。训练时加上 --history-why=%1$s "
                "就会记录。"},
               tokenizer.name(token), all);
}

Numbers part_of(const HistoryNumbers& numbers, Index part, Index C) {
    Numbers values;
    for (Index c = 0; c < C; ++c) values.push_back(numbers[part * C + c]);
    return values;
}

// Returns how far each context moved E[token] along a direction, the farthest first.
List<std::pair<double, const Pushed*>> along_each(const List<Pushed>& contexts,
                                                  const Numbers& direction) {
    List<std::pair<double, const Pushed*>> all;
    for (const Pushed& each : contexts) all.emplace_back(along(each.moved, direction), &each);
    std::ranges::stable_sort(all, std::greater(), [](auto& each) { return std::abs(each.first); });
    return all;
}

double sum_of(const List<Pushed>& contexts, const Numbers& direction) {
    double sum = 0;
    for (const Pushed& each : contexts) sum += along(each.moved, direction);
    return sum;
}

// moved: (C), E[token] now minus E[token] at step 0.
void write_contexts(Sheet& sheet, const List<Pushed>& contexts, const Numbers& moved,
                    const std::string& name) {
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
    const auto along = along_each(contexts, moved);
    const double all = sum_of(contexts, moved), size = length(moved);
    const Index rows = std::min(kRows, along.count());
    double shown = 0;
    for (Index i = 0; i < rows; ++i) {
        const auto& [length, c] = along[i];
        const auto part = [&](const Numbers& x) {
            return x.empty() || size == 0 ? Sheet::Cell() : Sheet::Cell(dot(x, moved) / size);
        };
        table.add(c->name, {c->kind, c->times, part(c->answer), part(c->guess), length});
        shown += length;
    }
    if (rows < along.count())
        table.add(say({"%td smaller ones", "另外 %td 种较小的"}, along.count() - rows),
                  {"", "", Sheet::Cell(), Sheet::Cell(), all - shown});
    table.total("Σ", {"", "", Sheet::Cell(), Sheet::Cell(), all});
}

void write_directions(Sheet& sheet, const List<Pushed>& contexts, const History& history,
                      const Frame& frame, const Tokenizer& tokenizer, Token token,
                      const std::vector<Token>& towards) {
    sheet.section("towards", {"Towards whom", "靠近了哪些字"});
    sheet.text(
        {"The same contributions along the line from where E[%s] began to where another "
         "embedding is at step %td: positive brought it nearer in this direction.",
         "同样的贡献，投影到从 E[%s] 的初始值到另一个字的词向量（第 %td 步）的方向上：正数使它"
         "在这个方向上靠近。"},
        tokenizer.name(token), frame.step);
    const Numbers start =
        history.embedding(history.frames.front(), watched_place(history, tokenizer, token));
    for (const Token other : towards) {
        const Numbers way =
            difference(history.embedding(frame, watched_place(history, tokenizer, other)), start);
        const double all = sum_of(contexts, way);
        const std::string key = "towards_" + tokenizer.name(other);
        Sheet::Table& table = sheet.list(key, {"", {"along", "沿此方向"}});
        table.caption = say({"towards %s: %+.4f", "朝“%s”：%+.4f"}, tokenizer.name(other), all);
        const auto along = along_each(contexts, way);
        double shown = 0;
        for (Index i = 0; i < std::min(kReasons, along.count()); ++i) {
            table.add(along[i].second->name, {along[i].second->kind, along[i].first});
            shown += along[i].first;
        }
        table.add({"the others together", "其余合计"}, {"", all - shown});
    }
}

// row(k): what place k has added; after the places: guesses elsewhere, and weight decay.
template <class Row>
List<Pushed> contexts_in(const HistoryNumbers& contexts, Index which, const std::string& name,
                         const Tokenizer& tokenizer, const Row& row) {
    List<Pushed> all;
    for (Index k = 0; k <= kOtherRead; ++k) {
        const PushContext place = place_at(contexts, which, k);
        if (place.kind == PushKind::none) continue;
        const std::string text =
            place.before == kAnyOther
                ? say(kOthers)
                : tokenizer.name(place.before) + " [" + name + "] → " + tokenizer.name(place.next);
        all.push_back({text, {"read", "作输入"}, std::to_string(place.times), row(k)});
    }
    const Index apart = kFirstGuess - kFirstAnswer;  // from an answer's place to the guess's
    for (Index k = kFirstAnswer; k <= kOtherAnswer; ++k) {
        const PushContext place = place_at(contexts, which, k);
        if (place.kind == PushKind::none) continue;
        const bool other = k == kOtherAnswer;
        const Index missed = other ? 0 : place_at(contexts, which, k + apart).times;
        Pushed c{other ? say(kOthers) : tokenizer.name(place.before) + " → [" + name + "]",
                 {"predicted", "作输出"},
                 other ? std::to_string(place.times)
                       : format("%td/%td", place.times, place.times + missed),
                 row(k),
                 row(k),
                 row(other ? kPushPlaces : k + apart)};
        for (Index i = 0; i < c.moved.count(); ++i) c.moved[i] += c.guess[i];
        all.push_back(std::move(c));
    }
    all.push_back({{"weight decay", "权重衰减"}, "-η λ E", "", row(kPushPlaces + 1)});
    return all;
}

std::vector<Token> nearest_watched(const History& history, const Frame& frame, Index place) {
    const List<Token> all = history.numbers(frame, "watched.neighbours").as<Token>();
    const Index each = all.count() / std::max<Index>(history.watched.count(), 1);
    std::vector<Token> found;
    for (Index i = 0; i < each && found.size() < kDirections; ++i)
        if (const Token other = all[place * each + i]; history.place_of(other) >= 0)
            found.push_back(other);
    return found;
}

const Frame& last_pushed_frame(const History& history) {
    for (auto frame = history.frames.rbegin(); frame != history.frames.rend(); ++frame)
        if (history.carries(*frame, "pushed.moved")) return *frame;
    fail(
        {"the history has no frame that says what pushed the embeddings: there is none yet, or "
         "recording began after step 0",
         "训练回放没有一帧记录是什么推动了词向量：可能还没有记到，也可能不是从第 0 步开始记录"});
}

}  // namespace

Sheet push_sheet(const History& history, const Tokenizer& tokenizer, Token token,
                 std::vector<Token> towards) {
    const Index which = place_of_pushed(history, tokenizer, token);
    const std::string name = tokenizer.name(token);
    const Frame& frame = last_pushed_frame(history);
    const Index place = watched_place(history, tokenizer, token);
    const Numbers way = difference(history.embedding(frame, place),
                                   history.embedding(history.frames.front(), place));
    const HistoryNumbers moved = history.numbers(frame, "pushed.moved");
    const List<Pushed> contexts = contexts_in(
        history.numbers(history.start, "pushed.contexts"), which, name, tokenizer,
        [&](Index row) { return part_of(moved, which * (kPushPlaces + 2) + row, way.count()); });
    // (C): √v̂ + ε at this step
    Numbers divisor = part_of(history.numbers(frame, "pushed.divisor"), which, way.count());
    std::ranges::sort(divisor);
    if (towards.empty()) towards = nearest_watched(history, frame, place);
    Sheet sheet{say(
        {"What pushed E[%s], from step 0 to step %td", "是什么推动了 E[%s]：第 0 步到第 %td 步"},
        name, frame.step)};
    sheet.section("whole", {"The whole way", "全过程"});
    sheet.text({"‖ΔE[%s]‖ = %.4f. Every update was -η m̂ / (√v̂ + ε) - η λ E; m̂ is a sum over the "
                "contexts whose gradients are in it, so each has its own part of every update. "
                "Dividing by √v̂ + ε is AdamW's normalisation: one number for each of the %zu "
                "components, the same for all contexts. At step %td it lies between %.2e and %.2e, "
                "the middle one is %.2e.",
                "‖ΔE[%s]‖ = %.4f。每次更新都是 -η m̂ / (√v̂ + ε) - η λ E；m̂ 是各种上下文的梯度之和，"
                "所以每种上下文在每次更新中都有自己的一份。除以 √v̂ + ε 是 AdamW 的归一化：%zu 个分"
                "量各有一个数，对所有上下文都一样。在第 %td 步，它在 %.2e 与 %.2e 之间，中位数 "
                "%.2e。"},
               name, length(way), divisor.size(), frame.step, divisor.front(), divisor.back(),
               divisor[divisor.size() / 2]);
    write_contexts(sheet, contexts, way, name);
    write_directions(sheet, contexts, history, frame, tokenizer, token, towards);
    return sheet;
}

}  // namespace zhuyi
