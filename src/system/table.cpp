#include "system/table.h"

#include <algorithm>

#include "system/terminal.h"

namespace zhuyi {

void Table::row(std::vector<Cell> cells) {
    cells.resize(alignment_.size(), Words{});
    rows_.push_back(std::move(cells));
}

std::string Table::in(Language language) const {
    std::vector<int> widths(alignment_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], display_width(row[i].in(language)));
    std::string text;
    for (const auto& row : rows_) {
        std::string line(std::size_t(indent_), ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string& cell = row[i].in(language);
            line += i > 0 ? "  " : "";
            line += alignment_[i] == 'r' ? fit_right(cell, widths[i]) : fit_left(cell, widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

Text Table::text() const { return {in(Language::english), in(Language::chinese)}; }

}  // namespace zhuyi
