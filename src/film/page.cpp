#include "film/page.h"

#include "base/check.h"
#include "film/page_files.h"
#include "system/atomic_file.h"

namespace zhuyi {
namespace {

constexpr std::size_t kMost = 10'000'000;

std::string_view page_file(std::string_view name) {
    for (const PageFile& file : page_files())
        if (file.name == name) return file.content;
    fail_english("the page has no file " + std::string(name));
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) fail_english("the page has no place for " + std::string(from));
    text.replace(at, from.size(), to);
}

// index.html names its styles and scripts as any page does; here each reference becomes the file.
std::string joined_page() {
    std::string page(page_file("index.html"));
    for (const PageFile& file : page_files()) {
        const std::string name(file.name);
        if (name.ends_with(".css"))
            replace(page, "<link rel=\"stylesheet\" href=\"" + name + "\">",
                    "<style>\n" + std::string(file.content) + "</style>");
        if (name.ends_with(".js"))
            replace(page, "<script src=\"" + name + "\"></script>",
                    "<script>\n" + std::string(file.content) + "</script>");
    }
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
    const Json data = film_data(film, other, kMost - page.size() - 20'000);
    replace(
        page, "<script type=\"application/json\" id=\"data\"></script>",
        "<script type=\"application/json\" id=\"data\">" + for_html(data.write()) + "</script>");
    return page;
}

}  // namespace zhuyi
