#include "formats/sheet.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"

namespace zhuyi {

[[noreturn]] static void missing(const char* what, std::string_view name) {
    fail({"the sheet has no %s %s", "表里没有 %s %s"}, what, name);
}

// The nth of the items of this kind that fit; -1: the last.
template <class Kind, class Fits>
static const Kind& nth_of(const Sheet::Section& section, Index nth, const char* what,
                          std::string_view name, const Fits& fits) {
    std::vector<const Kind*> found;
    for (const Sheet::Item& item : section.items)
        if (const Kind* each = std::get_if<Kind>(&item); each && fits(*each)) found.push_back(each);
    if (nth < 0) nth += std::ssize(found);
    if (nth < 0 || nth >= std::ssize(found)) missing(what, name);
    return *found[std::size_t(nth)];
}

static std::vector<Sheet::Cell> cells(std::span<const double> numbers) {
    return {numbers.begin(), numbers.end()};
}

double Sheet::Row::number(Index cell) const {
    if (cell >= std::ssize(cells)) missing("number in row", label);
    const Cell& found = cells[std::size_t(cell)];
    if (found.kind == Cell::Kind::masked) return 0;
    if (found.kind != Cell::Kind::number) missing("number in row", label);
    return found.number;
}

const std::string& Sheet::Row::words(Index cell) const {
    if (cell >= std::ssize(cells) || cells[std::size_t(cell)].kind != Cell::Kind::text)
        missing("words in row", label);
    return cells[std::size_t(cell)].text;
}

Numbers Sheet::Row::numbers() const {
    Numbers all;
    for (Index cell = 0; cell < std::ssize(cells); ++cell) all.push_back(number(cell));
    return all;
}

const Sheet::Row& Sheet::Table::row(Index number) const {
    if (number < 0) number += std::ssize(rows);
    if (number < 0 || number >= std::ssize(rows)) missing("such row in table", key);
    return rows[std::size_t(number)];
}

const Sheet::Row& Sheet::Table::row(std::string_view name) const {
    const auto found =
        std::ranges::find_if(rows, [&](const Row& row) { return row.label == name; });
    if (found == rows.end()) missing("row", name);
    return *found;
}

Grid Sheet::Table::grid() const {
    Grid all;
    for (const Row& row : rows) {
        const Numbers numbers = row.numbers();
        all.values.insert(all.values.end(), numbers.begin(), numbers.end());
        all.columns = numbers.count();
    }
    all.rows = std::ssize(rows);
    require(std::ssize(all.values) == all.rows * all.columns,
            "sheet: every row of a grid is as long as the others");
    return all;
}

Numbers Sheet::Table::column(Index cell) const {
    Numbers all;
    for (const Row& row : rows) all.push_back(row.number(cell));
    return all;
}

const Sheet::Table& Sheet::Section::table(std::string_view name, Index nth) const {
    return nth_of<Table>(*this, nth, "table", name,
                         [&](const Table& each) { return each.key == name; });
}

const Sheet::Product& Sheet::Section::product(Index nth) const {
    return nth_of<Product>(*this, nth, "such product in section", key,
                           [](const Product&) { return true; });
}

const Sheet::Paragraph& Sheet::Section::paragraph(Index nth) const {
    return nth_of<Paragraph>(*this, nth, "such paragraph in section", key,
                             [](const Paragraph&) { return true; });
}

bool Sheet::has(std::string_view section) const {
    return std::ranges::find(sections, section, &Section::key) != sections.end();
}

const Sheet::Section& Sheet::at(std::string_view name, Index nth) const {
    for (const Section& section : sections)
        if (section.key == name && nth-- == 0) return section;
    missing("section", name);
}

Label with_shape(const Label& label, const Shape& shape) { return label + "  " + shape.text(); }

Sheet::Cell Sheet::Cell::masked() {
    Cell cell;
    cell.kind = Kind::masked;
    return cell;
}

Sheet::Cell Sheet::Cell::none() {
    Cell cell;
    cell.text = "–";
    return cell;
}

Sheet::Cell Sheet::Cell::exact(double number) { return {number, format("%.9g", number)}; }
Sheet::Cell Sheet::Cell::fixed(double number, int decimals) {
    return {number, format("%.*f", decimals, number)};
}
Sheet::Cell Sheet::Cell::count(Index number) { return {double(number), grouped(number)}; }
Sheet::Cell Sheet::Cell::percent(double share, int decimals) {
    return {share, format("%.*f %%", decimals, 100 * share)};
}
Sheet::Cell Sheet::Cell::bytes(double bytes) { return {bytes, bytes_text(bytes)}; }

void Sheet::Table::add(Label label, std::vector<Cell> cells) {
    rows.push_back({std::move(label), std::move(cells)});
}
void Sheet::Table::add(Label label, std::span<const double> numbers) {
    add(std::move(label), cells(numbers));
}
void Sheet::Table::total(Label label, std::vector<Cell> cells) {
    rows.push_back({std::move(label), std::move(cells), true});
}
void Sheet::Table::total(Label label, std::span<const double> numbers) {
    total(std::move(label), cells(numbers));
}

void Sheet::Table::record(std::vector<Cell> cells) { rows.push_back({{}, std::move(cells)}); }
void Sheet::Table::value(std::string name, Label label, Cell value, Label note) {
    std::vector<Cell> cells{std::move(value)};
    if (!note.empty()) cells.emplace_back(std::move(note));
    rows.push_back({std::move(label), std::move(cells), false, std::move(name)});
}

void Sheet::set(std::string_view path, Json value) {
    for_programs.at_path(path) = std::move(value);
}

void Sheet::part(const Label& heading) { sections.push_back({"", heading}); }

void Sheet::folded(const std::string& answer) {
    last().items.push_back(Paragraph{answer, {}, true});
}

void Sheet::formula(Label formula) { last().items.push_back(Formula{std::move(formula)}); }

void Sheet::command(const std::string& command) { last().items.push_back(Formula{command, true}); }

void Sheet::product(Label label, std::span<const double> a, std::span<const double> b, double value,
                    std::optional<double> bias) {
    Product product{std::move(label), {}, value, bias};
    for (std::size_t i = 0; i < a.size(); ++i) product.terms.emplace_back(a[i], b[i]);
    last().items.push_back(std::move(product));
}

Sheet::Table& Sheet::matrix(std::string key, Label caption, Labels columns) {
    return table({std::move(key), std::move(caption), std::move(columns)});
}

Sheet::Table& Sheet::list(std::string key, Labels columns) {
    return table({std::move(key), {}, std::move(columns), false});
}

Sheet::Table& Sheet::records(std::string key, std::vector<Column> columns) {
    Table& records = list(std::move(key));
    records.fields = std::move(columns);
    return records;
}

Sheet::Table& Sheet::values(std::string key) { return list(std::move(key)); }

Sheet::Table& Sheet::matrix(std::string key, Label caption, const Labels& rows, const Grid& numbers,
                            const Labels& columns) {
    Table& table = matrix(std::move(key), std::move(caption), columns);
    for (Index r = 0; r < numbers.rows; ++r)
        table.add(r < std::ssize(rows) ? rows[std::size_t(r)] : Label(), numbers.row(r));
    return table;
}

void Sheet::weights(const std::string& key, const Grid& numbers, Index first) {
    Table& table = matrix(key, with_shape(key, numbers.shape()));
    table.most_rows = 8;
    for (Index r = 0; r < numbers.rows; ++r) table.add(std::to_string(first + r), numbers.row(r));
}

Sheet::Section& Sheet::last() {
    if (sections.empty()) part();
    return sections.back();
}

Sheet::Table& Sheet::table(Table table) {
    return std::get<Table>(last().items.emplace_back(std::move(table)));
}

}  // namespace zhuyi
