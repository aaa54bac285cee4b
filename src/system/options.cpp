#include "system/options.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/printable.h"

namespace zhuyi {
constexpr const char* kSwitch = "yes|no";

static std::string with(std::string_view name, char from, char to) {
    std::string changed(name);
    std::replace(changed.begin(), changed.end(), from, to);
    return changed;
}

// "２０" -> "20": what a Chinese keyboard writes for digits and signs.
static std::string half_width(std::string_view text) {
    std::string half;
    for (const std::string_view character : utf8::Characters(text)) {
        const char32_t code = utf8::front(character).code;
        if (code >= U'！' && code <= U'～')
            half += char(code - U'！' + '!');
        else
            half += character;
    }
    return half;
}

[[noreturn]] static void fail_value(const std::string& origin, const std::string& expected,
                                    std::string_view found) {
    const std::string half = half_width(found);
    fail_usage({"%s: expected %s, found %s%s", "%s：应为%s，实际是%s%s"}, origin, expected,
               found.empty() ? say({"nothing", "空的"}) : in_quotes(found),
               half == found ? ""
                             : say({"; type half-width characters: %s", "；请用半角字符：%s"},
                                   printable(half)));
}

static std::string a_whole_number_between(Index least, Index most) {
    return say({"a whole number from %td to %td", " %td 到 %td 之间的整数"}, least, most);
}

static std::string a_number_between(double least, double most) {
    if (most > 0x1p53) return say({"a number at least %s", "不小于 %s 的数"}, number_text(least));
    return say({"a number from %s to %s", " %s 到 %s 之间的数"}, number_text(least),
               number_text(most));
}

static std::string unit_text(const std::string& unit) {
    static constexpr Words kUnits[] = {
        {"steps", "步"},           {"tokens", "个 token"}, {"characters", "个字符"},
        {"nats", "奈特"},          {"minutes", "分钟"},    {"seconds", "秒"},
        {"texts", "段"},           {"times", "次"},        {"threads", "个线程"},
        {"windows", "段"},         {"documents", "篇"},    {"bits", "比特"},
        {"evaluations", "次评估"}, {"blocks", "层"},       {"passes", "次"},
    };
    for (const Words& words : kUnits)
        if (unit == words.english) return say(words);
    return unit;
}

// "--top-k <number>", and for a switch that is off "--json" alone.
static std::string usage_of(const Options::Entry& entry) {
    std::string usage = "--" + Options::typed_name(entry);
    if (entry.kind == kSwitch) return usage + (entry.initial == "no" ? "" : "=no");
    if (entry.kind == "number") return usage + say({" <number>", " <数>"});
    if (entry.kind == "text") return usage + say({" <text>", " <文字>"});
    return usage + " " + entry.kind;
}

static std::string default_of(const Options::Entry& entry) {
    if (entry.initial.empty() || entry.kind == kSwitch) return {};
    std::string value = entry.initial;
    if (!entry.unit.empty()) value += " " + unit_text(entry.unit);
    return say({" (default %s)", "（默认 %s）"}, value);
}

void Options::group(Words title) { group_ = title; }

void Options::add_entry(Entry entry) {
    entry.name = key_of(entry.name);
    require(!has(entry.name), "an option is declared twice");
    entry.group = group_;
    entry.initial = entry.get();
    entries_.push_back(std::move(entry));
}

void Options::add(const char* name, Index& value, const char* unit, Words help, Index least,
                  Index most) {
    const auto get = [&value] { return std::to_string(value); };
    const auto set = [&value, least, most](const std::string& text, const std::string& origin) {
        const std::optional<Index> number = parse_integer(text);
        if (!number || *number < least || *number > most)
            fail_value(origin, a_whole_number_between(least, most), text);
        value = *number;
    };
    add_entry({name, unit, "number", "", help, {}, get, set});
}

void Options::add(const char* name, double& value, const char* unit, Words help, double least,
                  double most) {
    const auto get = [&value] { return number_text(value); };
    const auto set = [&value, least, most](const std::string& text, const std::string& origin) {
        const std::optional<double> number = parse_number(text);
        if (!number || *number < least || *number > most)
            fail_value(origin, a_number_between(least, most), text);
        value = *number;
    };
    add_entry({name, unit, "number", "", help, {}, get, set});
}

void Options::add(const char* name, bool& value, Words help) {
    const auto get = [&value] { return std::string(value ? "yes" : "no"); };
    const auto set = [&value](const std::string& text, const std::string& origin) {
        const auto is_one_of = [&](std::initializer_list<const char*> words) {
            return std::find(words.begin(), words.end(), text) != words.end();
        };
        const bool yes = is_one_of({"yes", "true", "on", "1"});
        if (!yes && !is_one_of({"no", "false", "off", "0"}))
            fail_value(origin, say({"yes or no", " yes 或 no"}), text);
        value = yes;
    };
    add_entry({name, "", kSwitch, "", help, {}, get, set});
}

void Options::add(const char* name, std::string& value, const char* unit, Words help) {
    const auto get = [&value] { return value; };
    const auto set = [&value](const std::string& text, const std::string&) { value = text; };
    add_entry({name, unit, "text", "", help, {}, get, set});
}

void Options::add(const char* name, std::vector<std::string>& values, const char* unit,
                  Words help) {
    const auto get = [&values] { return values.empty() ? "" : values.back(); };
    const auto set = [&values](const std::string& text, const std::string&) {
        values.push_back(text);
    };
    add_entry({name, unit, "text", "", help, {}, get, set});
}

void Options::never_empty() {
    entries_.back().set = [set = entries_.back().set](const std::string& text,
                                                      const std::string& origin) {
        if (text.empty() && origin.starts_with("--"))
            fail_usage({"%s: expected a name, found an empty one (a variable of the shell that is "
                        "not set?); leave the option out, or name something",
                        "%s：应该是一个名字，这里是空的（是不是 shell "
                        "变量没有设置？）；请去掉这个选项，或写上名字"},
                       origin);
        set(text, origin);
    };
}

void Options::add_hidden(const char* name, std::string& value) {
    add(name, value, "", {});
    entries_.back().hidden = true;
}

void Options::retired(const char* name) { retired_.push_back(name); }

void Options::add_choice(const char* name, const std::vector<std::string>& allowed,
                         std::function<std::string()> get,
                         std::function<void(const std::string&)> set, Words help) {
    const std::string kind = joined(allowed, "|");
    const auto checked = [=](const std::string& text, const std::string& origin) {
        if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
            fail_value(origin, say({"%s", " %s 之一"}, kind), text);
        set(text);
    };
    add_entry({name, "", kind, "", help, {}, get, checked});
}

std::string Options::key_of(std::string_view name) { return with(name, '-', '_'); }
std::string Options::typed_name(const Entry& entry) { return with(entry.name, '_', '-'); }

const Options::Entry* Options::find(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, key_of(name), &Entry::name);
    return entry == entries_.end() ? nullptr : &*entry;
}

