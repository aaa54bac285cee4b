// What a command prints, before it is known where: a title, and sections of paragraphs, formulas and
// tables. Numbers stay numbers, so that a terminal may cut them and JSON need not.
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
        Numbers numbers{};  // those that were filled in, in their order
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
        Text text{};  // itself; or of a number, how it is printed

        Cell() = default;
        Cell(double value) : kind(Kind::number), number(value) {}
        Cell(double value, const std::string& printed)
            : kind(Kind::number), number(value), text(same(printed)) {}
        Cell(Text value) : kind(Kind::text), text(std::move(value)) {}
        Cell(const std::string& alike) : Cell(same(alike)) {}
        Cell(const char* alike) : Cell(same(alike)) {}
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

        // A row by its number (-1: the last) or its label in English.
        const Row& row(Index number) const;
        const Row& row(std::string_view label) const;
        Grid grid() const;  // of all rows
        Numbers column(Index cell) const;
    };
    using Item = std::variant<Paragraph, Formula, Product, Table>;
    struct Section {
        std::string key;
        Text title;
        std::deque<Item> items{};

        // The nth of those with this name; -1: the last.
        const Table& table(std::string_view key, Index nth = 0) const;
        const Product& product(Index nth = 0) const;
        const Paragraph& paragraph(Index nth) const;
    };

    Text title;
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
    void part(const Text& heading = {});
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
        (keep(args), ...);
    }
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

}  // namespace zhuyi
