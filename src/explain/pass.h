// What every sheet of a model starts from: the model; a block, a head and a position to look at;
// and a pass over a text (worked_pass.h).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "explain/worked_pass.h"
#include "formats/sheet.h"
#include "model/config.h"

namespace zhuyi {

class Gpt;
class Parameters;
class Tokenizer;

// A model with its table and its words.
struct WorkedModel {
    Gpt& model;
    Parameters& parameters;
    const Tokenizer& tokenizer;

    // Of a parameter, as rows of its last extent.
    Grid value(const std::string& name) const;
    Grid gradient(const std::string& name) const;  // zeros when it is frozen
    Numbers bias(const std::string& name) const { return value(name).values; }
};

// What a sheet looks at.
struct Focus {
    Index block = 0, head = 0;
    Index query = -1;  // position in the text; -1: the last
};

// The text that a sheet follows, and the block, head and position that it looks at.
struct WorkedText {
    GptConfig config;
    Focus focus;  // query resolved
    std::vector<Token> ids;
    std::vector<std::string> tokens;  // T names

    // Throws UsageError for a layer, head or query that is not there, and says which are.
    WorkedText(const WorkedModel& model, std::span<const Token> ids, Focus focus);

    Index length() const { return std::ssize(ids); }  // T
    const std::string& query_token() const { return tokens[std::size_t(focus.query)]; }
    Labels labels() const;  // "3 江"
    // "X: [1, T, C]" -> "X: [1, 3, 128]": the letters of base/tensor.h in brackets become numbers.
    std::string in_numbers(std::string_view formula) const;
};

// Runs the text through the model, forward only.
void record(WorkedPass& pass, const WorkedModel& model, std::span<const Token> ids);

std::string block_name(Index block, const char* rest);  // "block.2.attention.Q"
std::string input_name(Index block);                    // what flows into a block

// An activation on `tape` with these values, so that ops can be applied to them.
Tensor constant(Tape& tape, Shape shape, std::span<const double> values);

}  // namespace zhuyi
