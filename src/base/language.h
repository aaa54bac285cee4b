// What a person reads exists in two languages, side by side where it is written. A process speaks
// one of them: main sets it before anything is printed, and after that it is only read. There is
// one way:
//
//     say({"%s has %td tokens", "%s 有 %td 个 token"}, path, count)      gives a std::string
//     fail({"%s: there is no such folder", "%s：没有这个目录"}, path)     throws one (base/check.h)
//     say(kHelp)                                                        of fixed words
//
// Words in one language alone do not compile, nor does a pattern that does not fit its arguments.
// What is stored, or shown by the page, which can switch, needs both: say_both gives a Text.
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace zhuyi {

enum class Language { english, chinese };

// The language of this process. It is the one global variable of the program. Only main sets it,
// once, before other threads begin.
Language spoken();
void speak(Language language);

// Speaks a language until the end of a scope: for tests.
class Speaking {
  public:
    explicit Speaking(Language language) : before_(spoken()) { speak(language); }
    ~Speaking() { speak(before_); }
    Speaking(const Speaking&) = delete;
    Speaking& operator=(const Speaking&) = delete;

  private:
    Language before_;
};

// Fixed words: of an option's help, of a column.
struct Words {
    const char* english = "";
    const char* chinese = "";
};

// A text in both languages.
struct Text {
    std::string english, chinese;
    bool operator==(const Text&) const = default;
};

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

std::string filled(const char* english, const char* chinese, std::span<const Argument> arguments,
                   Language language);

}  // namespace language

// Patterns are those of printf: %s takes any text (Words and a Text, too), %d, %td, %zu … any whole
// number, %g, %f, %e any other.
template <class... Args>
std::string say(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
                const Args&... args) {
    const language::Argument list[] = {language::Argument::of(args)...,
                                       language::Argument{language::Fits::text}};
    return language::filled(pattern.english, pattern.chinese, std::span(list, sizeof...(Args)),
                            spoken());
}

// Fixed words, or a text that is known in both languages.
template <class Known>
requires std::same_as<Known, Words> || std::same_as<Known, Text> std::string say(
    const Known& known) {
    return spoken() == Language::chinese ? known.chinese : known.english;
}

template <class... Args>
Text say_both(language::Pattern<std::type_identity_t<std::decay_t<Args>>...> pattern,
              const Args&... args) {
    const language::Argument list[] = {language::Argument::of(args)...,
                                       language::Argument{language::Fits::text}};
    const auto in = [&](Language language) {
        return language::filled(pattern.english, pattern.chinese, std::span(list, sizeof...(Args)),
                                language);
    };
    return {in(Language::english), in(Language::chinese)};
}

}  // namespace zhuyi
