// Probes: questions whose right answer is known. The text of a probe goes on in one right way,
// because a rule of the text decides it, and in wrong ways that break this rule alone: minimal
// pairs (Warstadt et al. 2020, BLiMP; Mueller et al. 2020, CLAMS). A file of them, one a line:
//
//     rule | seen or new | text | right | wrong[, wrong …] | asker, a-b c-d …
//
//     他/她/它 | new | 爷爷有一只小兔，叫花球，爷爷一喊， | 它 | 他, 她 | 16, 6-7 9-10
//
// seen: what is asked for stands together somewhere in the training text. new: it does not, so that
// only the rule helps. The last field may be missing: the character after which the answer comes,
// and those that decide it, from a to b, both included; positions count characters of the text from
// 0. Spaces belong to the fields, except those of the separators " | " and ", ". Blank lines and
// lines that begin with # are skipped, but `# 名字 = English name` gives a rule an English name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

enum class ProbeKind { seen, unseen };  // "seen", "new"

struct Span {
    Index first, last;  // characters, from 0; both belong to it
};

struct Probe {
    Index line;        // of its file, from 1
    std::size_t rule;  // its index in ProbeFile::rules
    ProbeKind kind;
    std::string text, right;         // not empty
    std::vector<std::string> wrong;  // one or more; none begins with the right one or begins it
    Index asker = -1;                // -1: the line does not say
    std::vector<Span> answerer;      // up to the asker; empty where the line does not say
};

struct ProbeFile {
    std::vector<Text> rules;  // their names, in the order in which they first come
    std::vector<Probe> probes;
};

// Error: a line is no probe (the message has its number, and says what is wrong), or there is none
// at all. `origin` names the file in messages.
ProbeFile parse_probes(std::string content, const std::string& origin);
ProbeFile read_probes(const std::string& path);

// "seen", "new"
const char* name_of(ProbeKind kind);

}  // namespace zhuyi
