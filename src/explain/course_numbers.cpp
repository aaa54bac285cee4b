// What stands in the places of the course's words: the name of each, and what fills it.
#include <algorithm>
#include <cmath>

#include "attention/neighbors.h"
#include "autograd/tape.h"
#include "base/format.h"
#include "explain/course.h"
#include "explain/examples.h"
#include "explain/forward.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/ask.h"
#include "system/printable.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

using Value = std::optional<std::string>;

std::string written(std::span<const double> numbers, int decimals, const char* between = " ") {
    return joined(numbers, between, [&](double x) { return format("%.*f", decimals, x); });
}

// "0.60 0.47 / 0.40 0.54"
std::string rows_text(const Grid& x, int decimals) {
    std::string text;
    for (Index r = 0; r < x.rows; ++r) text += (r ? " / " : "") + written(x.row(r), decimals);
    return text;
}

// A number as it is written, or a size of the run's model.
double value_of(const std::string& word, const CourseRun& run, const CoursePlace& place) {
    const GptConfig config = run.model ? run.model->model.config() : GptConfig{};
    const std::pair<const char*, Index> sizes[] = {
        {"V", config.vocabulary}, {"C", config.channels},    {"H", config.heads},
        {"L", config.layers},     {"D", config.head_size()}, {"last", config.layers - 1}};
    for (const auto& [name, size] : sizes)
        if (word == name) return double(size);
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end) place.fail();
    return value;
}

// {count 4 · 512 · 512 + 4 · 512}
Value count(const CourseRun& run, const CoursePlace& place) {
    Index sum = 0, product = 1;
    for (Index i = 1; i < place.words.count(); ++i) {
        if (place.words[i] == "·") continue;
        if (place.words[i] == "+")
            sum += product, product = 1;
        else
            product *= Index(value_of(place.words[i], run, place));
    }
    return grouped(sum + product);
}

// {size last}: as count, without commas
Value size(const CourseRun& run, const CoursePlace& place) {
    return format("%.0f", value_of(place.word(1), run, place));
}

Value root(const CourseRun& run, const CoursePlace& place) {
    return format("%.1f", std::sqrt(value_of(place.word(1), run, place)));
}

// {softmax 3.5 -2.1 8.7 0.3}, and of the same numbers divided by a root: {softmax 3.5 … / √3}
Value softmax_of(const CourseRun& run, const CoursePlace& place) {
    Numbers scores;
    double divisor = 1;
    for (Index i = 1; i < place.words.count(); ++i) {
        const std::string& word = place.words[i];
        if (word == "/") continue;
        if (word.starts_with("√"))
            divisor = std::sqrt(value_of(word.substr(std::string("√").size()), run, place));
        else
            scores.push_back(value_of(word, run, place));
    }
    for (double& x : scores) x /= divisor;
    return written(softmax(scores), 4, ", ");
}

// {weights GPT-2_XL}: how many a model has
Value weights(const CourseRun&, const CoursePlace& place) {
    std::string wanted = place.word(1);
    if (wanted == "course") return grouped(weights_of(course_config()));
    std::ranges::replace(wanted, '_', ' ');
    for (const KnownModel& known : known_models())
        if (wanted == known.name) return grouped(known.all);
    place.fail();
}

// {dot 沈}: the example's dot product of 邀请 with it, as the cosine times both lengths
Value dot_example(const CourseRun&, const CoursePlace& place) {
    // dot product, both lengths, cosine
    const Numbers pair = dot_sheet().table("cosine", "pairs").row(place.word(1)).numbers();
    return format("%.2f = %.4f · %.4f · %.4f", pair[0], pair[3], pair[1], pair[2]);
}

