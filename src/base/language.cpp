#include "base/language.h"

#include <cstdio>

namespace zhuyi {

static Language language_of_this_process = Language::english;

Language spoken() { return language_of_this_process; }
void speak(Language language) { language_of_this_process = language; }

namespace language {
// "%-12.3td" without its length: "%-12.3", to which printf's own letters are added.
static std::string one_argument(std::string spec, char conversion, const Argument& argument,
                                Language language) {
    std::erase_if(
        spec, [](char c) { return std::string_view("hlLqjzt").find(c) != std::string_view::npos; });
    const auto print = [&](const char* letters, auto value) {
        const std::string pattern = spec + letters;
        std::string text(std::size_t(std::snprintf(nullptr, 0, pattern.c_str(), value)), '\0');
        std::snprintf(text.data(), text.size() + 1, pattern.c_str(), value);
        return text;
    };
    const char letter[] = {conversion, '\0'};
    if (argument.fits == Fits::real) return print(letter, argument.real);
    if (argument.fits == Fits::integer && conversion == 'c')
        return print("c", int(argument.integer));
    if (argument.fits == Fits::integer)
        return print((std::string("ll") + conversion).c_str(), argument.integer);
    const std::string_view text =
        language == Language::chinese ? argument.chinese : argument.english;
    return spec == "%" ? std::string(text) : print("s", std::string(text).c_str());
}

std::string filled(const char* english, const char* chinese, std::span<const Argument> arguments,
                   Language language) {
    const std::string_view pattern = language == Language::chinese ? chinese : english;
    std::string text;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            text += pattern[i];
            continue;
        }
        if (pattern[i + 1] == '%') {
            text += pattern[i++];
            continue;
        }
        const std::size_t end = pattern.find_first_of("diuxXfgGeEsc", i + 1);
        std::size_t number = next, begin = i + 1;
        if (i + 2 < pattern.size() && pattern[i + 2] == '$')
            number = std::size_t(pattern[i + 1] - '1'), begin = i + 3;
        else
            ++next;
        text += one_argument("%" + std::string(pattern.substr(begin, end - begin)), pattern[end],
                             arguments[number], language);
        i = end;
    }
    return text;
}

}  // namespace language
}  // namespace zhuyi
