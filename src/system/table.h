// Columns of text, aligned by what a terminal shows: 汉字 take two columns.
#pragma once
#include <string>
#include <vector>

namespace zhuyi {

class Table {
  public:
    // One letter a column: 'l' left, 'r' right.
    explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
    void row(std::vector<std::string> cells);  // missing ones are empty
    // Indented by two columns, two between columns, no spaces at the ends of lines.
    std::string text() const;

  private:
    std::string alignment_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace zhuyi
