// JSON (RFC 8259), read strictly: a text that two readers could understand differently is an error.
// Names are unique, text is valid UTF-8, a surrogate has its partner, numbers fit a double, nesting
// ends at depth 64.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

class Json {
  public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

    Json();  // null
    // Not inline: g++ 12 would suspect every moved std::variant of being uninitialised.
    Json(const Json&);
    Json(Json&&) noexcept;
    Json& operator=(const Json&);
    Json& operator=(Json&&) noexcept;
    ~Json();
    Json(bool value) : value_(value) {}
    Json(double value) : value_(value) {}
    Json(Index value) : value_(double(value)) {}  // exact up to 2^53
    Json(int value) : value_(double(value)) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(Array value) : value_(std::move(value)) {}
    Json(Object value) : value_(std::move(value)) {}

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    bool is_text() const { return std::holds_alternative<std::string>(value_); }
    bool is_array() const { return std::holds_alternative<Array>(value_); }
    bool is_object() const { return std::holds_alternative<Object>(value_); }

    // Each throws Error ("expected a number, found an array") when the value is something else.
    bool boolean() const;
    double number() const;
    Index integer() const;  // whole, up to ±2^53
    const std::string& text() const;
    const Array& items() const;
    const Object& members() const;
    const Json* find(std::string_view name) const;  // nullptr: no such member
    const Json& at(std::string_view name) const;    // Error: no such member

    // Both return *this; null becomes an array or an object first.
    Json& push(Json item);
    Json& set(std::string name, Json value);

    // What stands at "seen.right" or "shape[1]": members and items that are missing are made, and
    // so are null.
    Json& at_path(std::string_view path);

    // One line; or, with an indent, one member or item on each line. grouped: an array of plain
    // numbers and texts stands on one line. Error: text that is not UTF-8, NaN, infinity.
    std::string write(int indent = 0, bool grouped = false) const;

  private:
    template <class T>
    const T& as() const;
    void write(std::string& text, int indent, bool grouped, int depth) const;
    std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

// `origin` (a file's path) begins the message of the Error, which names the byte.
Json parse_json(std::string_view text, const std::string& origin);

// With the quotes around it.
std::string json_text(std::string_view utf8);

}  // namespace zhuyi
