#include "formats/json.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/printable.h"

namespace zhuyi {

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

// Throws Error if the value is something else.
template <class T>
const T& Json::as() const {
    static constexpr Words kKinds[] = {{"null", " null"},    {"true or false", " true 或 false"},
                                       {"a number", "数"},   {"a text", "字符串"},
                                       {"an array", "数组"}, {"an object", "对象"}};
    if (const T* value = std::get_if<T>(&value_)) return *value;
    fail({"expected %s, found %s", "应为%s，实际是%s"}, kKinds[decltype(value_)(T()).index()],
         kKinds[value_.index()]);
}

bool Json::boolean() const { return as<bool>(); }
double Json::number() const { return as<double>(); }
const std::string& Json::text() const { return as<std::string>(); }
const Json::Array& Json::items() const { return as<Array>(); }
const Json::Object& Json::members() const { return as<Object>(); }

Index Json::integer() const {
    const double value = number();
    if (std::trunc(value) != value || std::abs(value) > 0x1p53)
        fail({"expected a whole number, found %s", "应为整数，实际是 %s"}, number_text(value));
    return Index(value);
}

const Json* Json::find(std::string_view name) const {
    for (const auto& member : members())
        if (member.first == name) return &member.second;
    return nullptr;
}

const Json& Json::at(std::string_view name) const {
    if (const Json* value = find(name)) return *value;
    fail({"expected a member %s, found none", "缺少成员 %s"}, in_quotes(name));
}

Json& Json::push(Json item) {
    if (is_null()) value_ = Array();
    items();  // or fails
    std::get<Array>(value_).push_back(std::move(item));
    return *this;
}

Json& Json::set(std::string name, Json value) {
    if (is_null()) value_ = Object();
    if (find(name))
        fail({"a JSON object has one member %s only", "JSON 对象里 %s 只能出现一次"},
             in_quotes(name));
    std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
    return *this;
}

Json& Json::at_path(std::string_view path) {
    if (path.empty()) return *this;
    if (path.starts_with('[')) {
        const std::size_t end = path.find(']');
        const auto place = std::size_t(parse_integer(path.substr(1, end - 1)).value_or(0));
        if (is_null()) value_ = Array();
        Array& list = (items(), std::get<Array>(value_));
        if (list.size() <= place) list.resize(place + 1);
        path.remove_prefix(end + 1);
        return list[place].at_path(path.substr(path.starts_with('.')));
    }
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(name.size());
    if (is_null() || !find(name)) set(std::string(name), {});
    for (auto& member : std::get<Object>(value_))
        if (member.first == name) return member.second.at_path(path.substr(path.starts_with('.')));
    return *this;
}

std::string json_text(std::string_view utf8) {
    if (const auto error = utf8::first_error(utf8))
        fail({"a JSON text must be UTF-8, found %s", "JSON 的文本必须是 UTF-8，实际是%s"},
             in_quotes(utf8.substr(std::size_t(*error))));
    const auto is_plain = [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    };
    std::string text = "\"";
    for (;;) {
        const auto plain = std::size_t(std::ranges::find_if_not(utf8, is_plain) - utf8.begin());
        text += utf8.substr(0, plain);
        if (plain == utf8.size()) return text + "\"";
        static constexpr std::string_view kEscaped = "\"\\\n\t\r\b\f", kLetters = "\"\\ntrbf";
        const std::size_t which = kEscaped.find(utf8[plain]);
        if (which != kEscaped.npos)
            (text += '\\') += kLetters[which];
        else
            text += format("\\u%04x", unsigned(utf8[plain]));
        utf8.remove_prefix(plain + 1);
    }
}

void Json::write(std::string& text, int indent, bool grouped, int depth) const {
    const auto list = [&](const auto& items, const char* brackets, int within,
                          const auto& write_item) {
        const auto new_line = [&](int levels) {
            if (within > 0) text += "\n" + std::string(std::size_t(within * levels), ' ');
        };
        text += brackets[0];
        for (const auto& item : items) {
            if (&item != &items.front()) text += within > 0 ? "," : ", ";
            new_line(depth + 1);
            write_item(item);
        }
        if (!items.empty()) new_line(depth);
        text += brackets[1];
    };
    if (const Array* items = std::get_if<Array>(&value_)) {
        const bool plain = std::ranges::none_of(
            *items, [](const Json& item) { return item.is_array() || item.is_object(); });
        list(*items, "[]", grouped && plain ? 0 : indent,
             [&](const Json& item) { item.write(text, indent, grouped, depth + 1); });
    } else if (const Object* members = std::get_if<Object>(&value_)) {
        list(*members, "{}", indent, [&](const auto& member) {
            text += json_text(member.first) + ": ";
            member.second.write(text, indent, grouped, depth + 1);
        });
    } else if (const double* value = std::get_if<double>(&value_)) {
        if (!std::isfinite(*value))
            fail({"JSON has no word for NaN or infinity", "JSON 无法表示 NaN 和无穷大"});
        text += number_text(*value);
    } else if (is_text()) {
        text += json_text(this->text());
    } else {
        text += is_null() ? "null" : boolean() ? "true" : "false";
    }
}

std::string Json::write(int indent, bool grouped) const {
    std::string text;
    write(text, indent, grouped, 0);
    return text;
}

}  // namespace zhuyi
