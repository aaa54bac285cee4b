#include "explain/sheet_format.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace zhuyi {

int decimals_for(double largest_absolute) {
    constexpr int kUsual = 4, kMost = 12;
    if (!(largest_absolute > 0)) return kUsual;
    int decimals = kUsual;
    for (double x = largest_absolute; x < 0.1 && decimals < kMost; x *= 10) ++decimals;
    return decimals;
}

std::string number_cell(double number, int decimals) {
    if (!std::isfinite(number)) return number > 0 ? "∞" : number < 0 ? "-∞" : "NaN";
    std::string text = format("%.*f", decimals, number);
    if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
    return text;
}

std::string cell_text(const Sheet::Cell& cell, int decimals) {
    switch (cell.kind) {
        case Sheet::Cell::Kind::number:
            return number_cell(cell.number, decimals);
        case Sheet::Cell::Kind::exact:
            return format("%.9g", cell.number);
        case Sheet::Cell::Kind::text:
            return cell.text;
        case Sheet::Cell::Kind::masked:
            return "·";
        default:
            return "";
    }
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

std::vector<int> decimals_of(const Sheet::Table& table) {
    std::size_t columns = table.columns.size();
    for (const Sheet::Row& row : table.rows) columns = std::max(columns, row.cells.size());
    Numbers largest(columns, 0);
    for (const Sheet::Row& row : table.rows)
        for (std::size_t c = 0; c < row.cells.size(); ++c)
            if (row.cells[c].kind == Sheet::Cell::Kind::number &&
                std::isfinite(row.cells[c].number))
                largest[c] = std::max(largest[c], std::abs(row.cells[c].number));
    if (table.matrix && columns > 0)
        largest.assign(columns, *std::max_element(largest.begin(), largest.end()));
    std::vector<int> decimals;
    for (double x : largest) decimals.push_back(decimals_for(x));
    return decimals;
}

std::vector<std::vector<bool>> marked(const Sheet::Table& table) {
    if (!table.show_largest) return {};
    std::vector<std::vector<bool>> marks;
    for (const Sheet::Row& row : table.rows) marks.emplace_back(row.cells.size());
    const auto number = [&](std::size_t r, std::size_t c) {
        const Sheet::Row& row = table.rows[r];
        const bool is = c < row.cells.size() && row.cells[c].kind == Sheet::Cell::Kind::number;
        return is && !row.total ? row.cells[c].number : -INFINITY;
    };
    for (std::size_t r = 0; table.matrix && r < marks.size(); ++r) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < marks[r].size(); ++c)
            if (number(r, c) > number(r, best)) best = c;
        if (number(r, best) > -INFINITY) marks[r][best] = true;
    }
    return marks;
}

std::string product_line(const Sheet::Product& product, Index room) {
    double left = 0, right = std::abs(product.bias.value_or(0));
    for (const auto& [a, b] : product.terms)
        left = std::max(left, std::abs(a)), right = std::max(right, std::abs(b));
    const auto factor = [](double x, double largest) {
        const std::string text = number_cell(x, decimals_for(largest));
        return text[0] == '-' ? "(" + text + ")" : text;
    };
    std::string line = product.label + " = ";
    bool first = true;
    for (Index i : shown(Index(product.terms.size()), room)) {
        if (!first) line += " + ";
        first = false;
        if (i < 0) {
            line += "…";
            continue;
        }
        const auto& [a, b] = product.terms[std::size_t(i)];
        line += factor(a, left) + "·" + factor(b, right);
    }
    if (product.bias) line += " + " + factor(*product.bias, right);
    const double size = std::abs(product.value);
    return line + " = " + number_cell(product.value, decimals_for(size < 0.005 ? size : 1));
}

}  // namespace zhuyi
