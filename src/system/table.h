// Columns of text, aligned by what a terminal shows: 汉字 take two columns.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/language.h"

namespace zhuyi {

class Table {
  public:
    // What stands in one column of one row: a text, fixed words, or what is the same in every
    // language (a number, a name).
    struct Cell : Text {
        Cell(Text text) : Text(std::move(text)) {}
        Cell(Words words) : Text(words) {}
        Cell(const std::string& anywhere) : Text(same(anywhere)) {}
    };

    // One letter a column: 'l' left, 'r' right. Every line begins with `indent` spaces.
    explicit Table(std::string alignment, int indent = 2)
        : alignment_(std::move(alignment)), indent_(indent) {}
    void row(std::vector<Cell> cells);  // missing ones are empty
    // Two columns between columns, no spaces at the ends of lines.
    Text text() const;

  private:
    std::string in(Language language) const;

    std::string alignment_;
    int indent_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace zhuyi
