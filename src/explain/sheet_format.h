// A sheet as text. Each function returns the whole document.
#pragma once
#include <string>

#include "explain/sheet.h"
#include "system/terminal.h"

namespace zhuyi {

struct SheetStyle {
    Index numbers = 0;  // shown of a long row, the last one always among them; 0: what fits a line
    bool full = false;  // all of them
    int columns = 80;   // of the terminal
    Colours colours = Colours::none;
};

std::string sheet_as_terminal(const Sheet& sheet, const SheetStyle& style);
std::string sheet_as_markdown(const Sheet& sheet, const SheetStyle& style);
// One file that needs nothing else; every number shows all its digits under the pointer.
std::string sheet_as_html(const Sheet& sheet, const SheetStyle& style, Language language);
// Everything, uncut and unrounded. What the mask hides is null.
std::string sheet_as_json(const Sheet& sheet);

// ---- what the renderers share

// Decimals so that numbers of a table line up and the largest of them has four digits that mean
// something: 4, and more where all are small.
int decimals_for(double largest_absolute);
std::string number_cell(double number, int decimals);  // no "-0.0000"
std::string cell_text(const Sheet::Cell& cell, int decimals);

// Which of `count` columns (or rows) are shown when `room` of them may be: the first ones and the
// last. -1 stands for what was left out.
std::vector<Index> shown(Index count, Index room);

// Decimals of each column; in a matrix all are the same.
std::vector<int> decimals_of(const Sheet::Table& table);
// Places of the numbers to mark, row by row; empty when the table marks none.
std::vector<std::vector<bool>> marked(const Sheet::Table& table);
std::string product_line(const Sheet::Product& product, Index room);

}  // namespace zhuyi
