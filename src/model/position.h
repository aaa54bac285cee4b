// How a model knows where a token stands. All that differs between the position encodings is
// answered here; nobody else asks which of them it is.
#pragma once
#include <vector>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

enum class Position { learned, sinusoidal, rotary };

struct PositionEncoding {
    const char* name;  // its word in a configuration
    bool added;        // x = E[token] + P[position], with a table P (T_max, C); else q and k turn
    bool learned;      // P is a row of the parameter table, not fixed numbers
    Words parameters;  // said of its parameters where there are none
};

const PositionEncoding& encoding_of(Position position);

// P[t, 2i] = sin(t / 10000^(2i/C)),  P[t, 2i+1] = cos(…)      (Vaswani et al. 2017, section 3.5)
std::vector<Real> sinusoids(Index T, Index C);  // (T, C)

}  // namespace zhuyi
