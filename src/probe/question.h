// A probe in the tokens of one model: what the model reads, and what is compared. Text and answer
// are cut into tokens apart, as a prompt and its continuation are.
//
// The right answer is held against each wrong one at the first token where the two differ. Where
// the characters there are several tokens (bytes), the tokens up to the character's end count
// together: their log weights add up.
#pragma once
#include <span>
#include <vector>

#include "probe/probe_file.h"

namespace zhuyi {

class Tokenizer;

struct Comparison {
    Index first;               // the token where right and wrong differ
    Index end;                 // of the right answer's tokens [first, end)
    std::vector<Token> wrong;  // those of the wrong one, from `first` on
};

struct Question {
    std::size_t rule;
    ProbeKind kind;
    std::vector<Token> ids;  // text and right answer
    std::vector<Comparison> comparisons;
    Index asker;                  // token whose row of attention is looked at; -1: none
    std::vector<Index> answerer;  // tokens, each once
};

struct Questions {
    std::vector<Text> rules;
    std::vector<Question> all;
    Index too_long = 0;  // probes that are left out: the model's context is shorter
};

Questions questions_of(const ProbeFile& file, const Tokenizer& tokenizer, Index context);

// One line about the probes that are left out; empty: none is.
Text too_long_text(const Questions& questions, Index context);

// Of each rule and kind at most `most`, spread evenly over those there are.
Questions part_of(const Questions& questions, Index most);

}  // namespace zhuyi
