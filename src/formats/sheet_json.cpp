#include <cmath>

#include "formats/json.h"
#include "formats/sheet_format.h"

namespace zhuyi {
namespace {

struct JsonWriter {
    const Language language;

    Json operator()(const Sheet::Paragraph& paragraph) const {
        Json json;
        json.set("text", paragraph.text.in(language));
        return json;
    }
    Json operator()(const Sheet::Formula& formula) const {
        Json json;
        json.set("formula", formula.text.in(language));
        return json;
    }
    Json operator()(const Sheet::Product& product) const {
        Json::Array terms;
        for (const auto& [a, b] : product.terms) terms.push_back(Json::Array{a, b});
        Json json;
        json.set("product", product.label.in(language)).set("terms", std::move(terms));
        if (product.bias) json.set("bias", *product.bias);
        json.set("value", product.value);
        return json;
    }
    Json operator()(const Sheet::Table& table) const {
        Json::Array columns, rows;
        for (const Label& column : table.columns) columns.push_back(column.in(language));
        for (const Sheet::Row& row : table.rows) {
            Json::Array cells;
            for (const Sheet::Cell& cell : row.cells) cells.push_back(value(cell));
            Json one;
            one.set("label", row.label.in(language)).set("values", std::move(cells));
            rows.push_back(std::move(one));
        }
        Json json;
        json.set("table", table.key).set("caption", table.caption.in(language));
        json.set("columns", std::move(columns)).set("rows", std::move(rows));
        return json;
    }

  private:
    Json value(const Sheet::Cell& cell) const {
        using Kind = Sheet::Cell::Kind;
        if (cell.kind == Kind::text) return cell.text.in(language);
        const bool number = cell.kind == Kind::number || cell.kind == Kind::exact;
        return number && std::isfinite(cell.number) ? Json(cell.number) : Json();
    }
};

}  // namespace

std::string sheet_as_json(const Sheet& sheet, Language language) {
    Json::Array sections;
    for (const Sheet::Section& section : sheet.sections) {
        Json::Array items;
        for (const Sheet::Item& item : section.items)
            items.push_back(std::visit(JsonWriter{language}, item));
        Json one;
        one.set("section", section.key).set("title", section.title.in(language));
        one.set("items", std::move(items));
        sections.push_back(std::move(one));
    }
    Json json;
    json.set("title", sheet.title.in(language)).set("sections", std::move(sections));
    return json.write() + "\n";
}

}  // namespace zhuyi
