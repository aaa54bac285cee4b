// The page: its files, put together; what it needs to run the model; and what stands beside the
// film.
#include "film/page.h"

#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "film/page_data.h"
#include "film/stream_list.h"
#include "model/parameters.h"
#include "system/embedded.h"
#include "system/printable.h"
#include "text/byte_pair.h"

namespace zhuyi {
// ---- the model

static std::string hexadecimal(std::string_view bytes) {
    return joined(bytes, "", [](char byte) {
        return format("%02x", unsigned(static_cast<unsigned char>(byte)));
    });
}

// The frames with a snapshot: `most` of them, spread, the last among them.
static Frames snapshots(const History& history, Index most) {
    Frames all, chosen;
    for (const Frame& frame : history.frames)
        if (history.carries(frame, kSnapshot)) all.push_back(&frame);
    const Index n = std::ssize(all);
    if (most < 0 || most >= n) return all;
    for (Index i = 1; i <= most; ++i)
        chosen.push_back(all[std::size_t(most == 1 ? n - 1 : (i - 1) * (n - 1) / (most - 1))]);
    return chosen;
}

static void set_tokenizer(Json& data, const Tokenizer& tokenizer) {
    Json::Array names, bytes, merges, counts;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        names.push_back(tokenizer.name(token));
        bytes.push_back(hexadecimal(tokenizer.bytes(token)));
        counts.push_back(tokenizer.count(token));
    }
    if (const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer))
        for (const auto& [left, right] : byte_pairs->merges()) {
            merges.push_back(left);
            merges.push_back(right);
        }
    data.set("names", std::move(names)).set("bytes", std::move(bytes));
    data.set("merges", std::move(merges)).set("end", tokenizer.end_of_text());
    data.set("counts", std::move(counts));
}

Json page_model(const Film& film, Index most) {
    const History& history = film.history;
    const Frames frames = snapshots(history, most);
    const HistoryStream* stream = history.stream(kSnapshot);
    if (frames.empty() || stream->size() != count(parameter_table(film.model))) return {};
    Json::Array weights, logits;
    std::vector<Index> steps;
    for (const Frame* frame : frames) {
        steps.push_back(frame->step);
        weights.push_back(over(history, {frame}, kSnapshot));
        Json::Array of_sentences;
        for (std::size_t s = 0; s < history.sentences.size(); ++s)
            of_sentences.push_back(over(history, {frame}, sentence_stream(s, "logits")));
        logits.push_back(std::move(of_sentences));
    }
    Json data;
    data.set("steps", listed(steps)).set("weights", std::move(weights));
    data.set("logits", std::move(logits));
    data.set("activation", film.model.activation == Activation::gelu ? "gelu" : "gelu_new");
    set_tokenizer(data, *film.tokenizer);
    return data;
}

// ---- what stands beside the film that is played: other trainings, and what was asked of the model

Json other_data(const Film& other) {
    const History& history = other.history;
    std::vector<Index> steps;
    Frames all;
    for (const Frame& frame : history.frames) steps.push_back(frame.step), all.push_back(&frame);
    Json names(Json::Array{});
    for (const History::Row& row : history.parameters) names.push(row.name);
    Json data;
    data.set("differs", Json().set("en", other.differs.english).set("zh", other.differs.chinese));
    data.set("run", other.name).set("steps", listed(steps)).set("parameters", std::move(names));
    for (const char* part : {"norm", "from_start"})
        if (const std::string name = std::string("parameter.") + part; history.stream(name))
            data.set(part, packed(values(history, all, name)));
    if (other.asked) data.set("rules", rules_data(*other.asked));
    return data;
}

static Json share(const std::optional<Answered>& answered, double Answered::*part) {
    return answered && std::isfinite((*answered).*part) ? Json((*answered).*part) : Json();
}

static Json question_of(const Probe& probe) {
    Json wrong(Json::Array{});
    for (const std::string& text : probe.wrong) wrong.push(text);
    return Json().set("text", probe.text).set("right", probe.right).set("wrong", wrong);
}

