// The mechanism of options. Each folder declares the options it uses, once, by binding a name to a
// variable:
//
//     void declare(Options& options, GptConfig& config) {
//         options.add("channels", config.channels, "", {"length of an embedding", "嵌入维度"});
//
// The variable's present value is the default. The same table then serves configuration files, the
// command line, --help, the printed plan and run.conf. '-' and '_' in names mean the same. A header
// that declares such a function needs `class Options;` only.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

class Options {
  public:
    // unit: what a person reads after the number ("steps", "characters", "nats", ""). Both bounds
    // are allowed values.
    void add(const char* name, Index& value, const char* unit, Words help, Index least = 0,
             Index most = Index(1) << 53);
    void add(const char* name, double& value, const char* unit, Words help, double least = 0,
             double most = 1e300);
    void add(const char* name, bool& value, Words help);
    void add(const char* name, std::string& value, const char* unit, Words help);
    // May be given several times: each adds one. For the command line; a file has one line a name.
    void add(const char* name, std::vector<std::string>& values, const char* unit, Words help);
    // The option added last names something: on the command line `--name ""` is refused. (It comes
    // from a variable of the shell that is not set, and would mean: not given.)
    void never_empty();
    // For tests of the program: not in the help, and never suggested.
    void add_hidden(const char* name, std::string& value);
    // An option of earlier versions: a file may still hold it, and it means nothing.
    void retired(const char* name);
    // One of a few words: {{"learned", Position::learned}, {"sinusoidal", Position::sinusoidal}}.
    template <class Enum>
    void choice(const char* name, Enum& value, std::vector<std::pair<const char*, Enum>> words,
                Words help) {
        std::vector<std::string> allowed;
        for (const auto& word : words) allowed.push_back(word.first);
        add_choice(
            name, allowed,
            [&value, words] {
                for (const auto& word : words)
                    if (word.second == value) return std::string(word.first);
                return std::string();
            },
            [&value, words](const std::string& text) {
                for (const auto& word : words)
                    if (word.first == text) value = word.second;
            },
            help);
    }
    // Starts a titled group in --help and run.conf.
    void group(Words title);

    // `origin` says where the text stands ("stories.conf:12", "--channels"). UsageError: an unknown
    // name (the message offers the nearest one), a text that is no such value, a number out of
    // bounds.
    void set(std::string_view name, std::string_view text, const std::string& origin);
    // Lines `key = value`. '#' starts a comment, except inside quotes; blank lines are skipped.
    void read_file(const std::string& path);

    bool has(std::string_view name) const;
    bool was_set(std::string_view name) const;  // by set() or read_file(), not by its default
    bool on_command_line(std::string_view name) const;  // was it set there last?
    bool is_switch(std::string_view name) const;  // a bool: `--name` alone means `--name=true`
    std::string value(std::string_view name) const;
    // One block per group: name, value's kind, default, unit, help.
    std::string help() const;
    // Every option, as a configuration file that reads back the same.
    std::string file() const;

    struct Entry {
        std::string name, unit, kind, initial;  // kind: "number", "text", "yes|no", "a|b|c"
        Words help, group;
        std::function<std::string()> get;
        std::function<void(const std::string& text, const std::string& origin)> set;
        std::string origin{};  // where its value stands; empty for the default
        bool hidden = false;
    };
    const std::vector<Entry>& entries() const { return entries_; }
    static std::string typed_name(const Entry& entry);  // "batch-size"

  private:
    void add_choice(const char* name, const std::vector<std::string>& allowed,
                    std::function<std::string()> get, std::function<void(const std::string&)> set,
                    Words help);
    void add_entry(Entry entry);
    static std::string key_of(std::string_view name);  // as in `entries_`
    const Entry* find(std::string_view name) const;
    const Entry& known(std::string_view name) const;

    std::vector<Entry> entries_;
    std::vector<std::string> retired_;
    Words group_;
};

// The word of `candidates` that a person most likely meant by `word` (edit distance), or "" when no
// candidate is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// ---- the command line, taken apart into words and options
//
//     words and options in any order
//     --key=value, --key value, --switch      '-' and '_' in a key are the same
//     --                                      everything after it is a word

struct Setting {
    std::string name, text, origin;  // origin: how an error names it, "--steps"
};

struct Arguments {
    std::vector<std::string> words;
    std::vector<Setting> settings;
};

// A switch takes no value: its presence says yes. Only where yes, no, on, off, true or false
// follows, this is its value. Throws UsageError where a value is missing. Options that stand in
// none of the lists are left to Options::set, which names the nearest one.
Arguments split_line(std::span<const std::string> arguments,
                     std::initializer_list<const Options*> lists);

bool is_option(std::string_view argument);  // "--steps", "-h", but not "-"

// The language that the last --lang asks for, wherever it stands; without one that of the locale.
// Reads even a line that is wrong otherwise: an error is printed in this language.
Language language_of(std::span<const std::string> arguments);

}  // namespace zhuyi
