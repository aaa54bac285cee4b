// A sheet as HTML and as Markdown.
#include <cctype>

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
        case Sheet::Cell::Kind::number: {
            const std::string digits = format("%.9g", cell.number);
            const std::string title = digits == cell.text ? "" : " title=\"" + digits + "\"";
            return "<td" + title + (cell.mark ? " class=\"mark\">" : ">") + text;
        }
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
        const std::string text = "<p>" + in_markup(paragraph.text) + "</p>";
        if (!paragraph.folded) return text + "\n";
        return std::string(style.full ? "<details open>" : "<details>") + "<summary>" +
               say(kOpenAnswer) + "</summary>" + text + "</details>\n";
    }
    std::string operator()(const Sheet::Formula& formula) const {
        return "<p class=\"formula\">" + in_markup(formula.text) + "</p>\n";
    }
    std::string operator()(const Sheet::Product& product) const {
        const Index room = room_for(style, std::ssize(product.terms), 8);
        return "<p class=\"product\">" + in_markup(product_line(product, room)) + "</p>\n";
    }
    std::string operator()(const Sheet::Table& sheet_table) const {
        const TextTable table(sheet_table, style);
        const std::vector<Index> columns = table.shown_columns(style, 12);
        std::string out = "<div class=\"table\"><table>\n";
        if (!table.caption.empty()) out += "<caption>" + in_markup(table.caption) + "</caption>\n";
        if (table.header) {
            out += table.labels ? "<thead><tr><th></th>" : "<thead><tr>";
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
            out += row.total ? "<tr class=\"total\">" : "<tr>";
            if (table.labels) out += "<th>" + in_markup(row.label) + "</th>";
            for (Index c : columns)
                if (c < std::ssize(row.cells))
                    out += c < 0 ? "<td>…</td>" : cell_html(row.cells[std::size_t(c)]);
            out += "</tr>\n";
        }
        return out + "</tbody></table></div>\n";
    }
};

// Characters of a text that Markdown would take for its own; the _ of W_Q is none of them.
std::string escaped_markdown(std::string_view text) {
    const auto in_word = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0);
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool special = std::string_view("\\`*|<>~").find(text[i]) != std::string_view::npos;
        const bool loose = text[i] == '_' && !(i > 0 && in_word(i - 1) && in_word(i + 1));
        if (special || loose) out += '\\';
        out += text[i];
    }
    return out;
}

std::string code(const std::string& text) {
    // a backtick inside needs a longer fence
    return text.find('`') == std::string::npos ? "`" + text + "`" : "`` " + text + " ``";
}

struct MarkdownWriter {
    const SheetStyle& style;

    std::string operator()(const Sheet::Paragraph& paragraph) const {
        const std::string text = escaped_markdown(paragraph.text);
        if (!paragraph.folded) return text + "\n";
        return "<details><summary>" + std::string(say(kOpenAnswer)) + "</summary>\n\n" + text +
               "\n\n</details>\n";
    }
    std::string operator()(const Sheet::Formula& formula) const {
        return code(formula.text) + "\n";
    }
    std::string operator()(const Sheet::Product& product) const {
        const Index room = room_for(style, std::ssize(product.terms), 8);
        return "- " + code(product_line(product, room)) + "\n";
    }
    std::string operator()(const Sheet::Table& sheet_table) const {
        const TextTable table(sheet_table, style);
        const std::vector<Index> columns = table.shown_columns(style, 8);
        std::string out = table.caption.empty() ? "" : escaped_markdown(table.caption) + "\n\n";
        std::string header = table.labels ? "|  |" : "|", rule = table.labels ? "|:--|" : "|";
        for (Index c : columns) {
            header += " " + (c < 0 ? "…" : escaped_markdown(table.columns[std::size_t(c)])) + " |";
            rule += c >= 0 && table.words[std::size_t(c)] ? ":--|" : "--:|";
        }
        out += header + "\n" + rule + "\n";
        for (Index r : table.shown_rows()) {
            if (r < 0) {
                out += "| … |\n";
                continue;
            }
            const TextTable::Row& row = table.rows[std::size_t(r)];
            out += table.labels ? "| " + bold(escaped_markdown(row.label), row.total) + " |" : "|";
            for (Index c : columns) {
                if (c < 0)
                    out += " … |";
                else if (c >= std::ssize(row.cells))
                    out += "  |";
                else
                    out += " " + cell(row.cells[std::size_t(c)]) + " |";
            }
            out += "\n";
        }
        return out;
    }

  private:
    static std::string bold(const std::string& text, bool on) {
        return on ? "**" + text + "**" : text;
    }
    static std::string cell(const TextTable::Cell& cell) {
        return bold(escaped_markdown(cell.text), cell.mark);
    }
};

}  // namespace

std::string sheet_as_html(const Sheet& sheet, const SheetStyle& style) {
    const std::string title = in_markup(sheet.title);
    const std::string heading = title.empty() ? "" : "<h1>" + title + "</h1>\n";
    std::string out = std::string("<!DOCTYPE html>\n<html lang=\"") + say({"en", "zh"}) +
                      "\">\n<head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<title>" +
                      (title.empty() ? "zhuyi" : title) + "</title>\n<style>" + kStyle +
                      "</style></head>\n<body>\n" + heading;
    for (const Sheet::Section& section : sheet.sections) {
        if (!section.title.empty())
            out +=
                "<h2 id=\"" + in_markup(section.key) + "\">" + in_markup(section.title) + "</h2>\n";
        for (const Sheet::Item* item : items_for(Sheet::Reader::person, section))
            out += std::visit(HtmlWriter{style}, *item);
    }
    return out + "</body>\n</html>\n";
}

std::string sheet_as_markdown(const Sheet& sheet, const SheetStyle& style) {
    std::string out;
    const auto heading = [&](const char* signs, const Label& words) {
        if (!words.empty())
            out += (out.empty() ? "" : "\n") + (signs + escaped_markdown(words)) + "\n";
    };
    heading("# ", sheet.title);
    for (const Sheet::Section& section : sheet.sections) {
        heading("## ", section.title);
        bool in_list = false;
        for (const Sheet::Item* item : items_for(Sheet::Reader::person, section)) {
            const bool product = std::holds_alternative<Sheet::Product>(*item);
            if (!(product && in_list) && !out.empty()) out += "\n";
            in_list = product;
            out += std::visit(MarkdownWriter{style}, *item);
        }
    }
    return out;
}

}  // namespace zhuyi
