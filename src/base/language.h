// What a person reads exists in two languages, side by side where it is written. There is one way:
//
//     say({"%s has %td tokens", "%s 有 %td 个 token"}, path, count)      gives a Text
//     fail({"%s: there is no such folder", "%s：没有这个目录"}, path)     throws one (base/check.h)
//
// A text in one language alone does not compile, nor does a pattern that does not fit its
// arguments. The language is chosen where the text is printed: `text.in(language)`.
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zhuyi {

enum class Language { english, chinese };

// Fixed words: of an option's help, of a column.
struct Words {
    const char* english = "";
    const char* chinese = "";
    const char* in(Language language) const {
        return language == Language::chinese ? chinese : english;
    }
};

// Words with what was filled in.
struct Text {
    std::string english, chinese;

    Text() = default;
    Text(Words words) : english(words.english), chinese(words.chinese) {}
    Text(std::string in_english, std::string in_chinese)
        : english(std::move(in_english)), chinese(std::move(in_chinese)) {}
    const std::string& in(Language language) const& {
        return language == Language::chinese ? chinese : english;
    }
    std::string in(Language language) && {  // a temporary's own: `for (char c : say(…).in(zh))`
        return std::move(language == Language::chinese ? chinese : english);
    }
    bool empty() const { return english.empty(); }
    Text& operator+=(const Text& more);
    friend Text operator+(Text a, const Text& b) { return a += b; }
};

// The same in every language: a number, a name, a piece of the corpus.
Text same(std::string_view text);

namespace language {

enum class Fits : char { integer, real, text };

// One argument of a pattern, as printf would take it.
struct Argument {
    Fits fits;
    long long integer = 0;
    double real = 0;
    std::string_view english{}, chinese{};

    template <class T>
    static constexpr Fits fits_of() {
        return std::is_integral_v<T>         ? Fits::integer
               : std::is_floating_point_v<T> ? Fits::real
                                             : Fits::text;
    }
    static Argument of(std::integral auto value) {
        return {Fits::integer, static_cast<long long>(value)};
    }
    static Argument of(std::floating_point auto value) {
        return {Fits::real, 0, static_cast<double>(value)};
    }
    static Argument of(std::string_view text) { return {Fits::text, 0, 0, text, text}; }
    static Argument of(const Text& text) { return {Fits::text, 0, 0, text.english, text.chinese}; }
    static Argument of(const Words& words) {
        return {Fits::text, 0, 0, words.english, words.chinese};
    }
};

// Not constexpr: whoever calls it at compile time stops there, with this name in the message.
void pattern_does_not_fit_its_arguments();

// Every argument is used, by conversions of its kind: in order, or by number ("%2$s").
consteval void check_pattern(std::string_view pattern, std::span<const Fits> arguments) {
    unsigned used = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') continue;
        if (i + 1 < pattern.size() && pattern[i + 1] == '%') {
            ++i;
            continue;
        }
        std::size_t end = pattern.find_first_of("diuxXfgGeEsc%", i + 1);
        if (end == pattern.npos) pattern_does_not_fit_its_arguments();
        std::size_t number = next;
        if (i + 2 < pattern.size() && pattern[i + 2] == '$')
            number = std::size_t(pattern[i + 1] - '1');
        else
            ++next;
        if (number >= arguments.size()) pattern_does_not_fit_its_arguments();
        const char c = pattern[end];
        const Fits wanted = c == 's' ? Fits::text
                            : (c == 'f' || c == 'g' || c == 'G' || c == 'e' || c == 'E')
                                ? Fits::real
                                : Fits::integer;
        if (arguments[number] != wanted) pattern_does_not_fit_its_arguments();
        used |= 1u << number;
        i = end;
    }
    if (used != (1u << arguments.size()) - 1) pattern_does_not_fit_its_arguments();
}

template <class... Args>
struct Pattern {
    const char *english, *chinese;

    consteval Pattern(const char* in_english, const char* in_chinese)
        : english(in_english), chinese(in_chinese) {
        const Fits arguments[] = {Argument::fits_of<Args>()..., Fits::text};
        check_pattern(english, std::span(arguments, sizeof...(Args)));
        check_pattern(chinese, std::span(arguments, sizeof...(Args)));
    }
};

Text filled(const char* english, const char* chinese, std::span<const Argument> arguments);

}  // namespace language

// Patterns as of printf: %s takes any text (one in two languages, too), %d, %td, %zu … any whole
// number, %g, %f, %e any other.
template <class... Args>
Text say(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
         const Args&... args) {
    const language::Argument list[] = {language::Argument::of(args)...,
                                       language::Argument{language::Fits::text}};
    return language::filled(pattern.english, pattern.chinese, std::span(list, sizeof...(Args)));
}

}  // namespace zhuyi
