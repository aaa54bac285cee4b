#include "system/table.h"

#include <algorithm>

#include "system/terminal.h"

namespace zhuyi {

void Table::row(std::vector<std::string> cells) {
    cells.resize(alignment_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<int> widths(alignment_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], display_width(row[i]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += "  " + (alignment_[i] == 'r' ? fit_right(row[i], widths[i])
                                                 : fit_left(row[i], widths[i]));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace zhuyi
