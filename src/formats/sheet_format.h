// A sheet as text. Each function returns the whole document.
#pragma once
#include <string>

#include "formats/sheet.h"
#include "system/terminal.h"

namespace zhuyi {

struct SheetStyle {
    // Shown of a long row, the last one always among them; 0 means what fits a line.
    Index numbers = 0;
    bool full = false;  // all of them
    int columns = 80;   // of the terminal
    Colours colours = Colours::none;
};

std::string sheet_as_terminal(const Sheet& sheet, const SheetStyle& style);
std::string sheet_as_markdown(const Sheet& sheet, const SheetStyle& style);
// One file that needs nothing else; every number shows all its digits under the pointer.
std::string sheet_as_html(const Sheet& sheet, const SheetStyle& style);
// Everything, uncut and unrounded. What the mask hides is null.
std::string sheet_as_json(const Sheet& sheet);
// The tables, uncut and unrounded: a line with the name, one with the names of the columns, the
// rows, and an empty line before the next table. The first one, "values", has what stands in no
// list. Fields are quoted as RFC 4180 says; lines end with \n, for no other control character
// leaves the program (system/terminal.h).
std::string sheet_as_csv(const Sheet& sheet);

// One field of a line, in quotes where a comma, quote or line break would be mistaken.
std::string csv_field(const std::string& text);

// ---- what the writers share

// Decimals so that numbers of a table line up and the largest of them has four digits that mean
// something: 4, and more where all are small.
int decimals_for(double largest_absolute);
std::string number_text(double number, int decimals);  // no "-0.0000"
std::string factor_text(double number, int decimals);  // in a formula: "(-0.5)"
std::string product_line(const Sheet::Product& product, Index room);

// Which of `count` columns (or rows) are shown when `room` of them may be: the first ones and the
// last. -1 stands for what was left out.
std::vector<Index> shown(Index count, Index room);
// How many of `count` numbers may be shown in a style; `usual` where it does not say.
Index room_for(const SheetStyle& style, Index count, Index usual);

constexpr Words kOpenAnswer = {"Answer", "答案"};  // what opens a folded paragraph

// What a reader of one kind finds in a section.
std::vector<const Sheet::Item*> items_for(Sheet::Reader reader, const Sheet::Section& section);

// A table whose cells are text already, nothing cut yet.
struct TextTable {
    struct Cell {
        std::string text;
        Sheet::Cell::Kind kind;
        double number;
        bool mark;  // the largest of its row, where the table shows it
    };
    struct Row {
        std::string label;
        std::vector<Cell> cells;
        bool total;
    };
    std::string caption;
    bool labels;                       // do the rows have any?
    bool header;                       // does any column have a name?
    std::vector<std::string> columns;  // all of them; "" has no name
    std::vector<bool> words;           // does a column hold words? Then they begin at the left
    std::vector<Row> rows;
    bool whole;       // is never cut
    Index most_rows;  // otherwise
    bool wraps;       // the last column

    TextTable(const Sheet::Table& table, const SheetStyle& style);
    std::vector<Index> shown_columns(const SheetStyle& style, Index usual) const;
    std::vector<Index> shown_rows() const;
};

}  // namespace zhuyi
