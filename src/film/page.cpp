// The page: its files, put together, and what it needs to run the model.
#include "film/page.h"

#include "base/check.h"
#include "base/format.h"
#include "film/page_data.h"
#include "film/stream_list.h"
#include "formats/bytes.h"
#include "model/parameters.h"
#include "system/embedded.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

// ---- the model

std::string hexadecimal(std::string_view bytes) {
    std::string digits;
    for (const char byte : bytes)
        digits += format("%02x", unsigned(static_cast<unsigned char>(byte)));
    return digits;
}

// The frames with a snapshot: `most` of them, spread, the last among them.
Frames snapshots(const History& history, Index most) {
    Frames all, chosen;
    for (const Frame& frame : history.frames)
        if (history.carries(frame, kSnapshot)) all.push_back(&frame);
    const Index n = std::ssize(all);
    if (most < 0 || most >= n) return all;
    for (Index i = 1; i <= most; ++i)
        chosen.push_back(all[std::size_t(most == 1 ? n - 1 : (i - 1) * (n - 1) / (most - 1))]);
    return chosen;
}

void set_tokenizer(Json& data, const Tokenizer& tokenizer) {
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

}  // namespace

PackedModel page_model(const Film& film, Index most) {
    const History& history = film.history;
    const Frames frames = snapshots(history, most);
    const HistoryStream* stream = history.stream(kSnapshot);
    if (frames.empty() || stream->size() != count(parameter_table(film.model))) return {};
    PackedModel model;
    Json::Array logits;
    std::vector<Index> steps;
    for (const Frame* frame : frames) {
        steps.push_back(frame->step);
        model.weights.push_back(base64(history.numbers(*frame, kSnapshot).levels()));
        Json::Array of_sentences;
        for (std::size_t s = 0; s < history.sentences.size(); ++s)
            of_sentences.push_back(
                base64(history.numbers(*frame, sentence_stream(s, "logits")).levels()));
        logits.push_back(std::move(of_sentences));
    }
    Json& data = model.data;
    data.set("steps", listed(steps)).set("logits", std::move(logits));
    data.set("activation", film.model.activation == Activation::gelu ? "gelu" : "gelu_new");
    set_tokenizer(data, *film.tokenizer);
    return model;
}

// ---- the page

namespace {

constexpr std::size_t kMostBytes = 10'000'000, kSmallPage = 8'000'000, kLeastFilm = 2'000'000;

std::string_view page_file(std::string_view name) {
    return embedded_file("src/film/page/" + std::string(name));
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) fail({"index.html has no %s", "index.html 中没有 %s"}, from);
    text.replace(at, from.size(), to);
}

// Takes the scripts whose tag begins so out of the page, and gives all of them in their order.
std::string take_scripts(std::string& page, std::string_view begins) {
    constexpr std::string_view kEnd = "\"></script>\n";
    std::string program;
    for (std::size_t at; (at = page.find(begins)) != std::string::npos;) {
        const std::size_t name = at + begins.size(), end = page.find(kEnd, name);
        program += page_file(page.substr(name, end - name));
        page.erase(at, end + kEnd.size() - at);
    }
    return program;
}

// index.html names its style sheet and its scripts as any page does. Here the scripts become one
// function, in that order: none of their names is global, except `zhuyi` (main.js). Those of the
// worker become a text, from which ask.js makes the worker.
std::string joined_page() {
    std::string page(page_file("index.html"));
    const std::string worker = take_scripts(page, "<script class=\"worker\" src=\"");
    const std::string program = take_scripts(page, "<script src=\"");
    replace(page, "</body>",
            "<script type=\"text/plain\" id=\"worker\">\n\"use strict\";\n" + worker +
                "</script>\n<script>\n(() => {\n\"use strict\";\n" + program +
                "})();\n</script>\n</body>");
    replace(page, "<link rel=\"stylesheet\" href=\"style.css\">",
            "<style>\n" + std::string(page_file("style.css")) + "</style>");
    return page;
}

// JSON inside HTML: no "<" may end the script around it.
std::string for_html(std::string json) {
    std::string safe;
    safe.reserve(json.size());
    for (char c : json)
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    return safe;
}

std::string html_text(std::string_view text) {
    std::string safe;
    for (char c : text)
        safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return safe;
}

}  // namespace

std::string film_page(const Film& film, std::span<const Film> others, const PageWish& wish) {
    std::string page = joined_page();
    const std::string lang = say({"en", "zh"});  // it opens in; the reader can switch
    replace(page, "<html lang=\"zh\">", "<html lang=\"" + lang + "\">");
    replace(page, "<title>zhuyi</title>",
            "<title>" + html_text(film.name) + " · zhuyi 注意</title>");
    if (wish.refresh > 0)
        replace(page, "<meta charset=\"utf-8\">",
                "<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"" +
                    std::to_string(wish.refresh) + "\">");
    PackedModel model = page_model(film, wish.snapshots);
    std::string weights;
    for (const std::string& snapshot : model.weights)
        weights += "\n<script type=\"text/plain\" class=\"snapshot\">" + snapshot + "</script>";
    const std::size_t models = model.data.write().size() + weights.size();
    const std::size_t room =
        wish.snapshots < 0 ? kMostBytes : std::max(kSmallPage, models + kLeastFilm) - models;
    Json data = film_data(film, others, room - page.size() - 20'000);
    if (!model.weights.empty()) data.set("snapshots", std::move(model.data));
    replace(page, "<script type=\"application/json\" id=\"data\"></script>",
            "<script type=\"application/json\" id=\"data\">" + for_html(data.write()) +
                "</script>" + weights);
    return page;
}

}  // namespace zhuyi
