#include "base/format.h"
#include "formats/sheet_format.h"
#include "system/printable.h"

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

std::string cell_html(const TextTable::Cell& cell) {
    const std::string text = in_markup(cell.text) + "</td>";
    switch (cell.kind) {
        case Sheet::Cell::Kind::number:
            return format("<td title=\"%.9g\"%s>", cell.number,
                          cell.mark ? " class=\"mark\"" : "") +
                   text;
        case Sheet::Cell::Kind::text:
            return "<td class=\"text\">" + text;
        case Sheet::Cell::Kind::masked:
            return "<td class=\"mask\">" + text;
        default:
            return "<td>" + text;
    }
}

struct HtmlWriter {
    const SheetStyle& style;

    std::string operator()(const Sheet::Paragraph& paragraph) const {
        return "<p>" + in_markup(paragraph.text.in(style.language)) + "</p>\n";
    }
    std::string operator()(const Sheet::Formula& formula) const {
        return "<p class=\"formula\">" + in_markup(formula.text.in(style.language)) + "</p>\n";
    }
    std::string operator()(const Sheet::Product& product) const {
        const Index room = room_for(style, std::ssize(product.terms), 8);
        return "<p class=\"product\">" + in_markup(product_line(product, room, style.language)) +
               "</p>\n";
    }
    std::string operator()(const Sheet::Table& sheet_table) const {
        const TextTable table(sheet_table, style);
        const std::vector<Index> columns = table.shown_columns(style, 12);
        std::string out = "<div class=\"table\"><table>\n";
        if (!table.caption.empty()) out += "<caption>" + in_markup(table.caption) + "</caption>\n";
        if (table.header) {
            out += "<thead><tr><th></th>";
            for (Index c : columns)
                out += "<th>" + (c < 0 ? "…" : in_markup(table.columns[std::size_t(c)])) + "</th>";
            out += "</tr></thead>\n";
        }
        out += "<tbody>\n";
        for (Index r : table.shown_rows()) {
            if (r < 0) {
                out += "<tr><th>…</th></tr>\n";
                continue;
            }
            const TextTable::Row& row = table.rows[std::size_t(r)];
            out += std::string(row.total ? "<tr class=\"total\">" : "<tr>") + "<th>" +
                   in_markup(row.label) + "</th>";
            for (Index c : columns)
                if (c < std::ssize(row.cells))
                    out += c < 0 ? "<td>…</td>" : cell_html(row.cells[std::size_t(c)]);
            out += "</tr>\n";
        }
        return out + "</tbody></table></div>\n";
    }
};

}  // namespace

std::string sheet_as_html(const Sheet& sheet, const SheetStyle& style) {
    const std::string title = in_markup(sheet.title.in(style.language));
    std::string out =
        std::string("<!DOCTYPE html>\n<html lang=\"") + Words{"en", "zh"}.in(style.language) +
        "\">\n<head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>" +
        title + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const Sheet::Section& section : sheet.sections) {
        out += "<h2 id=\"" + in_markup(section.key) + "\">" +
               in_markup(section.title.in(style.language)) + "</h2>\n";
        for (const Sheet::Item& item : section.items) out += std::visit(HtmlWriter{style}, item);
    }
    return out + "</body>\n</html>\n";
}

}  // namespace zhuyi