// 猫 吃 鱼: {example Q}; {example weights 猫}, the row of a token; {example looks 吃}, per cent at
// itself
Value example(const CourseRun&, const CoursePlace& place) {
    const Sheet sheet = example_sheet(1, Mask::none);
    const std::string what = place.word(1);
    if (what == "Q" || what == "K" || what == "V")
        return rows_text(sheet.table("projections", what).grid(), 2);
    if (what == "output") return rows_text(sheet.table("mix", "mix").grid(), 4);
    const Grid products = sheet.table("scores", "products").grid(),
               weights = sheet.table("softmax", "weights").grid();
    if (what == "scores") return rows_text(products, 3);
    const char* const tokens[] = {"猫", "吃", "鱼"};
    const Index row = std::ranges::find(tokens, place.word(2)) - tokens;
    if (row == std::ssize(tokens)) place.fail();
    if (what == "unscaled") return written(softmax(products.row(row)), 3);
    if (what == "weights") return written(weights.row(row), 4);
    if (what == "looks") return format("%.1f", 100 * weights.at(row, row));
    place.fail();
}

Value scores(const CourseRun&, const CoursePlace&) { return rows_text(softmax_of_scores(), 2); }

Value library(const CourseRun&, const CoursePlace& place) {
    const Numbers p = library_weights();
    const char* const books[] = {"Python", "机器学习", "烹饪"};
    const auto found = std::ranges::find(books, place.word(1));
    if (found == std::end(books)) place.fail();
    return format("%.3f", p[found - books]);
}

Value path(const CourseRun& run, const CoursePlace&) { return shell_word(run.path); }

// The head's number; with "weight" or "%" behind it, how much it does; with "options", how a
// command names it.
Value head_or_weight(const CourseHead& head, const CoursePlace& place, Index after, int decimals) {
    const std::string what = place.word(after);
    if (what == "%") return format("%.0f", 100 * head.weight);
    if (what == "weight") return format("%.*f", decimals, head.weight);
    if (what == "options") return format("--layer %td --head %td", head.block, head.head);
    if (!what.empty()) place.fail();
    return head.number();
}

// {best previous}, {best 他/她/它 weight}
Value best(const CourseRun& run, const CoursePlace& place) {
    const CourseHead* head = run.head(place.word(1));
    return head ? head_or_weight(*head, place, 2, 2) : Value();
}

// {carries 一词两义}: the part without which most is lost; with "points", how much
Value carries(const CourseRun& run, const CoursePlace& place) {
    const CourseHead* head = run.head(place.word(1));
    if (!head || head->carrier.empty()) return {};
    if (place.word(2) == "points") return format("%.0f", head->points);
    if (!place.word(2).empty()) place.fail();
    return head->carrier;
}

// {if learned}, {if not best 他/她/它}; {if run}: there is a model
Value condition(const CourseRun& run, const CoursePlace& place) {
    const bool negated = place.word(1) == "not";
    const std::string what = place.word(negated ? 2 : 1);
    bool holds = false;
    if (what == "learned")
        holds = run.model->model.config().position == Position::learned;
    else if (what == "roles")
        holds = !run.roles.empty();
    else if (what == "run")
        holds = true;
    else if (what == "rules")
        holds = !run.rules.empty();
    else if (what == "best")
        holds = run.head(place.word(negated ? 3 : 2));
    else
        place.fail();
    return holds != negated ? Value("") : Value();
}

// {tokens TEXT}: how many; with "third", the place where {sheet diagonal} begins; with "names", all
Value tokens(const CourseRun& run, const CoursePlace& place) {
    const std::vector<Token> ids = run.tokens(place.word(1));
    if (place.word(2) == "third") return std::to_string(ids.size() / 3);
    if (place.word(2) != "names") return std::to_string(ids.size());
    return joined(ids, " ", [&](Token id) { return run.model->tokenizer.name(id); });
}

// The five nearest of a token.
Value near(const CourseRun& run, const CoursePlace& place) {
    const std::vector<Token> ids = run.model->tokenizer.encode(place.word(1));
    if (ids.size() != 1) return {};
    std::string names;
    const Numbers E = run.model->value("embedding.token").row_copy(ids[0]);
    for (const Neighbour& n : nearest_rows(*run.model, E, 6))
        if (n.token != ids[0])
            names += (names.empty() ? "" : "  ") + run.model->tokenizer.name(n.token) +
                     format(" %.3f", n.cosine);
    return names;
}

