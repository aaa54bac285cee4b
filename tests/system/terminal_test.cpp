#include "system/terminal.h"
#include "system/printable.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>

using namespace zhuyi;

namespace {

// Sets an environment variable (nullptr: removes it) until the end of the scope.
class Environment {
  public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) before_ = old;
        set(value);
    }
    ~Environment() { set(before_ ? before_->c_str() : nullptr); }
    Environment(const Environment&) = delete;

  private:
    void set(const char* value) { value ? setenv(name_, value, 1) : unsetenv(name_); }
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("display width: Chinese characters take two columns") {
    CHECK(display_width("") == 0);
    CHECK(display_width("zhuyi") == 5);
    CHECK(display_width("注意") == 4);
    CHECK(display_width("小沈阳，邀请了") == 14);
    CHECK(display_width("“…—") == 3);        // ambiguous ones count as narrow
    CHECK(display_width("e\xCC\x81") == 1);  // e and a combining accent
    CHECK(display_width("😀") == 2);
    CHECK(display_width("𠀀") == 2);        // extension B
    CHECK(display_width("ｶﾞ") == 2);        // half-width kana
    CHECK(display_width("\xE5\xB0") == 2);  // two bytes that are no character
    CHECK(display_width("\x1b\n") == 0);
}

TEST_CASE("fit: exactly so many columns") {
    CHECK(fit_left("小猫", 6) == "小猫  ");
    CHECK(fit_right("小猫", 6) == "  小猫");
    CHECK(fit_left("小猫吃鱼", 5) == "小猫…");
    CHECK(fit_left("小猫吃鱼", 4) == "小… ");  // 猫 would need a column more
    CHECK(cut_to_width("小猫吃鱼", 8) == "小猫吃鱼");
    CHECK(cut_to_width("小猫吃鱼", 1) == "…");
    CHECK(cut_to_width("小猫吃鱼", 0) == "");
    for (int width = 1; width < 12; ++width) {
        CHECK(display_width(fit_left("小a猫b吃c鱼", width)) == width);
        CHECK(display_width(fit_right("小a猫b吃c鱼", width)) == width);
    }
}

TEST_CASE("colours: the terminal says what it can") {
    CHECK(colours_of("truecolor", "xterm-256color", nullptr) == Colours::direct);
    CHECK(colours_of(nullptr, "xterm-256color", nullptr) == Colours::palette);
    CHECK(colours_of(nullptr, "xterm-direct", nullptr) == Colours::direct);
    CHECK(colours_of(nullptr, "vt100", nullptr) == Colours::none);
    CHECK(colours_of("truecolor", "dumb", nullptr) == Colours::none);
    CHECK(colours_of("truecolor", nullptr, nullptr) == Colours::none);
    CHECK(colours_of("truecolor", "xterm-256color", "1") == Colours::none);
    CHECK(colours_of("truecolor", "xterm-256color", "") == Colours::direct);  // empty: not set
}

TEST_CASE("terminal: a closed file is none") {
    CHECK_FALSE(terminal(-1).interactive);
    CHECK(terminal(-1).width == 80);
    CHECK(terminal(-1).colours == Colours::none);
}

TEST_CASE("language: the first of LC_ALL, LC_MESSAGES, LANG that is set") {
    const Environment all("LC_ALL", nullptr), messages("LC_MESSAGES", nullptr),
        lang("LANG", "zh_CN.UTF-8");
    CHECK(default_language() == Language::chinese);
    {
        const Environment other("LC_MESSAGES", "en_US.UTF-8");
        CHECK(default_language() == Language::english);
    }
    {
        const Environment empty("LC_ALL", "");
        CHECK(default_language() == Language::chinese);
    }
    const Environment c("LC_ALL", "C");
    CHECK(default_language() == Language::english);
}
