// Rotary positions: q and k are turned by an angle that grows with their position, so that the
// score q · k knows how far apart the two stand (Su et al. 2021, RoFormer, section 3.2 and eq. 34).
#pragma once
#include <vector>

#include "base/tensor.h"

namespace zhuyi {

// The angle of pair i of a head with D channels, at position t, in turns (1: once around):
// t · 10000^(-2i/D) / 2π
double rotary_angle(Index t, Index i, Index D);

// (T, D): of each position the cosines of its D/2 angles, then the sines
std::vector<Real> rotary_angles(Index T, Index D);

// x: (B, T, H D), D even. angles: (T_max, D) as above; they must live as long as the tape's
// records. `first` is the position of the first row (not 0 when earlier ones are in a cache).
// Gives (B, T, H D): in every head, channels i and i + D/2 are the two coordinates of a point that
// is turned by the angle of pair i.
Tensor rotary(const Tensor& x, const Tensor& angles, Index heads, Index first = 0);

}  // namespace zhuyi
