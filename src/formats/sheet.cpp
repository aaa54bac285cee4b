#include "formats/sheet.h"

#include "base/format.h"

namespace zhuyi {
namespace {

std::vector<Sheet::Cell> cells(std::span<const double> numbers) {
    return {numbers.begin(), numbers.end()};
}

}  // namespace

Label with_shape(const Label& label, const Shape& shape) {
    return label + same("  " + shape.text());
}

Sheet::Cell Sheet::Cell::masked() {
    Cell cell;
    cell.kind = Kind::masked;
    return cell;
}

Sheet::Cell Sheet::Cell::none() {
    Cell cell;
    cell.text = same("–");
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

void Sheet::part(const Text& heading) { sections.push_back({"", heading}); }

void Sheet::section(const char* key, const Text& heading) {
    sections.push_back({key, same(std::to_string(sections.size() + 1) + "  ") + heading});
}

void Sheet::text(Text text) { last().items.push_back(Paragraph{std::move(text)}); }

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
