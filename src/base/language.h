// What a person reads exists in two languages, side by side where it is declared.
#pragma once

namespace zhuyi {

enum class Language { english, chinese };

struct Words {
    const char* english = "";
    const char* chinese = "";
    const char* in(Language language) const {
        return language == Language::chinese ? chinese : english;
    }
};

}  // namespace zhuyi
