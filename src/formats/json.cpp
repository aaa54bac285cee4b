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

namespace {

constexpr Words kBoolean{"true or false", " true 或 false"}, kNumber{"a number", "数"},
    kText{"a text", "字符串"}, kArray{"an array", "数组"}, kObject{"an object", "对象"};

[[noreturn]] void fail_kind(const Words& expected, const Words& found) {
    fail({"expected %s, found %s", "应为%s，实际是%s"}, expected, found);
}

}  // namespace

Words Json::kind() const {
    static constexpr Words kKinds[] = {
        {"null", " null"}, kBoolean, kNumber, kText, kArray, kObject};
    return kKinds[value_.index()];
}

bool Json::boolean() const {
    if (const bool* value = std::get_if<bool>(&value_)) return *value;
    fail_kind(kBoolean, kind());
}

double Json::number() const {
    if (const double* value = std::get_if<double>(&value_)) return *value;
    fail_kind(kNumber, kind());
}

Index Json::integer() const {
    const double value = number();
    if (std::trunc(value) != value || std::abs(value) > 0x1p53)
        fail({"expected a whole number, found %s", "应为整数，实际是 %s"}, number_text(value));
    return Index(value);
}

const std::string& Json::text() const {
    if (const std::string* value = std::get_if<std::string>(&value_)) return *value;
    fail_kind(kText, kind());
}

const Json::Array& Json::items() const {
    if (const Array* value = std::get_if<Array>(&value_)) return *value;
    fail_kind(kArray, kind());
}

const Json::Object& Json::members() const {
    if (const Object* value = std::get_if<Object>(&value_)) return *value;
    fail_kind(kObject, kind());
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
    std::string text = "\"";
    while (!utf8.empty()) {
        const utf8::Front c = utf8::front(utf8);
        if (!c.whole())
            fail({"a JSON text must be UTF-8, found %s", "JSON 的文本必须是 UTF-8，实际是%s"},
                 in_quotes(utf8));
        static constexpr std::string_view kEscaped = "\"\\\n\t\r\b\f", kLetters = "\"\\ntrbf";
        const std::size_t which = c.code < 0x80 ? kEscaped.find(char(c.code)) : kEscaped.npos;
        if (which != kEscaped.npos)
            (text += '\\') += kLetters[which];
        else if (c.code < 0x20)
            text += format("\\u%04x", unsigned(c.code));
        else
            text += utf8.substr(0, c.length);
        utf8.remove_prefix(c.length);
    }
    return text + "\"";
}

namespace {

class Writer {
  public:
    Writer(int indent, Json::Items items) : indent_(indent), items_(items) {}

    void operator()(std::monostate) { text += "null"; }
    void operator()(bool value) { text += value ? "true" : "false"; }
    void operator()(const std::string& value) { text += json_text(value); }
    void operator()(double value) {
        if (!std::isfinite(value))
            fail({"JSON has no word for NaN or infinity", "JSON 无法表示 NaN 和无穷大"});
        text += number_text(value);
    }

    template <class Items, class WriteItem>
    void list(const Items& items, const char* brackets, const WriteItem& write_item) {
        const int indent = indent_;
        if (items_ == Json::Items::grouped && all_plain(items)) indent_ = 0;
        text += brackets[0];
        ++depth_;
        for (const auto& item : items) {
            if (&item != &items.front()) text += indent_ > 0 ? "," : ", ";
            new_line();
            write_item(item);
        }
        --depth_;
        if (!items.empty()) new_line();
        text += brackets[1];
        indent_ = indent;
    }

    std::string text;

  private:
    void new_line() {
        if (indent_ > 0) text += "\n" + std::string(std::size_t(indent_ * depth_), ' ');
    }
    static bool all_plain(const Json::Array& items) {
        return std::ranges::none_of(
            items, [](const Json& item) { return item.is_array() || item.is_object(); });
    }
    static bool all_plain(const Json::Object&) { return false; }

    int indent_, depth_ = 0;
    const Json::Items items_;
};

}  // namespace

std::string Json::write(int indent, Items items) const {
    Writer writer(indent, items);
    const auto write_value = [&](const Json& json, const auto& self) -> void {
        if (const Array* list = std::get_if<Array>(&json.value_)) {
            writer.list(*list, "[]", [&](const Json& item) { self(item, self); });
        } else if (const Object* members = std::get_if<Object>(&json.value_)) {
            writer.list(*members, "{}", [&](const auto& member) {
                writer.text += json_text(member.first) + ": ";
                self(member.second, self);
            });
        } else {
            std::visit(
                [&](const auto& value) {
                    if constexpr (requires { writer(value); }) writer(value);
                },
                json.value_);
        }
    };
    write_value(*this, write_value);
    return writer.text;
}

}  // namespace zhuyi
