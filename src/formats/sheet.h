// What a command prints, before it is known where: a title, and sections of paragraphs, formulas
// and tables. Numbers stay numbers, so that a terminal may cut them and JSON need not.
//
// A person reads tables by their headings, a program by names that stay the same in every language:
//
//     sheet.values()                     rows that are called "tokens", "loss"
//                                        {"tokens": 7, "loss": 0.5}
//     sheet.records("rules", …)          columns that are called "rule", "seen.right"
//                                        {"rules": [{"rule": "甲", "seen": {"right": 1}}, …]}
//     sheet.set("train.tokens", 7)       in no table
//                                        {"train": {"tokens": 7}}
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/grid.h"
#include "base/language.h"
#include "formats/json.h"

namespace zhuyi {

// What stands beside numbers: words of the process's language, a formula, a token.
struct Label : std::string {
    Label() = default;
    Label(std::string text) : std::string(std::move(text)) {}
    Label(const char* text) : std::string(text) {}
    Label(Words words) : std::string(say(words)) {}
    Label(const char* english, const char* chinese) : Label(Words{english, chinese}) {}
};

using Labels = List<Label>;

// "Q  [3, 2]"
Label with_shape(const Label& label, const Shape& shape);

struct Sheet {
    struct Paragraph {
        std::string text;
        Numbers numbers{};    // those that were filled in, in their order
        bool folded = false;  // an answer, which a reader opens after thinking
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
    // A value, and how a person reads it where the decimals of its column would not do.
    struct Cell {
        enum class Kind { number, text, empty, masked };
        Kind kind = Kind::empty;
        double number = 0;
        std::string text{};  // itself; or of a number, how it is printed

        Cell() = default;
        Cell(double value) : kind(Kind::number), number(value) {}
        Cell(double value, const std::string& printed)
            : kind(Kind::number), number(value), text(printed) {}
        Cell(std::string value) : kind(Kind::text), text(std::move(value)) {}
        Cell(const char* value) : Cell(std::string(value)) {}
        Cell(Words words) : Cell(say(words)) {}
        static Cell masked();                             // hidden by the causal mask
        static Cell none();                               // "–": there is no such number
        static Cell exact(double number);                 // with all the digits of a float
        static Cell fixed(double number, int decimals);   // "0.4465"
        static Cell count(Index number);                  // "38,817"
        static Cell percent(double share, int decimals);  // 0.019 as "1.9 %"
        static Cell bytes(double bytes);                  // "1.5 MiB"
    };
    struct Row {
        Label label;
        std::vector<Cell> cells;
        bool total = false;  // stands below a line
        std::string key{};   // of a table of values: what a program calls the first cell

        // What stands in a cell. Throw Error where no number (no words) stand there.
        double number(Index cell = 0) const;
        const std::string& words(Index cell = 0) const;
        Numbers numbers() const;  // of all cells; what the mask hides counts as 0
    };
    enum class Reader { anybody, person, program };
    // Of records. Without a key it is for persons alone.
    struct Column {
        std::string key;
        Label heading{};
        bool unseen = false;  // it is for programs alone
    };
    struct Table {
        std::string key;   // its name for programs: "weights"
        Label caption{};   // "Q = X · W_Q  [3, 2]"
        Labels columns{};  // may be empty
        // A vector or matrix: one scale of numbers, and columns that may be cut. Otherwise a list,
        // whose columns are each of their own kind and never cut.
        bool matrix = true;
        Index most_rows = 24;       // shown of a matrix that is cut
        bool show_largest = false;  // mark the largest number of each row
        bool wraps = false;         // break the words of the last column at the end of a line
        std::vector<Row> rows{};
        // Of records. A key is a path (Json::at_path); "../step" belongs to the element that holds
        // the list: of steps[i].rules when the table is called "steps.rules".
        std::vector<Column> fields{};
        Reader reader = Reader::anybody;

        void add(Label label, std::vector<Cell> cells);
        void add(Label label, std::span<const double> numbers);
        void total(Label label, std::vector<Cell> cells);
        void total(Label label, std::span<const double> numbers);
        void record(std::vector<Cell> cells);  // a row of records
        // A row of values: its name for programs ("": none), for people, and what is said of it.
        void value(std::string name, Label label, Cell value, Label note = {});
        bool of_records() const { return !fields.empty(); }

        // A row by its number (-1: the last) or its label.
        const Row& row(Index number) const;
        const Row& row(std::string_view label) const;
        Grid grid() const;  // of all rows
        Numbers column(Index cell) const;
    };
    using Item = std::variant<Paragraph, Formula, Product, Table>;
    struct Section {
        std::string key;
        Label title;
        std::deque<Item> items{};

        // The nth of those with this name; -1: the last.
        const Table& table(std::string_view key, Index nth = 0) const;
        const Product& product(Index nth = 0) const;
        const Paragraph& paragraph(Index nth) const;
    };

    Label title;
    std::vector<Section> sections{};
    Json for_programs{};  // what they can read besides the tables

    // ---- reading, by name. What is not there is an Error that says so.

    const Section& at(std::string_view section, Index nth = 0) const;
    bool has(std::string_view section) const;
    const Table& table(std::string_view section, std::string_view key) const {
        return at(section).table(key);
    }
    const Table& table(std::string_view key) const { return table(key, key); }

    // ---- writing, from top to bottom

    // `path`: "train.tokens" (Json::at_path).
    void set(std::string_view path, Json value);
    // A section that is not numbered; without a heading it only begins.
    void part(const Label& heading = {});
    // Sections are numbered from 1.
    template <std::convertible_to<std::string> Heading>
    void section(const char* key, const Heading& heading) {
        sections.push_back({key, std::to_string(sections.size() + 1) + "  " + heading});
    }
    template <class... Args>
    void section(const char* key,
                 language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
                 const Args&... args) {
        section(key, say<Args...>(pattern, args...));
    }
    template <std::convertible_to<std::string> Line>
    void text(const Line& line) {
        last().items.push_back(Paragraph{line});
    }
    template <class... Args>
    void text(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
              const Args&... args) {
        text(say<Args...>(pattern, args...));
        (keep(args), ...);
    }
    void folded(const std::string& answer);
    void formula(Label formula);
    void command(const std::string& command);  // what a person types, on one line
    void product(Label label, std::span<const double> a, std::span<const double> b, double value,
                 std::optional<double> bias = {});
    // Tables, to be filled; what is returned is good until the next section.
    Table& matrix(std::string key, Label caption = {}, Labels columns = {});
    Table& list(std::string key, Labels columns = {});
    // For programs each row becomes an object.
    Table& records(std::string key, std::vector<Column> columns);
    static Column unseen(std::string key) { return {std::move(key), {}, true}; }
    // For programs the rows become members of an object; of the whole sheet if `key` is empty.
    Table& values(std::string key = "");
    // A matrix with a label for each row (fewer: none for the rest).
    Table& matrix(std::string key, Label caption, const Labels& rows, const Grid& numbers,
                  const Labels& columns = {});
    // Of a weight's size: rows numbered from `first`, most of them left out.
    void weights(const std::string& key, const Grid& numbers, Index first = 0);

  private:
    Section& last();
    template <class Argument>
    void keep(const Argument& argument) {
        if constexpr (std::is_arithmetic_v<Argument>)
            std::get<Paragraph>(sections.back().items.back()).numbers.push_back(double(argument));
    }
    Table& table(Table table);
};
using Cell = Sheet::Cell;

}  // namespace zhuyi
