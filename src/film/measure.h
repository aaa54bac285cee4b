// The numbers of one frame, measured from the model as it stands, under the names of stream_list.h.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/real.h"

namespace zhuyi {

class Followed;
class Gpt;
class Parameters;
class Tape;
class Tokenizer;
class Workspace;
struct Levels;
struct Tensor;
struct TokensPerCharacter;
struct UpdateSize;

using Measured = std::map<std::string, std::vector<double>>;  // by stream

// The last update before this frame; step 0: there was none.
struct LastUpdate {
    Index step = 0;
    double learning_rate = 0;
};

// "tokens_per_character" and "levels"
void measure_text(Measured& out, const TokensPerCharacter& per_character, const Levels& levels);

// "parameter.*". `first`: all values at step 0, laid out as Parameters::values(). `update`: how far
// the last update moved each row (Optimizer::measured_update); empty: none was made.
void measure_parameters(Measured& out, Parameters& parameters, In first,
                        const std::vector<UpdateSize>& update);

// "sentence.N.*" by one pass over the sentence; its "logits" are asked for at snapshots.
// `followed`: of this sentence, up to the last frame.
enum class Logits { no, yes };
void measure_sentence(Measured& out, std::size_t number, Gpt& model, Tape& tape,
                      std::span<const Token> sentence, Followed& followed, Logits wanted);

// "snapshot"
void measure_weights(Measured& out, Parameters& parameters);

// "watched.neighbours" and "watched.cosine"
void measure_neighbours(Measured& out, const Tensor& E, const std::vector<Token>& watched,
                        const std::vector<Token>& candidates, Workspace& workspace);

// "sample": `count` tokens after `prompt`, always drawn with the same random numbers.
void measure_sample(Measured& out, Gpt& model, const Tokenizer& tokenizer,
                    std::span<const Token> prompt, Index count);

}  // namespace zhuyi
