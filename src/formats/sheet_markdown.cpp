#include <cctype>

#include "formats/sheet_format.h"

namespace zhuyi {
namespace {

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
        return escaped_markdown(paragraph.text.in(style.language)) + "\n";
    }
    std::string operator()(const Sheet::Formula& formula) const {
        return code(formula.text.in(style.language)) + "\n";
    }
    std::string operator()(const Sheet::Product& product) const {
        const Index room = room_for(style, std::ssize(product.terms), 8);
        return "- " + code(product_line(product, room, style.language)) + "\n";
    }
    std::string operator()(const Sheet::Table& sheet_table) const {
        const TextTable table(sheet_table, style);
        const std::vector<Index> columns = table.shown_columns(style, 8);
        std::string out = table.caption.empty() ? "" : escaped_markdown(table.caption) + "\n\n";
        std::string header = "|  |", rule = "|:--|";
        for (Index c : columns) {
            header += " " + (c < 0 ? "…" : escaped_markdown(table.columns[std::size_t(c)])) + " |";
            rule += "--:|";
        }
        out += header + "\n" + rule + "\n";
        for (Index r : table.shown_rows()) {
            if (r < 0) {
                out += "| … |\n";
                continue;
            }
            const TextTable::Row& row = table.rows[std::size_t(r)];
            out += "| " + bold(escaped_markdown(row.label), row.total) + " |";
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

std::string sheet_as_markdown(const Sheet& sheet, const SheetStyle& style) {
    std::string out = "# " + escaped_markdown(sheet.title.in(style.language)) + "\n";
    for (const Sheet::Section& section : sheet.sections) {
        out += "\n## " + escaped_markdown(section.title.in(style.language)) + "\n";
        bool in_list = false;
        for (const Sheet::Item& item : section.items) {
            const bool product = std::holds_alternative<Sheet::Product>(item);
            if (!(product && in_list)) out += "\n";
            in_list = product;
            out += std::visit(MarkdownWriter{style}, item);
        }
    }
    return out;
}

}  // namespace zhuyi
