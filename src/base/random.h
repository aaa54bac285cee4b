// Random numbers from a counter, not from a sequence: every draw is a pure function of
// (seed, stream, place, number, element). Nothing has to be saved to resume, and no thread can
// disturb another.
//
// The mixing function is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014), applied to each coordinate in turn and then to the element's index.
#pragma once
#include <cstdint>

#include "base/real.h"

namespace zhuyi {

// What is drawn. The numbers never change: with others, the same seed would give other draws.
enum class Stream : std::uint64_t {
    initialisation = 1,  // place = row of the parameter table
    batches = 2,         // place = training step
    dropout = 3,         // place = training step, number = of the dropout in it
    sampling = 4,        // place = position in the sample
    order = 5,           // place = how often the text was read before
};

constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

class Random {
  public:
    Random(std::uint64_t seed, Stream stream, std::uint64_t place, std::uint64_t number = 0)
        : key_(mix(mix(mix(mix(seed) ^ std::uint64_t(stream)) ^ place) ^ number)) {}

    std::uint64_t key() const { return key_; }
    std::uint64_t bits(Index element) const {
        return mix(key_ + std::uint64_t(element) * 0x9e3779b97f4a7c15u);
    }
    // In [0, 1), a multiple of 2^-53.
    double uniform(Index element) const { return double(bits(element) >> 11) * 0x1p-53; }
    // In [0, bound): multiply-shift; the bias is below bound / 2^64.
    Index below(Index bound, Index element) const;
    // Standard normal (Box and Muller 1958), from own log and cos: the same bits on every machine.
    double normal(Index element) const;

  private:
    std::uint64_t key_;
};

// The draws of one step, numbered 0, 1, 2 … in the order in which they are made.
class NumberedDraws {
  public:
    NumberedDraws(std::uint64_t seed, Stream stream, std::uint64_t step)
        : seed_(seed), step_(step), stream_(stream) {}
    Random next() { return Random(seed_, stream_, step_, number_++); }

  private:
    std::uint64_t seed_, step_, number_ = 0;
    Stream stream_;
};

}  // namespace zhuyi
