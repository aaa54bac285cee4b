#include <cmath>

#include "explain/sheet_format.h"
#include "formats/json.h"

namespace zhuyi {
namespace {

Json cell_json(const Sheet::Cell& cell) {
    if (cell.kind == Sheet::Cell::Kind::text) return cell.text;
    const bool number =
        cell.kind == Sheet::Cell::Kind::number || cell.kind == Sheet::Cell::Kind::exact;
    return number && std::isfinite(cell.number) ? Json(cell.number) : Json();
}

Json table_json(const Sheet::Table& table) {
    Json::Array rows;
    for (const Sheet::Row& row : table.rows) {
        Json::Array cells;
        for (const Sheet::Cell& cell : row.cells) cells.push_back(cell_json(cell));
        Json one;
        one.set("label", row.label).set("values", std::move(cells));
        rows.push_back(std::move(one));
    }
    Json::Array columns(table.columns.begin(), table.columns.end());
    Json json;
    json.set("table", table.key).set("caption", table.caption);
    json.set("columns", std::move(columns)).set("rows", std::move(rows));
    return json;
}

Json item_json(const Sheet::Item& item) {
    Json json;
    if (const auto* text = std::get_if<Sheet::Text>(&item)) {
        json.set("text", text->text);
    } else if (const auto* formula = std::get_if<Sheet::Formula>(&item)) {
        json.set("formula", formula->text);
    } else if (const auto* product = std::get_if<Sheet::Product>(&item)) {
        Json::Array terms;
        for (const auto& [a, b] : product->terms) terms.push_back(Json::Array{a, b});
        json.set("product", product->label).set("terms", std::move(terms));
        if (product->bias) json.set("bias", *product->bias);
        json.set("value", product->value);
    } else {
        return table_json(std::get<Sheet::Table>(item));
    }
    return json;
}

}  // namespace

std::string sheet_as_json(const Sheet& sheet) {
    Json::Array sections;
    for (const Sheet::Section& section : sheet.sections) {
        Json::Array items;
        for (const Sheet::Item& item : section.items) items.push_back(item_json(item));
        Json one;
        one.set("section", section.key).set("title", section.title).set("items", std::move(items));
        sections.push_back(std::move(one));
    }
    Json json;
    json.set("title", sheet.title).set("sections", std::move(sections));
    return json.write() + "\n";
}

}  // namespace zhuyi
