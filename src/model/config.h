// The sizes of a model.
#pragma once
#include <array>
#include <vector>

#include "base/language.h"
#include "ops/gelu.h"

namespace zhuyi {

class Options;

// How a model knows where a token stands.
enum class Position { none, learned, sinusoidal, rotary };
inline constexpr std::array kPositions{Position::none, Position::learned, Position::sinusoidal,
                                       Position::rotary};

struct PositionEncoding {
    const char* name;  // its word in a configuration
    bool added;        // x = E[token] + P[position], with a table P (T_max, C)
    bool learned;      // P is a row of the parameter table, not fixed numbers
    Words parameters;  // said of its parameters where there are none
    Words embedding;   // said of x where nothing is added
};
const PositionEncoding& encoding_of(Position position);

// P[t, 2i] = sin(t / 10000^(2i/C)),  P[t, 2i+1] = cos(…)      (Vaswani et al. 2017, section 3.5)
std::vector<Real> sinusoids(Index T, Index C);  // (T, C)

struct GptConfig {
    Index context = 64;    // T: how far back a prediction can look
    Index channels = 128;  // C
    Index heads = 4;       // H, divides C
    Index layers = 4;      // L
    Index ffn = 0;         // F; 0: 4 C
    Index vocabulary = 0;  // V; 0 means from the text
    Position position = Position::learned;
    bool tied = true;              // the output layer is the token embedding
    double dropout = 0;            // of each branch, after W_O and W_2
    double embedding_dropout = 0;  // of what enters the first block
    Activation activation = Activation::gelu_new;

    Index width() const { return ffn ? ffn : 4 * channels; }  // F
    Index head_size() const { return channels / heads; }      // d_k
    bool operator==(const GptConfig&) const = default;
};

void declare(Options& options, GptConfig& config);
void declare_position(Options& options, Position& position);  // one of them, for `bench` too

// Throws UsageError when the sizes contradict each other (says which would do).
void check(const GptConfig& config);

}  // namespace zhuyi
