// A worked sheet as a document: what is to be read, before it is known where. Numbers stay numbers,
// so that a terminal may cut them and JSON need not.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/language.h"
#include "explain/worked_grid.h"

namespace zhuyi {

struct Sheet {
    struct Text {
        std::string text;
    };
    // A line that is read as mathematics: "Q = X · W_Q".
    struct Formula {
        std::string text;
    };
    // A sum of products written out: label = 0.6·0.4 + 0.5·0.6 + bias = 0.54
    struct Product {
        std::string label;
        std::vector<std::pair<double, double>> terms;
        double value;
        std::optional<double> bias{};  // added behind the products
    };
    struct Cell {
        enum class Kind { number, exact, text, empty, masked };
        Kind kind = Kind::empty;
        double number = 0;
        std::string text;

        Cell() = default;
        Cell(double value) : kind(Kind::number), number(value) {}
        Cell(std::string value) : kind(Kind::text), text(std::move(value)) {}
        Cell(const char* value) : Cell(std::string(value)) {}
        static Cell masked();              // hidden by the causal mask
        static Cell exact(double number);  // shown with all the digits of a float, not aligned
    };
    struct Row {
        std::string label;
        std::vector<Cell> cells;
        bool total = false;  // stands below a line
    };
    struct Table {
        std::string key;                   // its name in JSON: "weights"
        std::string caption;               // "Q = X · W_Q  [3, 2]"
        std::vector<std::string> columns;  // may be empty
        std::vector<Row> rows;
        // A vector or matrix: one scale of numbers, and columns that may be cut. Otherwise a list,
        // whose columns are each of their own kind and never cut.
        bool matrix = true;
        Index most_rows = 24;       // shown of a matrix that is cut
        bool show_largest = false;  // mark the largest number of each row
    };
    using Item = std::variant<Text, Formula, Product, Table>;
    struct Section {
        std::string key, title;
        std::vector<Item> items;
    };

    std::string title;
    std::vector<Section> sections;
};

// Writes a sheet in one of two languages, said side by side.
class SheetWriter {
  public:
    SheetWriter(Language language, const std::string& title) : language_(language) {
        sheet_.title = title;
    }
    SheetWriter(Language language, const std::string& english, const std::string& chinese)
        : language_(language) {
        sheet_.title = in(english, chinese);
    }

    std::string in(const std::string& english, const std::string& chinese) const {
        return language_ == Language::chinese ? chinese : english;
    }
    Language language() const { return language_; }

    void section(const char* key, const std::string& english, const std::string& chinese);
    void text(const std::string& english, const std::string& chinese);
    void formula(const std::string& text);
    void product(const std::string& label, std::span<const double> a, std::span<const double> b,
                 double value, std::optional<double> bias = {});
    // A matrix with a label for each row (fewer: none for the rest).
    void matrix(const char* key, const std::string& caption, const std::vector<std::string>& rows,
                const Grid& numbers, const std::vector<std::string>& columns = {});
    // Of a weight's size: rows numbered from `first`, most of them left out.
    void weights(const char* key, const std::string& caption, const Grid& numbers, Index first = 0);
    void vector(const char* key, const std::string& caption, const std::string& label,
                std::span<const double> numbers);
    void table(Sheet::Table table);

    Sheet finish() { return std::move(sheet_); }

  private:
    Language language_;
    Sheet sheet_;
};

std::vector<Sheet::Cell> cells(std::span<const double> numbers);
std::string shape_text(std::initializer_list<Index> extents);  // "[1, 2, 3]"

}  // namespace zhuyi