// Ten new probes of a rule, spread evenly: what the page asks a taught model.
static Json probes_of(const ProbeFile& file, std::size_t rule) {
    constexpr std::size_t kMost = 10;
    std::vector<const Probe*> all;
    for (const Probe& p : file.probes)
        if (p.rule == rule && p.kind == ProbeKind::combination) all.push_back(&p);
    Json chosen(Json::Array{});
    const std::size_t count = std::min(kMost, all.size());
    for (std::size_t i = 0; i < count; ++i) chosen.push(question_of(*all[i * all.size() / count]));
    return chosen;
}

// Returns null if this rule has no probe.
static Json example_of(const ProbeFile& file, std::size_t rule) {
    const auto cost = [](const Probe& p) {
        const bool plain = p.kind == ProbeKind::combination && !p.answerer.empty();
        return utf8::length(p.text) + (plain ? 0 : 1000);
    };
    const Probe* best = nullptr;
    for (const Probe& p : file.probes)
        if (p.rule == rule && (!best || cost(p) < cost(*best))) best = &p;
    if (!best) return {};
    Json answerer(Json::Array{});
    for (const Probe::Span& span : best->answerer)
        answerer.push(Json::Array{Json(span.first), Json(span.last)});
    return question_of(*best).set("asker", best->asker).set("answerer", std::move(answerer));
}

static Json carrier(const Carrier& carrier) {
    const auto& [block, head] = carrier.part;
    Json part = Json().set("block", block).set("points", carrier.points);
    return head ? part.set("part", "head").set("head", *head) : part.set("part", "ffn");
}

Json rules_data(const Asked& asked) {
    const auto& evaluations = asked.history.evaluations;
    Json steps(Json::Array{}), list(Json::Array{});
    for (const auto& e : evaluations) steps.push(e.step);
    for (std::size_t r = 0; r < asked.file.rules.size(); ++r) {
        const Text& name = asked.file.rules[r];
        Json seen(Json::Array{}), unseen(Json::Array{}), form(Json::Array{}), margin(Json::Array{});
        Json heads(Json::Array{}), weights(Json::Array{}), carries, worst(Json::Array{});
        for (const auto& e : evaluations) {
            const Knowledge k = e.of(r);
            seen.push(share(k.seen, &Answered::right));
            unseen.push(share(k.unseen, &Answered::right));
            form.push(share(k.form, &Answered::right));
            worst.push(k.worst ? Json(k.worst->said()) : Json());
            margin.push(share(k.unseen, &Answered::margin));
            heads.push(k.head ? Json(Json::Array{k.head->block, *k.head->head}) : Json());
            weights.push(k.head ? Json(k.weight) : Json());
            if (k.carries)  // of the last evaluation that measured it
                carries = carrier(*k.carries);
        }
        const std::optional<Index> since = asked.history.known_since(name.chinese);
        Json rule;
        rule.set("name", name.chinese).set("english", name.english);
        rule.set("since", since ? Json(*since) : Json());
        rule.set("seen", std::move(seen)).set("new", std::move(unseen));
        rule.set("form", std::move(form)).set("worst", std::move(worst));
        rule.set("margin", std::move(margin)).set("heads", std::move(heads));
        rule.set("weights", std::move(weights)).set("carries", std::move(carries));
        rule.set("example", example_of(asked.file, r));
        rule.set("probes", probes_of(asked.file, r));
        list.push(std::move(rule));
    }
    return Json().set("steps", std::move(steps)).set("list", std::move(list));
}

constexpr std::size_t kMostBytes = 8'000'000, kSmallPage = 8'000'000, kLeastFilm = 2'000'000;

static std::string_view page_file(std::string_view name) {
    return embedded_file("src/film/page/" + std::string(name));
}

