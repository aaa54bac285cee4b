// What fills a page: read off the page itself, for `zhuyi report`.
#include <algorithm>
#include <array>
#include <map>

#include "base/format.h"
#include "film/page.h"
#include "formats/json.h"

namespace zhuyi {

constexpr Words kParts[] = {
    {"snapshots of the model", "模型的权重快照"},
    {"attention of the watched sentences", "观察句的注意力"},
    {"the text (report_text = no leaves it out)", "训练文本（report_text = no 可以不带）"},
    {"the rest of the film", "回放的其他数"},
    {"words, scripts and lists", "文字、脚本和列表"},
};
constexpr std::size_t kWordsPart = std::size(kParts) - 1;

static std::size_t part_of(std::string_view path) {
    const auto begins = [&](std::string_view name) { return path.starts_with(name); };
    if (begins("snapshots")) return 0;
    if (path.ends_with("attention")) return 1;
    return begins("texts") ? 2 : 3;
}

// Where each packed row begins, and of which part it is.
static void find_rows(const Json& json, const std::string& path,
                      std::map<Index, std::size_t>& rows) {
    if (json.is_array())
        for (const Json& item : json.items()) find_rows(item, path, rows);
    if (!json.is_object()) return;
    if (const Json* at = json.find("at"); at && json.find("type"))
        rows[at->integer()] = part_of(path);
    else
        for (const auto& [name, value] : json.members())
            find_rows(value, path.empty() || name.ends_with("attention") ? name : path, rows);
}

std::string page_sizes(std::string_view page) {
    const auto within = [&](std::string_view begin) {
        const std::size_t at = page.find(begin) + begin.size();
        return page.substr(at, page.find("</script>", at) - at);
    };
    const std::string_view packed = within("id=\"bytes\">");
    std::map<Index, std::size_t> rows;
    find_rows(parse_json(within("id=\"data\">"), "page"), "", rows);
    rows[Index(packed.size() * 7 / 8)] = kWordsPart;  // behind the last row
    std::array<double, std::size(kParts)> sizes{};
    for (auto row = rows.begin(); std::next(row) != rows.end(); ++row)
        sizes[row->second] += double(std::next(row)->first - row->first) * 8 / 7;
    sizes[kWordsPart] = double(page.size() - packed.size());
    std::array<std::size_t, std::size(kParts)> order{0, 1, 2, 3, 4};
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return sizes[i]; });
    std::string text;
    for (const std::size_t i : order)
        if (sizes[i] > 0)
            text += format("%8s  ", bytes_text(sizes[i]).c_str()) + say(kParts[i]) + "\n";
    return text + format("%8s  ", bytes_text(double(page.size())).c_str()) +
           say({"together", "合计"}) + "\n";
}

}  // namespace zhuyi
