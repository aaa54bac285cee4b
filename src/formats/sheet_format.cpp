#include "formats/sheet_format.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace zhuyi {
static std::string cell_text(const Sheet::Cell& cell, int decimals) {
    if (cell.kind == Sheet::Cell::Kind::masked) return "·";
    if (cell.kind != Sheet::Cell::Kind::number || !cell.text.empty()) return cell.text;
    return number_text(cell.number, decimals);
}

// Decimals of each column; in a matrix all are the same.
static std::vector<int> decimals_of(const Sheet::Table& table) {
    std::size_t columns = table.columns.size();
    for (const Sheet::Row& row : table.rows) columns = std::max(columns, row.cells.size());
    Numbers largest(columns, 0);
    for (const Sheet::Row& row : table.rows)
        for (std::size_t c = 0; c < row.cells.size(); ++c)
            if (row.cells[c].kind == Sheet::Cell::Kind::number && row.cells[c].text.empty() &&
                std::isfinite(row.cells[c].number))
                largest[c] = std::max(largest[c], std::abs(row.cells[c].number));
    if (table.matrix && columns > 0)
        largest.assign(columns, *std::max_element(largest.begin(), largest.end()));
    std::vector<int> decimals;
    for (double x : largest) decimals.push_back(decimals_for(x));
    return decimals;
}

static void mark_largest(std::vector<TextTable::Cell>& cells) {
    const auto number = [](const TextTable::Cell& cell) {
        return cell.kind == Sheet::Cell::Kind::number ? cell.number : -INFINITY;
    };
    const auto best = std::max_element(cells.begin(), cells.end(),
                                       [&](auto& a, auto& b) { return number(a) < number(b); });
    if (best != cells.end() && number(*best) > -INFINITY) best->mark = true;
}

int decimals_for(double largest_absolute) {
    constexpr int kUsual = 4, kMost = 12;
    if (!(largest_absolute > 0)) return kUsual;
    int decimals = kUsual;
    for (double x = largest_absolute; x < 0.1 && decimals < kMost; x *= 10) ++decimals;
    return decimals;
}

std::string number_text(double number, int decimals) {
    if (!std::isfinite(number)) return number > 0 ? "∞" : number < 0 ? "-∞" : "NaN";
    std::string text = format("%.*f", decimals, number);
    if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
    return text;
}

std::vector<Index> shown(Index count, Index room) {
    std::vector<Index> places;
    if (count <= room) {
        for (Index i = 0; i < count; ++i) places.push_back(i);
        return places;
    }
    for (Index i = 0; i + 1 < std::max<Index>(room, 2); ++i) places.push_back(i);
    places.push_back(-1);
    places.push_back(count - 1);
    return places;
}

Index room_for(const SheetStyle& style, Index count, Index usual) {
    return style.full ? count : style.numbers ? style.numbers : usual;
}

std::string factor_text(double number, int decimals) {
    const std::string text = number_text(number, decimals);
    return text[0] == '-' ? "(" + text + ")" : text;
}

std::string product_line(const Sheet::Product& product, Index room) {
    double left = 0, right = std::abs(product.bias.value_or(0));
    for (const auto& [a, b] : product.terms)
        left = std::max(left, std::abs(a)), right = std::max(right, std::abs(b));
    const auto factor = [](double x, double largest) {
        return factor_text(x, decimals_for(largest));
    };
    std::string line = product.label + " = ";
    const char* plus = "";
    for (Index i : shown(std::ssize(product.terms), room)) {
        line += plus;
        plus = " + ";
        if (i < 0) {
            line += "…";
            continue;
        }
        const auto& [a, b] = product.terms[std::size_t(i)];
        line += factor(a, left) + "·" + factor(b, right);
    }
    if (product.bias) line += " + " + factor(*product.bias, right);
    const double size = std::abs(product.value);
    return line + " = " + number_text(product.value, decimals_for(size < 0.005 ? size : 1));
}

std::vector<const Sheet::Item*> items_for(Sheet::Reader reader, const Sheet::Section& section) {
    std::vector<const Sheet::Item*> items;
    for (const Sheet::Item& item : section.items) {
        const auto* table = std::get_if<Sheet::Table>(&item);
        if (!table || table->reader == Sheet::Reader::anybody || table->reader == reader)
            items.push_back(&item);
    }
    return items;
}

TextTable::TextTable(const Sheet::Table& table, const SheetStyle& style)
    : caption(table.caption),
      labels(!table.of_records()),
      whole(style.full || !table.matrix),
      most_rows(table.most_rows),
      wraps(table.wraps) {
    const std::vector<int> decimals = decimals_of(table);
    const auto unseen = [&](std::size_t c) {
        return c < table.fields.size() && table.fields[c].unseen;
    };
    for (const Label& column : table.columns) columns.push_back(column);
    for (const Sheet::Column& field : table.fields)
        if (!field.unseen) columns.push_back(field.heading);
    if (labels) columns.resize(decimals.size());
    words.resize(columns.size());
    header = std::ranges::any_of(columns, [](const auto& name) { return !name.empty(); });
    for (const Sheet::Row& row : table.rows) {
        rows.push_back({row.label, {}, row.total});
        std::vector<Cell>& cells = rows.back().cells;
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
            if (unseen(c)) continue;
            const Sheet::Cell& cell = row.cells[c];
            if (cell.kind == Sheet::Cell::Kind::text) words[cells.size()] = true;
            cells.push_back({cell_text(cell, decimals[c]), cell.kind, cell.number, false});
        }
        if (table.show_largest && !row.total) mark_largest(cells);
    }
}

std::vector<Index> TextTable::shown_columns(const SheetStyle& style, Index usual) const {
    const Index count = std::ssize(columns);
    return shown(count, whole ? count : room_for(style, count, usual));
}

std::vector<Index> TextTable::shown_rows() const {
    return shown(std::ssize(rows), whole ? std::ssize(rows) : most_rows);
}

}  // namespace zhuyi
