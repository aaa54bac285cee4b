#include <algorithm>

#include "base/format.h"
#include "explain/sheet_format.h"

namespace zhuyi {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --soft: #888; --mark: #f5b80055; --ink: #06c; }
@media (prefers-color-scheme: dark) { :root { --ink: #7bf; } }
body { font: 16px/1.6 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem;
       border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
.formula, .product, td, th { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono",
       "Noto Sans Mono CJK SC", monospace; }
.formula { color: var(--ink); margin: .6rem 0; white-space: pre-wrap; }
.product { font-size: .92rem; margin: .1rem 0 .1rem 2rem; text-indent: -2rem; }
.table { overflow-x: auto; margin: .9rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .2rem; white-space: nowrap; }
td, th { padding: .1rem .55rem; text-align: right; font-weight: normal; white-space: nowrap; }
th { color: var(--soft); } tbody th { text-align: left; position: sticky; left: 0;
       background: Canvas; color: inherit; }
td.text { text-align: left; } td.mark { background: var(--mark); } td.mask { color: var(--soft); }
tr.total > * { border-top: 1px solid; }
)";

std::string escaped_html(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string cell_html(const Sheet::Cell& cell, int decimals, bool mark) {
    const std::string text = escaped_html(cell_text(cell, decimals));
    switch (cell.kind) {
        case Sheet::Cell::Kind::number:
            return format("<td title=\"%.9g\"%s>", cell.number, mark ? " class=\"mark\"" : "") +
                   text + "</td>";
        case Sheet::Cell::Kind::text:
            return "<td class=\"text\">" + text + "</td>";
        case Sheet::Cell::Kind::masked:
            return "<td class=\"mask\">" + text + "</td>";
        default:
            return "<td>" + text + "</td>";
    }
}

std::string table_html(const Sheet::Table& table, const SheetStyle& style) {
    const std::vector<int> decimals = decimals_of(table);
    const std::vector<std::vector<bool>> marks = marked(table);
    const Index count = Index(decimals.size()), rows = Index(table.rows.size());
    const bool whole = style.full || !table.matrix;
    const Index room = style.numbers ? style.numbers : 12;
    const std::vector<Index> places = shown(count, whole ? count : room);
    std::string out = "<div class=\"table\"><table>\n";
    if (!table.caption.empty()) out += "<caption>" + escaped_html(table.caption) + "</caption>\n";
    if (!table.columns.empty()) {
        out += "<thead><tr><th></th>";
        for (Index c : places) {
            const bool named = c >= 0 && c < Index(table.columns.size());
            out += "<th>" +
                   (c < 0   ? "…"
                    : named ? escaped_html(table.columns[std::size_t(c)])
                            : std::string()) +
                   "</th>";
        }
        out += "</tr></thead>\n";
    }
    out += "<tbody>\n";
    for (Index r : shown(rows, whole ? rows : table.most_rows)) {
        if (r < 0) {
            out += "<tr><th>…</th></tr>\n";
            continue;
        }
        const Sheet::Row& row = table.rows[std::size_t(r)];
        out += std::string(row.total ? "<tr class=\"total\">" : "<tr>") + "<th>" +
               escaped_html(row.label) + "</th>";
        for (Index c : places) {
            const std::size_t k = std::size_t(c);
            if (c < 0)
                out += "<td>…</td>";
            else if (c < Index(row.cells.size()))
                out += cell_html(row.cells[k], decimals[k],
                                 !marks.empty() && marks[std::size_t(r)][k]);
        }
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

std::string item_html(const Sheet::Item& item, const SheetStyle& style) {
    if (const auto* text = std::get_if<Sheet::Text>(&item))
        return "<p>" + escaped_html(text->text) + "</p>\n";
    if (const auto* formula = std::get_if<Sheet::Formula>(&item))
        return "<p class=\"formula\">" + escaped_html(formula->text) + "</p>\n";
    if (const auto* product = std::get_if<Sheet::Product>(&item)) {
        const Index count = Index(product->terms.size());
        const Index room = style.full ? count : style.numbers ? style.numbers : 8;
        return "<p class=\"product\">" + escaped_html(product_line(*product, room)) + "</p>\n";
    }
    return table_html(std::get<Sheet::Table>(item), style);
}

}  // namespace

std::string sheet_as_html(const Sheet& sheet, const SheetStyle& style, Language language) {
    const std::string title = escaped_html(sheet.title);
    std::string out =
        std::string("<!DOCTYPE html>\n<html lang=\"") + Words{"en", "zh"}.in(language) +
        "\">\n<head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>" +
        title + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const Sheet::Section& section : sheet.sections) {
        out += "<h2 id=\"" + escaped_html(section.key) + "\">" + escaped_html(section.title) +
               "</h2>\n";
        for (const Sheet::Item& item : section.items) out += item_html(item, style);
    }
    return out + "</body>\n</html>\n";
}

}  // namespace zhuyi
