#include "formats/json.h"

#include <doctest/doctest.h>

#include <limits>

#include "base/check.h"

using namespace zhuyi;

namespace {

std::string error_of(std::string_view text) {
    try {
        parse_json(text, "a.json");
    } catch (const Error& failure) {
        return failure.what();
    }
    return "";
}

// The text of every value, written back.
std::string round_trip(std::string_view text) { return parse_json(text, "a.json").write(); }

std::string nested(int depth) {
    return std::string(std::size_t(depth), '[') + std::string(std::size_t(depth), ']');
}

}  // namespace

TEST_CASE("json: reading a small object") {
    const Json json = parse_json(
        " {\"name\": \"小猫\", \"layers\": 4, \"rate\": 1.5e-3, \"tied\": true,\n"
        "  \"shape\": [2, 3], \"none\": null, \"empty\": {}}\r\n",
        "a.json");
    CHECK(json.at("name").text() == "小猫");
    CHECK(json.at("layers").integer() == 4);
    CHECK(json.at("rate").number() == 1.5e-3);
    CHECK(json.at("tied").boolean());
    CHECK(json.at("shape").items().size() == 2);
    CHECK(json.at("shape").items()[1].integer() == 3);
    CHECK(json.at("none").is_null());
    CHECK(json.at("empty").members().empty());
    CHECK(json.find("heads") == nullptr);
    CHECK(json.members()[0].first == "name");  // the order of the text is kept
}

TEST_CASE("json: asking for what is not there says so") {
    const Json json = parse_json("{\"n\": 1.5, \"t\": \"x\"}", "a.json");
    CHECK_THROWS_WITH_AS(json.at("n").text(), "expected a text, found a number", Error);
    CHECK_THROWS_WITH_AS(json.at("n").integer(), "expected a whole number, found 1.5", Error);
    CHECK_THROWS_WITH_AS(json.at("t").items(), "expected an array, found a text", Error);
    CHECK_THROWS_WITH_AS(json.at("t").at("x"), "expected an object, found a text", Error);
    CHECK_THROWS_WITH_AS(json.at("m"), "expected a member \"m\", found none", Error);
}

TEST_CASE("json: escapes") {
    CHECK(parse_json(R"("\"\\\/\b\f\n\r\t")", "").text() == "\"\\/\b\f\n\r\t");
    CHECK(parse_json(R"("\u5c0F")", "").text() == "小");
    CHECK(parse_json(R"("\ud83d\uDE00")", "").text() == "😀");
    CHECK(parse_json(R"("\u0000")", "").text() == std::string(1, '\0'));
    CHECK(parse_json(R"("\uFFFF")", "").text() == "\xEF\xBF\xBF");
}

TEST_CASE("json: errors name the byte") {
    CHECK(error_of("") == "a.json: byte 0: expected a value, found the end");
    CHECK(error_of("[1, 2") == "a.json: byte 5: expected ']', found the end");
    CHECK(error_of("[1 2]") == "a.json: byte 3: expected ']', found \"2]\"");
    CHECK(error_of("{\"a\" 1}") == "a.json: byte 5: expected ':', found \"1}\"");
    CHECK(error_of("{\"a\":1,\"b\":2,\"a\":3}") ==
          "a.json: byte 19: this object has two members \"a\"");
    CHECK(error_of("{\"a\":1,\"\\u0061\":3}").find("two members") != std::string::npos);
    CHECK(error_of("1e999") ==
          "a.json: byte 0: expected a number that fits a double, found \"1e999\"");
}

TEST_CASE("json: what the grammar does not have") {
    for (const char* text : {"01",
                             "+1",
                             "-",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "0x10",
                             "NaN",
                             "Infinity",
                             "-Infinity",
                             "tru",
                             "True",
                             "'a'",
                             "[1,]",
                             "[,1]",
                             "{,}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{1:1}",
                             "[1] [2]",
                             "\"a",
                             "\"\n\"",
                             "\"\\x41\"",
                             "\"\\u12\"",
                             "\"\\u12G4\"",
                             "// no\n1",
                             "[",
                             "{",
                             "{\"a\"",
                             "\xEF\xBB\xBF"
                             "1"}) {
        CAPTURE(text);
        CHECK(error_of(text) != "");
    }
    CHECK(error_of(std::string_view("1\0", 2)) != "");
    CHECK(error_of(std::string_view("\"\0\"", 3)) != "");
}

TEST_CASE("json: texts are valid UTF-8 with whole surrogate pairs") {
    for (const char* text :
         {"\"\xE5\xB0\"", "\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", R"("\ud83d")",
          R"("\ud83dx")", R"("\ude00")", R"("\ud83d\u0041")", R"("\ud83d\ud83d")"}) {
        CAPTURE(text);
        CHECK(error_of(text) != "");
    }
}

TEST_CASE("json: nesting is bounded, whoever wrote the file") {
    CHECK(error_of(nested(65)) == "");
    CHECK(error_of(nested(66)).find("at most 64 levels") != std::string::npos);
    CHECK(error_of(std::string(10000000, '[')) != "");
}

TEST_CASE("json: truncated at every byte, a text is refused") {
    const std::string text = R"({"a": [1, -2.5e3, "小\u5c0f\n"], "b": {"c": null, "d": true}})";
    CHECK(error_of(text) == "");
    for (std::size_t length = 0; length < text.size(); ++length) {
        CAPTURE(length);
        CHECK(error_of(text.substr(0, length)) != "");
    }
}

TEST_CASE("json: writing") {
    Json json;
    json.set("name", "小\"猫\"\n\x01").set("tied", true).set("rate", 0.1).set("steps", Index(300));
    json.set("shape", Json().push(2).push(3)).set("none", Json()).set("empty", Json::Array());
    CHECK(json.write() ==
          "{\"name\": \"小\\\"猫\\\"\\n\\u0001\", \"tied\": true, \"rate\": 0.1, "
          "\"steps\": 300, \"shape\": [2, 3], \"none\": null, \"empty\": []}");
    CHECK(Json().push(1).push(Json().set("a", 2)).write(2) == "[\n  1,\n  {\n    \"a\": 2\n  }\n]");
    CHECK(round_trip(json.write()) == json.write());
    CHECK(round_trip(json.write(2)) == json.write());
}

TEST_CASE("json: what cannot be written is an error, not a broken file") {
    CHECK_THROWS_AS(Json("\xE5\xB0").write(), Error);
    CHECK_THROWS_AS(Json(std::numeric_limits<double>::quiet_NaN()).write(), Error);
    CHECK_THROWS_AS(Json(std::numeric_limits<double>::infinity()).write(), Error);
    CHECK_THROWS_AS(Json().set("a", 1).set("a", 2), Error);
    CHECK_THROWS_AS(Json(1).push(2), Error);
}
