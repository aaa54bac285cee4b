#include <algorithm>
#include <cctype>

#include "explain/sheet_format.h"

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

std::string cell_markdown(const Sheet::Cell& cell, int decimals, bool mark) {
    const std::string text = escaped_markdown(cell_text(cell, decimals));
    return mark ? "**" + text + "**" : text;
}

std::string table_text(const Sheet::Table& table, const SheetStyle& style) {
    const std::vector<int> decimals = decimals_of(table);
    const std::vector<std::vector<bool>> marks = marked(table);
    const Index count = Index(decimals.size()), rows = Index(table.rows.size());
    const bool whole = style.full || !table.matrix;
    const Index room = style.numbers ? style.numbers : 8;
    const std::vector<Index> places = shown(count, whole ? count : room);
    std::string out = table.caption.empty() ? "" : escaped_markdown(table.caption) + "\n\n";
    std::string header = "|  |", rule = "|:--|";
    for (Index c : places) {
        const bool named = c >= 0 && c < Index(table.columns.size());
        header += " " +
                  (c < 0   ? "…"
                   : named ? escaped_markdown(table.columns[std::size_t(c)])
                           : "") +
                  " |";
        rule += "--:|";
    }
    out += header + "\n" + rule + "\n";
    for (Index r : shown(rows, whole ? rows : table.most_rows)) {
        if (r < 0) {
            out += "| … |\n";
            continue;
        }
        const Sheet::Row& row = table.rows[std::size_t(r)];
        const std::string label = escaped_markdown(row.label);
        out += "| " + (row.total ? "**" + label + "**" : label) + " |";
        for (Index c : places) {
            const std::size_t k = std::size_t(c);
            if (c < 0)
                out += " … |";
            else if (c >= Index(row.cells.size()))
                out += "  |";
            else
                out += " " +
                       cell_markdown(row.cells[k], decimals[k],
                                     !marks.empty() && marks[std::size_t(r)][k]) +
                       " |";
        }
        out += "\n";
    }
    return out;
}

std::string item_text(const Sheet::Item& item, const SheetStyle& style) {
    if (const auto* text = std::get_if<Sheet::Text>(&item))
        return escaped_markdown(text->text) + "\n";
    if (const auto* formula = std::get_if<Sheet::Formula>(&item)) return code(formula->text) + "\n";
    if (const auto* product = std::get_if<Sheet::Product>(&item)) {
        const Index count = Index(product->terms.size());
        const Index room = style.full ? count : style.numbers ? style.numbers : 8;
        return "- " + code(product_line(*product, room)) + "\n";
    }
    return table_text(std::get<Sheet::Table>(item), style);
}

}  // namespace

std::string sheet_as_markdown(const Sheet& sheet, const SheetStyle& style) {
    std::string out = "# " + escaped_markdown(sheet.title) + "\n";
    for (const Sheet::Section& section : sheet.sections) {
        out += "\n## " + escaped_markdown(section.title) + "\n";
        bool in_list = false;
        for (const Sheet::Item& item : section.items) {
            const bool product = std::holds_alternative<Sheet::Product>(item);
            if (!(product && in_list)) out += "\n";
            in_list = product;
            out += item_text(item, style);
        }
    }
    return out;
}

}  // namespace zhuyi