static void replace(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) fail({"index.html has no %s", "index.html 中没有 %s"}, from);
    text.replace(at, from.size(), to);
}

// A file of the page as a function of its own: what it exports is all that others see of it, and
// becomes a part of `shown`, too.
std::string page_script(std::string_view name) {
    constexpr std::string_view kExport = "\nexport ";
    std::string body(page_file(name)), names = "{";
    for (std::size_t at; (at = body.find(kExport)) != std::string::npos;) {
        body.replace(at, kExport.size(), "\n");
        std::string_view line = std::string_view(body).substr(at + 1);
        for (const std::string_view word : {"async ", "function", "class", "const", "*", " "})
            if (line.starts_with(word)) line.remove_prefix(word.size());
        names += std::string(line.substr(0, line.find_first_of(" (="))) + ", ";
    }
    names += "}";
    return "const " + names + " = (() => {\n" + body + "return " + names +
           ";\n})();\nObject.assign(shown, " + names + ");\n";
}

// Takes the scripts whose tag begins so out of the page, and gives all of them in their order.
static std::string take_scripts(std::string& page, std::string_view begins) {
    constexpr std::string_view kEnd = "\"></script>\n";
    std::string program;
    for (std::size_t at; (at = page.find(begins)) != std::string::npos;) {
        const std::size_t name = at + begins.size(), end = page.find(kEnd, name);
        program += page_script(page.substr(name, end - name));
        page.erase(at, end + kEnd.size() - at);
    }
    return program;
}

// index.html names its style sheet and its scripts as any page does. Here the scripts become one
// function, in that order: none of their names is global, but a console and the tests see them in
// `zhuyi`. Those of the worker become a text, from which ask.js makes the worker.
static std::string joined_page() {
    std::string page(page_file("index.html"));
    const std::string worker = take_scripts(page, "<script class=\"worker\" src=\"");
    const std::string program = take_scripts(page, "<script src=\"");
    replace(page, "</body>",
            "<script type=\"text/plain\" id=\"worker\">\n\"use strict\";\nconst shown = {};\n" +
                worker +
                "</script>\n<script>\n(() => {\n\"use strict\";\n"
                "const shown = window.zhuyi = {};\n" +
                program + "})();\n</script>\n</body>");
    replace(page, "<link rel=\"stylesheet\" href=\"style.css\">",
            "<style>\n" + std::string(page_file("style.css")) + "</style>");
    return page;
}

// JSON inside HTML: no "<" may end the script around it.
static std::string for_html(std::string json) {
    std::string safe;
    safe.reserve(json.size());
    for (char c : json)
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    return safe;
}

std::string film_page(const Film& film, std::span<const Film> others, const PageWish& wish) {
    std::string page = joined_page();
    const std::string lang = say({"en", "zh"});  // it opens in; the reader can switch
    replace(page, "<html lang=\"zh\">", "<html lang=\"" + lang + "\">");
    replace(page, "<title>zhuyi</title>",
            "<title>" + in_markup(film.name) + " · zhuyi 注意</title>");
    if (wish.refresh > 0)
        replace(page, "<meta charset=\"utf-8\">",
                "<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"" +
                    std::to_string(wish.refresh) + "\">");
    std::string bytes;
    Json model = gathered(page_model(film, wish.snapshots), bytes);
    const std::size_t models = model.write().size() + dense_size(bytes.size());
    const std::size_t room =
        wish.snapshots < 0 ? kMostBytes : std::max(kSmallPage, models + kLeastFilm) - models;
    Json data = film_data(film, others, room - page.size() - 20'000, bytes);
    if (!model.is_null()) data.set("snapshots", std::move(model));
    replace(page, "<script type=\"application/json\" id=\"data\"></script>",
            "<script type=\"application/json\" id=\"data\">" + for_html(data.write()) +
                "</script>\n<script type=\"text/plain\" id=\"bytes\">" + dense_text(bytes) +
                "</script>");
    return page;
}

}  // namespace zhuyi