// {looks TEXT ANSWER}: the head in which the last token of the text looks most at the answer
Value looks(const CourseRun& run, const CoursePlace& place) {
    const AttentionMaps maps = run.maps(place.word(1));
    const CourseHead head = most_looking(maps, maps.length() - 1, place.word(2));
    return head_or_weight(head, place, 3, 3);
}

// {compare TEXT TEXT cosine}: of the last token of the first, in both; "first" and "second": what
// comes next in each; with "p" behind it, also how probable it is
Value compare(const CourseRun& run, const CoursePlace& place) {
    const std::string what = place.word(3);
    if (what != "cosine" && what != "first" && what != "second") place.fail();
    const std::vector<Token> first = run.tokens(place.word(1)), second = run.tokens(place.word(2));
    if (first == second) return {};  // this model's context holds only what they share
    const Sheet c = compare_sheet(*run.model, first, second, -1);
    if (what == "cosine") return format("%.4f", c.table("stages").row(-1).number());
    const std::string& next = c.table("predictions").row(what == "second").words();
    return next.substr(0, next.find(place.word(4) == "p" ? "  " : " "));  // "羊 0.412  熊 0.203"
}

// What the hungry rabbit wants to eat: is a food, or 得, more probable than all others?
Questions hungry_rabbit(const CourseRun& run) {
    const std::vector<std::string> foods{"萝", "鱼", "骨", "青", "小", "虫", "得"};
    ProbeFile file{{{"", ""}}, {}};
    for (const std::string& food : foods) {
        file.probes.push_back({1, 0, ProbeKind::seen, "早上，小兔饿了，它想吃", food, foods});
        std::erase(file.probes.back().wrong, food);
    }
    return questions_of(file, run.model->tokenizer, run.model->model.config().context);
}

// {without head}: the head that ln p(萝) needs most there; {without next}: the likeliest of these
// when this head is switched off
Value without(const CourseRun& run, const CoursePlace& place) {
    const Questions questions = hungry_rabbit(run);
    if (questions.too_long > 0) return {};
    const GptConfig& config = run.model->model.config();
    Tape tape(false);
    const Ablation lost =
        ablate(run.model->model, tape, {questions.rules, {questions.all[0]}}, false);
    ModelPart most{0, 0};
    for (Index block = 0; block < config.layers; ++block)
        for (Index head = 0; head < config.heads; ++head)
            if (lost.of(0, block, head).margin > lost.of(0, most.block, *most.head).margin)
                most = {block, head};
    if (place.word(1) == "head") return most.name();
    if (place.word(1) != "next") place.fail();
    Silence silence({most}, config);
    const Watching watching(tape, silence);
    const Answers answers = ask(run.model->model, tape, questions);
    for (Index q = 0; q < questions.all.count(); ++q)
        if (answers.right(q)) return questions.all[q].right;
    return {};
}

// {rank one}: how many singular values are not smaller than a thousandth of the largest
Value rank(const CourseRun& run, const CoursePlace& place) {
    const Numbers all = singular_values(run, place.word(1) == "all");
    return std::to_string(std::ranges::count_if(all, [&](double s) { return s >= 1e-3 * all[0]; }));
}

// ‖x‖ of the last token of 猫吃鱼, after the embedding and after each branch.
Value growth(const CourseRun& run, const CoursePlace&) {
    Sheet forward;
    write_forward(forward, read(*run.model, run.tokens("猫吃鱼"), {0, 0, -1}));
    std::string lengths = format("%.2f", length(forward.table("embedding").row(-1).numbers()));
    for (const double after : forward.table("stack", "moves").column(1))
        lengths += " → " + format("%.2f", after);
    return lengths;
}

}  // namespace

const CourseNumbers& course_numbers() {
    static const CourseNumbers kNumbers = {
        {"run", path},        {"best", best},       {"if", condition},       {"count", count},
        {"size", size},       {"root", root},       {"softmax", softmax_of}, {"weights", weights},
        {"dot", dot_example}, {"example", example}, {"library", library},    {"scores", scores},
        {"tokens", tokens},   {"near", near},       {"carries", carries},    {"looks", looks},
        {"compare", compare}, {"rank", rank},       {"growth", growth},      {"without", without}};
    return kNumbers;
}

}  // namespace zhuyi
