#include "film/page.h"

#include "base/check.h"
#include "film/page_files.h"
#include "system/atomic_file.h"

namespace zhuyi {
namespace {

constexpr std::size_t kMostBytes = 10'000'000;

std::string_view page_file(std::string_view name) {
    for (const PageFile& file : page_files())
        if (file.name == name) return file.content;
    fail({"the page has no file %s", "网页缺少文件 %s"}, name);
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) fail({"index.html has no %s", "index.html 中没有 %s"}, from);
    text.replace(at, from.size(), to);
}

// index.html names its style sheet and its scripts as any page does. Here the scripts become one
// function, in that order: none of their names is global, except `zhuyi` (main.js).
std::string joined_page() {
    constexpr std::string_view kScript = "<script src=\"", kEnd = "\"></script>\n";
    std::string page(page_file("index.html")), program;
    for (std::size_t at; (at = page.find(kScript)) != std::string::npos;) {
        const std::size_t name = at + kScript.size(), end = page.find(kEnd, name);
        program += page_file(page.substr(name, end - name));
        page.erase(at, end + kEnd.size() - at);
    }
    replace(page, "</body>",
            "<script>\n(() => {\n\"use strict\";\n" + program + "})();\n</script>\n</body>");
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

std::string film_page(const Film& film, const Film* other, const PageWish& wish) {
    std::string page = joined_page();
    const std::string lang = wish.language == Language::chinese ? "zh" : "en";
    replace(page, "<html lang=\"zh\">", "<html lang=\"" + lang + "\">");
    replace(page, "<title>zhuyi</title>",
            "<title>" + html_text(film.name) + " · zhuyi 注意</title>");
    if (wish.refresh > 0)
        replace(page, "<meta charset=\"utf-8\">",
                "<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"" +
                    std::to_string(wish.refresh) + "\">");
    const Json data = film_data(film, other, kMostBytes - page.size() - 20'000);
    replace(
        page, "<script type=\"application/json\" id=\"data\"></script>",
        "<script type=\"application/json\" id=\"data\">" + for_html(data.write()) + "</script>");
    return page;
}

}  // namespace zhuyi
