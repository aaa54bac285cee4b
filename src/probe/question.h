// Probes: questions whose right answer is known. The text of a probe goes on in one right way,
// because a rule of the text decides it, and in wrong ways that break this rule alone: minimal
// pairs (Warstadt et al. 2020, BLiMP; Mueller et al. 2020, CLAMS). A file has one on each line:
//
//     rule | seen, new or form | text | right | wrong[, wrong …] | asker, a-b c-d …
//
//     他/她/它 | new | 爷爷有一只小兔，叫花球，爷爷一喊， | 它 | 他, 她 | 16, 6-7 9-10
//
// seen: what is asked for stands together somewhere in the training text. new: it does not, so that
// only the rule helps. form: nothing in the training text is said in this way. The last field may
// be missing: the character after which the answer comes, and those that decide it, from a to b,
// both included; positions count characters of the text from 0. Spaces belong to the fields, except
// those of the separators " | " and ", ". Blank lines and lines that begin with # are skipped, but
// `# 名字 = English name` gives a rule an English name.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/list.h"

namespace zhuyi {

class Tokenizer;

enum class ProbeKind { seen, combination, form };
inline constexpr std::array<std::string_view, 3> kProbeKinds{"seen", "new", "form"};

// The kind of this name in kProbeKinds, or nothing.
std::optional<ProbeKind> probe_kind(std::string_view name);

struct Probe {
    struct Span {
        Index first, last;  // characters, from 0; both belong to it
    };
    Index line;        // of its file, from 1
    std::size_t rule;  // its index in ProbeFile::rules
    ProbeKind kind;
    std::string text, right;           // not empty
    std::vector<std::string> wrong{};  // one or more; none begins with the right one or begins it
    Index asker = -1;                  // -1: the line does not say
    std::vector<Span> answerer{};      // up to the asker; empty if the line does not say
};

struct ProbeFile {
    std::vector<Text> rules;  // their names, in the order in which they first come
    std::vector<Probe> probes;
};

// Throws Error, with the number of the line, if a line is no probe or the file has none. `origin`
// names the file in messages.
ProbeFile parse_probes(std::string content, const std::string& origin);
ProbeFile read_probes(const std::string& path);

// ---- a probe in the tokens of one model

// Text and answer are cut into tokens separately, as a prompt and its continuation are. The right
// answer is compared with each wrong one at the first token where the two differ. Where the
// characters there are several tokens (bytes), the tokens up to the character's end count together:
// their log weights add up.
struct Question {
    struct Comparison {
        Index first;        // the token where right and wrong differ
        Index end;          // of the right answer's tokens [first, end)
        List<Token> wrong;  // those of the wrong one, from `first` on
    };
    std::size_t rule;
    ProbeKind kind;
    List<Token> ids;  // text and right answer
    List<Comparison> comparisons;
    Index asker;                  // the token whose row of attention is looked at; -1 if none is
    std::vector<Index> answerer;  // tokens, each once
    std::string right{};          // the right answer's characters
};

struct Questions {
    std::vector<Text> rules;
    List<Question> all;
    Index too_long = 0;  // how many probes are left out because they exceed the model's context
};

Questions questions_of(const ProbeFile& file, const Tokenizer& tokenizer, Index context);

// One line about the probes that are left out, or nothing if all of them fit.
std::string too_long_text(const Questions& questions, Index context);

// A part of the questions: at most `most` of each rule and kind, evenly spread over the file.
Questions part_of(const Questions& questions, Index most);

}  // namespace zhuyi
