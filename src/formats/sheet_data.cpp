// A sheet as JSON and as CSV: every number uncut and unrounded.
#include <algorithm>
#include <cmath>

#include "formats/sheet_format.h"

namespace zhuyi {
namespace {

constexpr std::string_view kOuter = "../";

Json value_of(const Sheet::Cell& cell) {
    if (cell.kind == Sheet::Cell::Kind::text) return cell.text;
    const bool number = cell.kind == Sheet::Cell::Kind::number && std::isfinite(cell.number);
    return number ? Json(cell.number) : Json();
}

bool is_of_values(const Sheet::Table& table) {
    return std::ranges::any_of(table.rows, [](const Sheet::Row& row) { return !row.key.empty(); });
}

// A null value leaves its member out; it makes no item of a list and no object.
void put(Json& json, std::string_view path, Json value) {
    if (!value.is_null())
        json.at_path(path) = std::move(value);
    else
        json.at_path(path.substr(0, path.find_first_of(".[")));
}

void put_values(Json& json, const Sheet::Table& table) {
    for (const Sheet::Row& row : table.rows)
        if (!row.key.empty())
            put(json, (table.key.empty() ? "" : table.key + ".") + row.key, value_of(row.cells[0]));
}

// Of the list's elements the last one that says all that `outer` says; a new one if there is none.
Json& element(Json& list, const Json& outer) {
    const Index count = list.is_null() ? 0 : std::ssize(list.items());
    for (Index i = count; i-- > 0;) {
        const Json& one = list.items()[std::size_t(i)];
        if (std::ranges::all_of(outer.members(), [&](const auto& member) {
                const Json* found = one.find(member.first);
                return found && found->write() == member.second.write();
            }))
            return list.at_path("[" + std::to_string(i) + "]");
    }
    return list.at_path("[" + std::to_string(count) + "]") = outer;
}

bool is_inside(const Sheet::Table& table) {
    return std::ranges::any_of(table.fields,
                               [](const auto& field) { return field.key.starts_with(kOuter); });
}

void put_records(Json& json, const Sheet::Table& table) {
    const std::size_t point = table.key.rfind('.');
    const bool inside = is_inside(table);
    Json& list = json.at_path(inside ? table.key.substr(0, point) : table.key);
    if (list.is_null()) list = Json::Array{};
    for (const Sheet::Row& row : table.rows) {
        Json outer(Json::Object{}), own(Json::Object{});
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
            std::string_view key = table.fields[c].key;
            const bool of_outer = key.starts_with(kOuter);
            if (of_outer) key.remove_prefix(kOuter.size());
            if (!key.empty()) put(of_outer ? outer : own, key, value_of(row.cells[c]));
        }
        if (inside)
            element(list, outer).at_path(table.key.substr(point + 1)).push(std::move(own));
        else
            list.push(std::move(own));
    }
    if (inside && table.rows.empty())
        element(list, Json::Object{}).at_path(table.key.substr(point + 1)) = Json::Array{};
}

// Everything that has no name: what it is, in the order of the sheet.
struct JsonWriter {
    Json operator()(const Sheet::Paragraph& paragraph) const {
        return Json().set("text", paragraph.text);
    }
    Json operator()(const Sheet::Formula& formula) const {
        return Json().set("formula", formula.text);
    }
    Json operator()(const Sheet::Product& product) const {
        Json::Array terms;
        for (const auto& [a, b] : product.terms) terms.push_back(Json::Array{a, b});
        Json json;
        json.set("product", product.label).set("terms", std::move(terms));
        if (product.bias) json.set("bias", *product.bias);
        return json.set("value", product.value);
    }
    Json operator()(const Sheet::Table& table) const {
        Json columns(Json::Array{}), rows(Json::Array{});
        for (const Label& column : table.columns) columns.push(column);
        for (const Sheet::Row& row : table.rows) {
            Json cells(Json::Array{});
            for (const Sheet::Cell& cell : row.cells) cells.push(value_of(cell));
            rows.push(Json().set("label", row.label).set("values", cells));
        }
        return Json()
            .set("table", table.key)
            .set("caption", table.caption)
            .set("columns", columns)
            .set("rows", rows);
    }
};

std::string csv_value(const Json& value) {
    return value.is_null() ? "" : value.is_text() ? csv_field(value.text()) : value.write();
}

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) (line += &field == &fields[0] ? "" : ",") += field;
    return line + "\n";
}

// The lines of what stands in no list.
std::string csv_values(const std::string& path, const Json& json) {
    if (json.is_array()) return {};
    if (!json.is_object()) return csv_line({csv_field(path), csv_value(json)});
    std::string lines;
    for (const auto& [name, value] : json.members())
        lines += csv_values(path.empty() ? name : path + "." + name, value);
    return lines;
}

std::string csv_of(const Sheet::Table& table) {
    const bool records = table.of_records();
    std::string csv;
    std::vector<std::string> fields;
    for (const Sheet::Column& field : table.fields)
        if (!field.key.empty())
            fields.push_back(field.key.starts_with(kOuter)
                                 ? table.key.substr(0, table.key.rfind('.') + 1) +
                                       field.key.substr(kOuter.size())
                                 : field.key);
    if (!table.columns.empty()) fields.emplace_back();
    for (const Label& column : table.columns) fields.push_back(csv_field(column));
    if (!fields.empty()) csv += csv_line(fields);
    for (const Sheet::Row& row : table.rows) {
        fields.clear();
        if (!records) fields.push_back(csv_field(row.label));
        for (std::size_t c = 0; c < row.cells.size(); ++c)
            if (!records || !table.fields[c].key.empty())
                fields.push_back(csv_value(value_of(row.cells[c])));
        csv += csv_line(fields);
    }
    return csv;
}

}  // namespace

std::string sheet_as_json(const Sheet& sheet) {
    Json json = sheet.for_programs, sections(Json::Array{});
    if (!sheet.title.empty()) json.set("title", sheet.title);
    for (const Sheet::Section& section : sheet.sections) {
        Json items(Json::Array{});
        for (const Sheet::Item* item : items_for(Sheet::Reader::program, section)) {
            const auto* table = std::get_if<Sheet::Table>(item);
            if (table && table->of_records())
                put_records(json, *table);
            else if (table && is_of_values(*table))
                put_values(json, *table);
            else
                items.push(std::visit(JsonWriter{}, *item));
        }
        if (items.items().empty() && !section.items.empty()) continue;
        sections.push(Json()
                          .set("section", section.key)
                          .set("title", section.title)
                          .set("items", std::move(items)));
    }
    if (!sections.items().empty()) json.set("sections", std::move(sections));
    return json.write(2, true) + "\n";
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == text.npos) return text;
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

std::string sheet_as_csv(const Sheet& sheet) {
    Json named = sheet.for_programs;
    std::string tables;
    const auto add = [](std::string& csv, const std::string& name, const std::string& lines) {
        if (!lines.empty()) csv += (csv.empty() ? "" : "\n") + csv_field(name) + "\n" + lines;
    };
    for (const Sheet::Section& section : sheet.sections)
        for (const Sheet::Item* item : items_for(Sheet::Reader::program, section))
            if (const auto* table = std::get_if<Sheet::Table>(item)) {
                if (!table->of_records() && is_of_values(*table))
                    put_values(named, *table);
                else
                    add(tables, table->key.empty() ? table->caption : table->key, csv_of(*table));
            }
    std::string csv;
    if (!named.is_null()) add(csv, "values", "name,value\n" + csv_values("", named));
    return csv + (csv.empty() || tables.empty() ? "" : "\n") + tables;
}

}  // namespace zhuyi
