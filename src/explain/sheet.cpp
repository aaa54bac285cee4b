#include "explain/sheet.h"

#include "base/format.h"

namespace zhuyi {

Sheet::Cell Sheet::Cell::masked() {
    Cell cell;
    cell.kind = Kind::masked;
    return cell;
}

Sheet::Cell Sheet::Cell::exact(double number) {
    Cell cell(number);
    cell.kind = Kind::exact;
    return cell;
}

void SheetWriter::section(const char* key, const std::string& english, const std::string& chinese) {
    const std::size_t number = sheet_.sections.size() + 1;
    sheet_.sections.push_back({key, format("%zu  ", number) + in(english, chinese), {}});
}

void SheetWriter::text(const std::string& english, const std::string& chinese) {
    sheet_.sections.back().items.push_back(Sheet::Text{in(english, chinese)});
}

void SheetWriter::formula(const std::string& text) {
    sheet_.sections.back().items.push_back(Sheet::Formula{text});
}

void SheetWriter::product(const std::string& label, std::span<const double> a,
                          std::span<const double> b, double value, std::optional<double> bias) {
    Sheet::Product product{label, {}, value, bias};
    for (std::size_t i = 0; i < a.size(); ++i) product.terms.emplace_back(a[i], b[i]);
    sheet_.sections.back().items.push_back(std::move(product));
}

void SheetWriter::matrix(const char* key, const std::string& caption,
                         const std::vector<std::string>& rows, const Grid& numbers,
                         const std::vector<std::string>& columns) {
    Sheet::Table table{key, caption, columns, {}};
    for (Index r = 0; r < numbers.rows; ++r)
        table.rows.push_back(
            {r < Index(rows.size()) ? rows[std::size_t(r)] : std::string(), cells(numbers.row(r))});
    this->table(std::move(table));
}

void SheetWriter::weights(const char* key, const std::string& caption, const Grid& numbers,
                          Index first) {
    Sheet::Table table{key, caption, {}, {}};
    table.most_rows = 8;
    for (Index r = 0; r < numbers.rows; ++r)
        table.rows.push_back({format("%td", first + r), cells(numbers.row(r))});
    this->table(std::move(table));
}

void SheetWriter::vector(const char* key, const std::string& caption, const std::string& label,
                         std::span<const double> numbers) {
    table({key, caption, {}, {{label, cells(numbers)}}});
}

void SheetWriter::table(Sheet::Table table) {
    sheet_.sections.back().items.push_back(std::move(table));
}

std::vector<Sheet::Cell> cells(std::span<const double> numbers) {
    return {numbers.begin(), numbers.end()};
}

std::string shape_text(std::initializer_list<Index> extents) { return Shape(extents).text(); }

}  // namespace zhuyi
