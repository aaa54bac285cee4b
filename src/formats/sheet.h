// A worked sheet as a document: what is to be read, before it is known where and in which language.
// Numbers stay numbers, so that a terminal may cut them and JSON need not.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/grid.h"
#include "base/language.h"

namespace zhuyi {

// What stands beside numbers: words in two languages, or what every language writes alike (a
// formula, a token).
struct Label : Text {
    Label() = default;
    Label(Text text) : Text(std::move(text)) {}
    Label(const char* in_english, const char* in_chinese) : Text(in_english, in_chinese) {}
    Label(const std::string& alike) : Text(same(alike)) {}
    Label(const char* alike) : Text(same(alike)) {}
};

using Labels = std::vector<Label>;

// "Q  [3, 2]"
Label with_shape(const Label& label, const Shape& shape);

struct Sheet {
    struct Paragraph {
        Text text;
    };
    // A line that is read as mathematics: "Q = X · W_Q".
    struct Formula {
        Label text;
        bool whole = false;  // never broken: a command that is typed as it stands
    };
    // A sum of products written out: label = 0.6·0.4 + 0.5·0.6 + bias = 0.54
    struct Product {
        Label label;
        std::vector<std::pair<double, double>> terms;
        double value;
        std::optional<double> bias{};  // added after the products
    };
    struct Cell {
        enum class Kind { number, exact, text, empty, masked };
        Kind kind = Kind::empty;
        double number = 0;
        Text text{};

        Cell() = default;
        Cell(double value) : kind(Kind::number), number(value) {}
        Cell(Text value) : kind(Kind::text), text(std::move(value)) {}
        Cell(const std::string& alike) : Cell(same(alike)) {}
        Cell(const char* alike) : Cell(same(alike)) {}
        static Cell masked();              // hidden by the causal mask
        static Cell exact(double number);  // shown with all the digits of a float, not aligned
    };
    struct Row {
        Label label;
        std::vector<Cell> cells;
        bool total = false;  // stands below a line
    };
    struct Table {
        std::string key;   // its name in JSON: "weights"
        Label caption{};   // "Q = X · W_Q  [3, 2]"
        Labels columns{};  // may be empty
        // A vector or matrix: one scale of numbers, and columns that may be cut. Otherwise a list,
        // whose columns are each of their own kind and never cut.
        bool matrix = true;
        Index most_rows = 24;       // shown of a matrix that is cut
        bool show_largest = false;  // mark the largest number of each row
        std::vector<Row> rows{};

        void add(Label label, std::vector<Cell> cells);
        void add(Label label, std::span<const double> numbers);
        void total(Label label, std::vector<Cell> cells);
        void total(Label label, std::span<const double> numbers);
    };
    using Item = std::variant<Paragraph, Formula, Product, Table>;
    struct Section {
        std::string key;
        Text title;
        std::deque<Item> items{};
    };

    Text title;
    std::vector<Section> sections{};

    // ---- writing, from top to bottom

    // Sections are numbered from 1.
    void section(const char* key, const Text& heading);
    template <class... Args>
    void section(const char* key,
                 language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
                 const Args&... args) {
        section(key, say<Args...>(pattern, args...));
    }
    void text(Text text);
    template <class... Args>
    void text(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
              const Args&... args) {
        text(say<Args...>(pattern, args...));
    }
    void formula(Label formula);
    void command(const std::string& command);  // what a person types, on one line
    void product(Label label, std::span<const double> a, std::span<const double> b, double value,
                 std::optional<double> bias = {});
    // Tables, to be filled; what is returned is good until the next section.
    Table& matrix(std::string key, Label caption = {}, Labels columns = {});
    Table& list(std::string key, Labels columns = {});
    // A matrix with a label for each row (fewer: none for the rest).
    Table& matrix(std::string key, Label caption, const Labels& rows, const Grid& numbers,
                  const Labels& columns = {});
    // Of a weight's size: rows numbered from `first`, most of them left out.
    void weights(const std::string& key, const Grid& numbers, Index first = 0);

  private:
    Table& table(Table table);
};

}  // namespace zhuyi
