// A beginning -> its continuations as text: tokens become whole characters, a given text ends them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "formats/json.h"
#include "generate/generate.h"

namespace zhuyi {

class Options;
class Tokenizer;

struct Writing {
    std::string prompt;
    Index tokens = 200;              // at most
    std::vector<std::string> stops;  // a text ends before the first of these
    std::uint64_t number = 0;        // of the first text among those of one seed
    Index texts = 1;                 // at once
    Precision precision = Precision::fp32;
    Reader::Cache cache = Reader::Cache::on;
    bool log_probabilities = false;  // those of the tokens are wanted
};

void declare(Options& options, Writing& wish);  // tokens, stop, precision

struct Written {
    enum class End { tokens, end_of_text, stop };
    std::string text;                       // after the prompt
    std::vector<Token> tokens;              // those of a stop included
    std::vector<double> log_probabilities;  // of each token, by the model itself, where wanted
    End end = End::tokens;
};

// show: called with every piece of text as it comes, and the number of its text (from 0).
std::vector<Written> write_texts(
    Gpt& model, const Tokenizer& tokenizer, const SamplerConfig& sampler, const Writing& wish,
    const std::function<void(Index text, const std::string&)>& show = [](Index, auto&) {});

// {"prompt", "text", "end": "tokens" | "end_of_text" | "stop",
//  "tokens": [{"id", "text", "log_probability"}, …]}
Json json_of(const Written& written, const std::string& prompt, const Tokenizer& tokenizer);

}  // namespace zhuyi