const Options::Entry& Options::known(std::string_view name) const {
    const Entry* entry = find(name);
    if (!entry)
        fail({"no option of that name is declared: %s", "没有声明过这个选项：%s"}, in_quotes(name));
    return *entry;
}

void Options::set(std::string_view name, std::string_view text, const std::string& origin) {
    const std::string key = key_of(name);
    for (Entry& entry : entries_) {
        if (entry.name != key) continue;
        entry.set(std::string(text), origin);
        entry.origin = origin;
        return;
    }
    if (!origin.starts_with("--") && std::ranges::find(retired_, key) != retired_.end()) return;
    std::vector<std::string> names;
    for (const Entry& entry : entries_)
        if (!entry.hidden) names.push_back(entry.name);
    const std::string nearest = nearest_word(key, names);
    fail_usage({"%s: there is no option %s; %s", "%s：没有选项 %s；%s"}, origin, in_quotes(name),
               nearest.empty() ? say({"--help lists all options", "--help 会列出所有选项"})
                               : say({"did you mean %s?", "是不是想写 %s？"}, nearest));
}

bool Options::has(std::string_view name) const { return find(name) != nullptr; }
bool Options::was_set(std::string_view name) const { return !known(name).origin.empty(); }
bool Options::on_command_line(std::string_view name) const {
    return known(name).origin.starts_with("--");
}
bool Options::is_switch(std::string_view name) const {
    const Entry* entry = find(name);
    return entry && entry->kind == kSwitch;
}
std::string Options::value(std::string_view name) const { return known(name).get(); }

std::string Options::help() const {
    int width = 0;
    for (const Entry& entry : entries_)
        if (!entry.hidden) width = std::max(width, display_width(usage_of(entry)));
    std::string text;
    std::optional<std::string> title;
    for (const Entry& entry : entries_) {
        if (entry.hidden) continue;
        const std::string group = say(entry.group);
        if (title != group) {
            title = group;
            if (!text.empty()) text += "\n";
            if (!group.empty()) text += group + "\n";
        }
        text += "  " + fit_left(usage_of(entry), width) + "  " + say(entry.help) +
                default_of(entry) + "\n";
    }
    return text;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
    // Levenshtein 1966: the fewest insertions, deletions and replacements, row by row.
    const auto distance = [](std::string_view a, std::string_view b) {
        std::vector<std::size_t> row(b.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t(0));
        for (std::size_t i = 0; i < a.size(); ++i) {
            std::size_t diagonal = row[0]++;
            for (std::size_t j = 0; j < b.size(); ++j) {
                const std::size_t replaced = diagonal + (a[i] != b[j]);
                diagonal = row[j + 1];
                row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
            }
        }
        return row.back();
    };
    constexpr std::size_t kLongest = 64;  // bounds the cost; no name of ours is nearly as long
    if (word.empty() || word.size() > kLongest) return "";

    std::string best;
    std::size_t least = word.size() / 3 + 2;  // a third may be wrong, and one letter more
    for (const std::string& candidate : candidates) {
        const bool begins = (word.size() >= 3 && candidate.starts_with(word)) ||
                            (candidate.size() >= 3 && word.starts_with(candidate));
        const std::size_t cost = begins ? 1 : distance(word, candidate);
        if (cost < least && cost < candidate.size()) least = cost, best = candidate;
    }
    return best;
}

}  // namespace zhuyi
